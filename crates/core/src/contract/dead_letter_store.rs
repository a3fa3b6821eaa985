//! Reads the dead letters that commits have kept.

use std::future::Future;

use crate::{DeadLetter, DeadLetterId, ErrorClass, Result, Timestamp};

/// Which dead letters to read: those for which everything holds that is asked for.
///
/// The default is all of them. What only the event tells, such as its type, is not asked here: a
/// store does not read events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetterFilter {
    /// Letters of this projection; the empty name for records that are no envelopes; `None` for
    /// all.
    pub projection: Option<String>,
    /// Letters of lanes with this key.
    pub key: Option<String>,
    /// Letters of this class of fault.
    pub class: Option<ErrorClass>,
    /// Letters whose fault names this column, path or key.
    pub field: Option<String>,
    /// Letters that failed last at this time or later.
    pub since: Option<Timestamp>,
    /// Letters that failed last before this time.
    pub until: Option<Timestamp>,
    /// Letters of these names; `None` for all.
    pub ids: Option<Vec<DeadLetterId>>,
    /// Letters that were kept after this one, which need not be there any more.
    pub after: Option<DeadLetterId>,
    /// At most so many.
    pub limit: usize,
}

impl Default for DeadLetterFilter {
    fn default() -> Self {
        Self {
            projection: None,
            key: None,
            class: None,
            field: None,
            since: None,
            until: None,
            ids: None,
            after: None,
            limit: usize::MAX,
        }
    }
}

impl DeadLetterFilter {
    /// Whether the letter is one of those that are asked for; `limit` is not looked at.
    #[must_use]
    pub fn matches(&self, stored: &StoredDeadLetter) -> bool {
        let letter = &stored.letter;
        let is = |asked: &Option<String>, found: Option<&str>| {
            asked.as_deref().is_none_or(|asked| found == Some(asked))
        };
        is(&self.projection, Some(&stored.projection))
            && is(&self.key, Some(&stored.key))
            && is(&self.field, letter.defect.field.as_deref())
            && self.class.is_none_or(|class| letter.defect.class == class)
            && self.since.is_none_or(|since| letter.failed_at >= since)
            && self.until.is_none_or(|until| letter.failed_at < until)
            && self.ids.as_ref().is_none_or(|ids| ids.contains(&stored.id))
            && self.after.is_none_or(|after| stored.id > after)
    }
}

/// A dead letter with the lane it was kept for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDeadLetter {
    /// Its name.
    pub id: DeadLetterId,
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
/// offset; the first one is kept. Where a store is a
/// [`TransactionalDeadLetterStore`](super::TransactionalDeadLetterStore), letters go or change by
/// that alone.
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
///     let filter = DeadLetterFilter {
///         projection: Some("orders".into()),
///         limit: 20,
///         ..DeadLetterFilter::default()
///     };
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
