//! Handles envelopes with a state that is handed from one to the next.

use std::future::Future;

use super::{Context, HandlerResult};
use crate::BoxError;

/// Handles envelopes with a state that is handed from one to the next.
///
/// # Contract
/// [`initial_state`](Self::initial_state) loads the state before the first envelope of a run, and
/// afresh before the attempt that follows a failed one: what a failed attempt did to the state is
/// never seen. Each [`process`](Self::process) gets what the one before gave back.
///
/// # Ordering
/// In the order of the source, one at a time.
///
/// # Durability
/// The state is kept in memory only. What must outlive the run is stored by `process`, and read
/// back by `initial_state`.
///
/// # Cancellation
/// As [`Handler`](super::Handler).
///
/// # Errors
/// Any error of either, and a panic, is met by the recovery strategy; an error of `initial_state`
/// before the first envelope fails the run.
///
/// # Example
/// ```
/// use projectionist_core::BoxError;
/// use projectionist_core::contract::{Context, StatefulHandler};
///
/// struct Longest;
///
/// impl StatefulHandler<String> for Longest {
///     type State = usize;
///
///     async fn initial_state(&mut self) -> Result<usize, BoxError> {
///         Ok(0)
///     }
///     async fn process(&mut self, longest: usize, word: &String, _: &Context<'_>) -> Result<usize, BoxError> {
///         Ok(longest.max(word.len()))
///     }
/// }
/// ```
pub trait StatefulHandler<E: Sync>: Send + 'static {
    /// What is handed on.
    type State: Send + 'static;

    /// Loads the state.
    fn initial_state(&mut self) -> impl Future<Output = Result<Self::State, BoxError>> + Send;

    /// Handles one envelope; gives the state for the next.
    fn process(
        &mut self,
        state: Self::State,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = Result<Self::State, BoxError>> + Send;

    /// Runs after the last envelope of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
