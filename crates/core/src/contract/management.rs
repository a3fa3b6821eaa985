//! What people ask of a projection, kept apart from its progress.

use std::future::Future;

use crate::{
    LaneManagement, ManagementCommand, ProjectionId, RequestAnswer, RequestId, Result, Timestamp,
};

/// The pause flag of a projection or of one of its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PauseFlag {
    /// Whether it is paused.
    pub paused: bool,
    /// Since when it is so.
    pub since: Timestamp,
}

/// Keeps what people ask of a projection, for the owner of its lanes.
///
/// # Contract
/// **Flags.** A pause flag belongs to one lane (name and key) or, with key `None`, to all lanes of
/// a name. A lane is paused when either says so. Flags are independent of offsets and claims: they
/// survive a cleared offset and need no owner.
///
/// **Requests.** A command is kept as a request until the owner of its lane answers it, in the
/// commit that carries it out ([`crate::Commit::answers`]); so it is done once, whatever is killed
/// when. A request needs neither a row nor an owner of the lane. Its first answer is kept.
///
/// [`management`](Self::management) is asked by every owner about twice a second: it must be cheap
/// when nothing has changed.
///
/// # Ordering
/// The last call of [`set_paused`](Self::set_paused) wins. Requests of a lane are listed in the
/// order in which they were made, which is the order of their ids.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// A dropped future either took effect or did not.
///
/// # Errors
/// [`crate::Error::Store`] for the store's own failures, [`crate::Error::Damaged`] for a row that
/// cannot be read back.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::ManagementStore;
///
/// async fn pause_all_orders<S: ManagementStore>(store: &S) -> Result<()> {
///     store.set_paused("orders", None, true).await
/// }
/// ```
pub trait ManagementStore: Send + Sync {
    /// The flag of exactly this name and key; `None` when it was never set.
    fn pause_flag(
        &self,
        name: &str,
        key: Option<&str>,
    ) -> impl Future<Output = Result<Option<PauseFlag>>> + Send;

    /// Sets the flag. Setting it to what it is keeps its time.
    fn set_paused(
        &self,
        name: &str,
        key: Option<&str>,
        paused: bool,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Everything that is asked of a lane now: whether a flag pauses it, and the requests that
    /// have no answer yet.
    fn management(
        &self,
        lane: &ProjectionId,
    ) -> impl Future<Output = Result<LaneManagement>> + Send;

    /// Asks the owner of a lane to do something.
    fn request(
        &self,
        lane: &ProjectionId,
        command: &ManagementCommand,
    ) -> impl Future<Output = Result<RequestId>> + Send;

    /// What became of a request; `None` while nobody has answered it, and for an id that this
    /// store never gave.
    fn answer(
        &self,
        request: RequestId,
    ) -> impl Future<Output = Result<Option<RequestAnswer>>> + Send;

    /// Takes a request back that nobody has answered. Gives whether it was still there to be
    /// taken back.
    fn withdraw(&self, request: RequestId) -> impl Future<Output = Result<bool>> + Send;
}
