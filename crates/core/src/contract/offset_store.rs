//! Keeps the lanes: their claims, offsets and counters.

use std::future::Future;
use std::time::Duration;

use super::{ManagementStore, OwnerReportStore};
use crate::{Claim, ClaimOutcome, ClaimRequest, Commit, LaneState, ProjectionId, Result};

/// Where the projections of a store run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Placement {
    /// On the runtime's workers: the store waits without blocking.
    #[default]
    Runtime,
    /// Each on a thread of its own: the store works in place and blocks.
    OwnThread,
}

/// What a store can do beyond the least that every store must.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreCapabilities {
    /// It stores what is settled [ahead](crate::Ahead) of the offset. Without it a crash repeats
    /// everything above the low-water mark, so the engine counts all of that as unsaved.
    pub ahead: bool,
    /// A commit is one atomic step as a whole. Without it only epoch, expected offset and offset
    /// are. Letters and parked envelopes are written **before** the offset and answers **after** it,
    /// so that a crash between repeats them and loses none; counters are as good as they can be.
    pub atomic_commit: bool,
}

impl StoreCapabilities {
    /// Everything.
    pub const FULL: Self = Self {
        ahead: true,
        atomic_commit: true,
    };

    /// The low-water mark alone, as a store has it whose only conditional write is one row.
    pub const LOW_WATER: Self = Self {
        ahead: false,
        atomic_commit: false,
    };
}

/// Keeps the lanes: who may move each one, how far it is, and what was counted.
///
/// # Contract
/// One row a lane. A clone is a handle on the same store.
///
/// [`claim`](Self::claim) grants a lane under an epoch higher than every epoch granted before.
/// From that moment nothing of an older claim can be committed: [`commit`](Self::commit) compares
/// the claim's epoch and the expected offset in the same statement that writes.
///
/// A commit writes all of its fields. What a store cannot do it says in
/// [`capabilities`](Self::capabilities); there is no other way to do less.
///
/// # Ordering
/// Calls for one lane take effect one after the other. Epochs strictly increase. An offset moves
/// only through a commit whose `expected` is what the row holds.
///
/// # Durability
/// When a call returns, its effect is visible to every other handle, and as durable as the store
/// says. A store that loses a commit loses everything in it.
///
/// # Cancellation
/// A dropped future either took effect as a whole or not at all.
///
/// # Errors
/// [`crate::Error::Fenced`] when the lane has a higher epoch, [`crate::Error::UnexpectedOffset`]
/// when the row holds another offset, [`crate::Error::Store`] for the store's own failures, with
/// `retryable` decided where it is known. A commit whose outcome is unknown is
/// [`crate::Error::Store`]; whoever gets it reads the lane before it acts.
///
/// # Example
/// ```
/// use std::time::Duration;
/// use projectionist_core::contract::OffsetStore;
/// use projectionist_core::{ClaimOutcome, ClaimRequest, Commit, Offset, Owner, ProjectionId, Result, Take};
///
/// async fn save<S: OffsetStore>(store: &S, lane: ProjectionId, offset: Offset) -> Result<()> {
///     let owner = Owner { instance: "example".into(), process: None };
///     let ttl = Duration::from_secs(10);
///     let request = ClaimRequest { lane, owner, ttl, take: Take::Free };
///     if let ClaimOutcome::Granted { claim, lane } = store.claim(&request).await? {
///         let commit = Commit { expected: lane.offset, offset: Some(offset), ..Commit::default() };
///         store.commit(&claim, &commit).await?;
///         store.release(&claim).await?;
///     }
///     Ok(())
/// }
/// ```
pub trait OffsetStore: ManagementStore + OwnerReportStore + Clone + Send + Sync + 'static {
    /// Asks for a lane; the row is made when it is not there.
    fn claim(&self, request: &ClaimRequest) -> impl Future<Output = Result<ClaimOutcome>> + Send;

    /// Lets a claim hold for `ttl` from now.
    fn renew(&self, claim: &Claim, ttl: Duration) -> impl Future<Output = Result<()>> + Send;

    /// Gives a lane back, so that the next claim is granted at once. Nothing happens when a later
    /// claim was granted meanwhile.
    fn release(&self, claim: &Claim) -> impl Future<Output = Result<()>> + Send;

    /// Moves the lane: everything in `commit`, or nothing.
    fn commit(&self, claim: &Claim, commit: &Commit) -> impl Future<Output = Result<()>> + Send;

    /// The row of a lane; `None` when it was never claimed.
    fn lane(&self, lane: &ProjectionId) -> impl Future<Output = Result<Option<LaneState>>> + Send;

    /// All lanes with their rows, ordered by name and key.
    fn lanes(&self) -> impl Future<Output = Result<Vec<(ProjectionId, LaneState)>>> + Send;

    /// What it can do. Default: everything.
    fn capabilities(&self) -> StoreCapabilities {
        StoreCapabilities::FULL
    }

    /// Where the projections of this store run.
    fn placement(&self) -> Placement {
        Placement::Runtime
    }
}
