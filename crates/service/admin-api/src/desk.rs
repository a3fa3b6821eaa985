//! What the endpoint shows and commands, as the program that runs projections provides it.

use futures::future::BoxFuture;

use crate::AdminError;
use crate::view::{
    DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LaneStatus, LettersDone,
    OffsetView, PauseScope, RebuildStart, RebuildView, ReplayRequest,
};

/// What a desk answers, some time.
pub type DeskAnswer<'a, T> = BoxFuture<'a, Result<T, AdminError>>;

/// What the endpoint shows and commands.
///
/// Every call may come at any time and from several requests at once. A call that is dropped, since
/// its request took too long, either took effect or did not. A desk must not block the thread that
/// polls it: what blocks belongs on a thread of its own.
pub trait AdminDesk: Send + Sync + 'static {
    /// Every lane that the desk knows, ordered by name and key. Asked at most once a second, however
    /// many look.
    fn lanes(&self) -> DeskAnswer<'_, Vec<LaneStatus>>;

    /// Pauses a lane, or all lanes of its name. Holds across restarts of the process.
    ///
    /// # Errors
    /// [`AdminError::not_found`] for a lane that nobody knows; the store's own.
    fn pause<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()>;

    /// Lifts the pause of the same scope.
    ///
    /// # Errors
    /// As [`pause`](Self::pause).
    fn resume<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()>;

    /// Passes over the envelope that cannot be handled now, which must be the one at `at` where that
    /// is given. Gives its offset.
    ///
    /// # Errors
    /// [`AdminError::conflict`] when nothing fails at the moment, or another envelope does.
    fn skip<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        at: Option<&'a str>,
    ) -> DeskAnswer<'a, OffsetView>;

    /// Moves a lane to behind `to`, or to its beginning, if it still holds `expected` where that is
    /// given (`Some(None)`: holds none).
    ///
    /// # Errors
    /// [`AdminError::conflict`] with the reason when it is refused.
    fn move_lane<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        expected: Option<Option<&'a str>>,
        to: Option<&'a str>,
    ) -> DeskAnswer<'a, ()>;

    /// Dead letters, those that were kept first in front.
    ///
    /// # Errors
    /// [`AdminError::not_found`] for a name that nobody knows; the store's own.
    fn dead_letters<'a>(&'a self, query: &'a DeadLetterQuery) -> DeskAnswer<'a, DeadLetterPage>;

    /// One dead letter with its event.
    ///
    /// # Errors
    /// [`AdminError::not_found`] when there is none of that number.
    fn dead_letter(&self, id: u64) -> DeskAnswer<'_, DeadLetterView>;

    /// Applies the events of dead letters again.
    ///
    /// # Errors
    /// The store's own. A letter that fails again is no error: its outcome says so.
    fn replay<'a>(&'a self, request: &'a ReplayRequest) -> DeskAnswer<'a, LettersDone>;

    /// Gives dead letters up.
    ///
    /// # Errors
    /// The store's own.
    fn discard<'a>(&'a self, selection: &'a DeadLetterSelection) -> DeskAnswer<'a, LettersDone>;

    /// Whether this desk can rebuild projections. Where it cannot, the four calls below are refused
    /// before they reach it.
    fn rebuilds(&self) -> bool;

    /// How far the rebuild of a projection is, or how its last one ended.
    ///
    /// # Errors
    /// [`AdminError::not_found`] for a name that nobody knows.
    fn rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView>;

    /// Begins to rebuild a projection beside its table; gives how it stands then.
    ///
    /// # Errors
    /// [`AdminError::conflict`] when one is under way.
    fn start_rebuild<'a>(
        &'a self,
        name: &'a str,
        how: &'a RebuildStart,
    ) -> DeskAnswer<'a, RebuildView>;

    /// Gives up a rebuild that is under way; the table in use is not touched.
    ///
    /// # Errors
    /// [`AdminError::conflict`] when none is.
    fn abort_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView>;

    /// Puts back the table that the last rebuild has replaced.
    ///
    /// # Errors
    /// [`AdminError::conflict`] when it was not kept.
    fn revert_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView>;
}
