//! Handles a group of envelopes.

use std::future::Future;

use super::{GroupContext, HandlerResult};

/// Handles a group of envelopes; the position of its last one is saved afterwards.
///
/// # Contract
/// As [`Handler`](super::Handler), a group at a time. Grouped at-least-once may call `process`
/// again for envelopes that were handled before a crash, and in other groups than before: make the
/// handler idempotent for each envelope, not for each group.
///
/// # Ordering
/// Groups and the envelopes in them come in the order of the source, one group at a time.
///
/// # Durability
/// What `process` did must be durable when it returns: the position is saved afterwards.
///
/// # Cancellation
/// As [`Handler`](super::Handler).
///
/// # Errors
/// Any error, and a panic, is met by the recovery strategy for the whole group.
///
/// # Example
/// ```
/// use projectionist_core::contract::{GroupContext, GroupedHandler, HandlerResult};
///
/// struct Count(usize);
///
/// impl GroupedHandler<String> for Count {
///     async fn process(&mut self, group: &[String], _: GroupContext<'_>) -> HandlerResult {
///         self.0 += group.len();
///         Ok(())
///     }
/// }
/// ```
pub trait GroupedHandler<E: Sync>: Send + 'static {
    /// Handles one group. Never empty.
    fn process(
        &mut self,
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
