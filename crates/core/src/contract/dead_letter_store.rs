//! Reads the dead letters that commits have kept.

use std::future::Future;

use crate::{DeadLetter, Result};

/// Which dead letters to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterFilter {
    /// Letters of this projection; the empty name for records that are no envelopes; `None` for
    /// all.
    pub projection: Option<String>,
    /// At most so many.
    pub limit: usize,
}

/// A dead letter with the lane it was kept for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDeadLetter {
    /// The projection; empty for a record that is no envelope.
    pub projection: String,
    /// The key of the lane.
    pub key: String,
    /// The letter.
    pub letter: DeadLetter,
}

/// Reads the dead letters that commits have kept.
///
/// # Contract
/// Letters are written only by [`OffsetStore::commit`](super::OffsetStore::commit) and
/// [`TransactionalOffsetStore::commit_in`](super::TransactionalOffsetStore::commit_in), in the
/// same atomic step as the offset that passes them. One letter an identity: projection, key and
/// offset; the first one is kept.
///
/// # Ordering
/// Letters come in the order in which they were kept.
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
/// use projectionist_core::Result;
/// use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore};
///
/// async fn print<S: DeadLetterStore>(store: &S) -> Result<()> {
///     let filter = DeadLetterFilter { projection: Some("orders".into()), limit: 20 };
///     for stored in store.dead_letters(&filter).await? {
///         println!("{} {}", stored.letter.offset, stored.letter.defect.error);
///     }
///     Ok(())
/// }
/// ```
pub trait DeadLetterStore: Send + Sync {
    /// The letters that match.
    fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
    ) -> impl Future<Output = Result<Vec<StoredDeadLetter>>> + Send;
}
