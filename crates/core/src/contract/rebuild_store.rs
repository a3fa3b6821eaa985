//! Puts a rebuilt read model in the place of the one that is in use.

use std::future::Future;

use super::{DeclarationStore, OffsetStore};
use crate::rebuild::{Comparison, KeptGeneration, Rebuild, RebuildPhase};
use crate::row::Table;
use crate::{Claim, Offset, Result};

/// Whether the rebuilt lane has reached this offset of the lane in use; `None` is a lane without
/// one. Only the source can compare its positions, so the store asks.
pub type Reached<'a> = &'a (dyn Fn(Option<&Offset>) -> bool + Send + Sync);

/// What became of a swap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// The rebuilt one is in use.
    Done,
    /// Nothing was changed: the one in use has come further, to this offset.
    Behind(Option<Offset>),
    /// Nothing was changed: another declaration was deployed since the rebuild began.
    Superseded,
}

/// Puts a rebuilt read model in the place of the one that is in use.
///
/// # Contract
/// A generation is everything of one projection: its lanes with offset and counters, the tables of
/// all tenants with their indexes, the numbers of the guard, the dead letters and parked envelopes,
/// and the declaration with its source. One is in use, under the projection's own name; a rebuild
/// builds another under the names of [`Beside::Shadow`](crate::rebuild::Beside::Shadow), which the
/// engine runs as any projection; one may be kept as
/// [`Beside::Kept`](crate::rebuild::Beside::Kept).
///
/// [`begin_rebuild`](Self::begin_rebuild) gives the rebuild that is not finished where there is one,
/// and changes nothing of it but when it was resumed. Else it removes whatever a rebuild has left,
/// and makes the lane, whose [`replay_until`](crate::LaneState::replay_until) is the offset in use.
///
/// [`swap`](Self::swap), [`revert`](Self::revert), [`drop_shadow`](Self::drop_shadow) and
/// [`reset`](Self::reset) are one atomic step each. A swap is conditional on the claim of the
/// shadow's lane, on the declaration that is replaced, and on `reached`. Whatever takes the place of
/// the generation in use gets an epoch above every one granted for the lane in use and has no
/// holder: nothing of an owner from before can be committed any more, and the next claim is granted
/// at once. What others have made on the tables in use, such as triggers and indexes, stands on
/// those that take their place; views go on naming the table in use.
///
/// No step costs more than the number of tables and letters, and what it costs to drop tables. What
/// of a dropped generation is left over is not seen by anyone, and goes in
/// [`purge`](Self::purge).
///
/// # Ordering
/// Rebuilds and kept generations come in the order of their projections' names, by bytes.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// Dropping a future leaves the step done as a whole, or nothing of it.
///
/// # Errors
/// [`crate::Error::Fenced`] for a claim that was superseded; [`crate::Error::Schema`] when something
/// else has the name of a table that is to be put in use, or what others made does not fit it;
/// [`crate::Error::Store`] for the store's own failures. Nothing is changed then.
///
/// # Example
/// ```
/// use projectionist_core::contract::{RebuildStore, Swapped};
/// use projectionist_core::{Claim, Offset, Result};
///
/// async fn swap<S: RebuildStore>(store: &S, claim: &Claim, at: &Offset) -> Result<bool> {
///     let reached = |live: Option<&Offset>| live.is_none_or(|live| live == at);
///     Ok(store.swap(claim, false, &reached).await? == Swapped::Done)
/// }
/// ```
pub trait RebuildStore: OffsetStore + DeclarationStore {
    /// The rebuilds that are not finished.
    fn rebuilds(&self) -> impl Future<Output = Result<Vec<Rebuild>>> + Send;

    /// The generations that are kept.
    fn kept_generations(&self) -> impl Future<Output = Result<Vec<KeptGeneration>>> + Send;

    /// Begins a rebuild, or gives the one of that projection that is not finished.
    fn begin_rebuild(&self, rebuild: &Rebuild) -> impl Future<Output = Result<Rebuild>> + Send;

    /// Notes what the rebuild that this claim belongs to does, and how many bytes its source has.
    fn note_rebuild(
        &self,
        claim: &Claim,
        phase: RebuildPhase,
        source_bytes: Option<u64>,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Compares what is in use with what was built, in one view of both. `live` and `shadow` are the
    /// tables of either side without a tenant; at most `sample` rows that differ are told of each
    /// table. No writer is waited for.
    fn compare(
        &self,
        rebuild: &Rebuild,
        live: Option<&Table>,
        shadow: &Table,
        sample: usize,
    ) -> impl Future<Output = Result<Comparison>> + Send;

    /// Puts what was built under this claim in use. With `keep` what was in use is kept, in place of
    /// what is kept already; without it, both are dropped.
    fn swap(
        &self,
        claim: &Claim,
        keep: bool,
        reached: Reached<'_>,
    ) -> impl Future<Output = Result<Swapped>> + Send;

    /// Puts what is kept of a projection in use, and keeps what was. `false` when nothing is kept.
    fn revert(&self, projection: &str) -> impl Future<Output = Result<bool>> + Send;

    /// Removes everything of a rebuild that is not finished. `false` when there is none.
    fn drop_shadow(&self, projection: &str) -> impl Future<Output = Result<bool>> + Send;

    /// Empties what is in use: the rows of the tables of this name, guard, letters, counters and
    /// offsets. The lanes begin anew, as a replay up to where they were.
    fn reset(&self, table: &Table) -> impl Future<Output = Result<()>> + Send;

    /// Removes a part of what is left of dropped generations, in a short transaction; `true` while
    /// there is more.
    fn purge(&self) -> impl Future<Output = Result<bool>> + Send;
}
