//! Reads the envelopes that commits have parked.

use std::future::Future;

use crate::{ParkedEnvelope, ParkedKey, ProjectionId, Result};

/// Reads the envelopes that commits have parked.
///
/// # Contract
/// Envelopes are parked and let go only by [`OffsetStore::commit`](super::OffsetStore::commit) and
/// [`TransactionalOffsetStore::commit_in`](super::TransactionalOffsetStore::commit_in), in the
/// same atomic step as the offset that passes them. One envelope an identity: lane and offset.
/// Lanes are apart, also those of one name.
///
/// # Ordering
/// Envelopes of a key come in the order in which they were first parked; parking one again keeps
/// its place. Keys come in the order in which their first envelope was parked.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// Reading changes nothing.
///
/// # Errors
/// [`crate::Error::Store`] for the store's own failures, [`crate::Error::Damaged`] for a row that
/// cannot be read back.
///
/// # Example
/// ```
/// use projectionist_core::contract::ParkedStore;
/// use projectionist_core::{ProjectionId, Result};
///
/// async fn print<S: ParkedStore>(store: &S, lane: &ProjectionId) -> Result<()> {
///     for key in store.parked_keys(lane, 20).await? {
///         let why = key.first.error.unwrap_or_default();
///         println!("{}: {} envelopes, {why}", key.first.key, key.envelopes);
///     }
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot keep parked envelopes",
    label = "this store has nowhere to park",
    note = "use a store that implements `ParkedStore`, such as the ones of SQLite and in memory, or a recovery strategy without parking"
)]
pub trait ParkedStore: Send + Sync {
    /// The keys of a lane that are parked, at most `limit` of them.
    fn parked_keys(
        &self,
        lane: &ProjectionId,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ParkedKey>>> + Send;

    /// The parked envelopes of a key, at most `limit` of them.
    fn parked(
        &self,
        lane: &ProjectionId,
        key: &str,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ParkedEnvelope>>> + Send;
}
