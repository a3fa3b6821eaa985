//! Handles a group of envelopes in the transaction that also moves the lane.

use std::future::Future;

use super::{GroupContext, HandlerResult};

/// Handles a group of envelopes in the transaction that also moves the lane.
///
/// # Contract
/// As [`Handler`](super::Handler), a group at a time. The handler writes through `tx` and never commits or rolls
/// back: the engine does, together with the offset and the [report](super::GroupReport).
///
/// # Ordering
/// Groups and the envelopes in them come in the order of the source, one group at a time.
///
/// # Durability
/// What was written through `tx` becomes durable with the offset, or not at all.
///
/// # Cancellation
/// As [`Handler`](super::Handler); the transaction then rolls back.
///
/// # Errors
/// Any error, and a panic, rolls the transaction back and is met by the recovery strategy for the
/// whole group. An error that downcasts to [`crate::Error`] of class
/// [`Data`](crate::ErrorClass::Data) lets the engine look for the envelope at fault.
///
/// # Example
/// ```
/// use projectionist_core::contract::{GroupContext, GroupedTransactionalHandler, HandlerResult};
///
/// /// Counts what passes; a real one would write through `tx`.
/// struct Count(usize);
///
/// impl<Tx: Send + 'static> GroupedTransactionalHandler<String, Tx> for Count {
///     async fn process(
///         &mut self,
///         _tx: &mut Tx,
///         group: &[String],
///         _context: GroupContext<'_>,
///     ) -> HandlerResult {
///         self.0 += group.len();
///         Ok(())
///     }
/// }
/// ```
pub trait GroupedTransactionalHandler<E: Sync, Tx: Send>: Send + 'static {
    /// Handles one group. Never empty.
    fn process(
        &mut self,
        tx: &mut Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;

    /// Runs before the first group of a run.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last group of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
