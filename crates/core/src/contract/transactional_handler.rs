//! Handles one envelope in the transaction that also moves the lane.

use std::future::Future;

use super::{Context, HandlerResult};

/// Handles one envelope in the transaction that also moves the lane.
///
/// # Contract
/// As [`Handler`](super::Handler). The handler writes through `tx` and never commits or rolls
/// back: the engine does, together with the offset.
///
/// # Ordering
/// In the order of the source, one at a time.
///
/// # Durability
/// What was written through `tx` becomes durable with the offset, or not at all.
///
/// # Cancellation
/// As [`Handler`](super::Handler); the transaction then rolls back.
///
/// # Errors
/// Any error, and a panic, rolls the transaction back and is met by the recovery strategy.
///
/// # Example
/// ```
/// use projectionist_core::contract::{Context, HandlerResult, TransactionalHandler};
///
/// /// Counts what passes; a real one would write through `tx`.
/// struct Count(usize);
///
/// impl<Tx: Send + 'static> TransactionalHandler<String, Tx> for Count {
///     async fn process(&mut self, _: &mut Tx, _: &String, _: &Context<'_>) -> HandlerResult {
///         self.0 += 1;
///         Ok(())
///     }
/// }
/// ```
pub trait TransactionalHandler<E: Sync, Tx: Send>: Send + 'static {
    /// Handles one envelope.
    fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;

    /// Runs before the first envelope of a run.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last envelope of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
