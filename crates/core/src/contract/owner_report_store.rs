//! Keeps what the owners of lanes say of themselves, and tells of all lanes at once.

use std::future::Future;

use crate::{Claim, OwnerReport, Result, Survey};

/// Keeps what the owners of lanes say of themselves, and tells of all lanes at once.
///
/// # Contract
/// One report a lane, the last one. [`keep_report`](Self::keep_report) compares the claim's epoch
/// in the statement that writes, so that nothing of an older claim replaces what its successor
/// said. A claim that was released may still say its last word until the next one is granted.
///
/// A report is beside the progress of the lane: it moves neither offset nor counters, and no
/// commit, reset, claim or release changes it.
///
/// [`survey`](Self::survey) is one look: what it gives belongs to one moment, and its cost is a
/// few statements, however many lanes there are.
///
/// # Ordering
/// The last report of a claim wins.
///
/// # Durability
/// As the store's offsets.
///
/// # Cancellation
/// A dropped future either took effect or did not.
///
/// # Errors
/// [`crate::Error::Fenced`] when the lane has a higher epoch, or was never claimed;
/// [`crate::Error::Store`] for the store's own failures, [`crate::Error::Damaged`] for a row that
/// cannot be read back.
///
/// # Example
/// ```
/// use projectionist_core::Result;
/// use projectionist_core::contract::OwnerReportStore;
///
/// async fn print<S: OwnerReportStore>(store: &S) -> Result<()> {
///     for lane in store.survey().await?.lanes {
///         if let Some(said) = lane.report {
///             println!("{}: {}", lane.id, said.report.reason);
///         }
///     }
///     Ok(())
/// }
/// ```
pub trait OwnerReportStore: Send + Sync {
    /// Keeps the report of the holder of a claim, in place of what was said of the lane before.
    fn keep_report(
        &self,
        claim: &Claim,
        report: &OwnerReport,
    ) -> impl Future<Output = Result<()>> + Send;

    /// Everything that is kept of all lanes, as it stood at one moment.
    fn survey(&self) -> impl Future<Output = Result<Survey>> + Send;
}
