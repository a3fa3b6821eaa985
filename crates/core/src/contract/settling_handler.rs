//! Handles envelopes and says what is to become of each.

use std::future::Future;
use std::time::Duration;

use super::{Context, HandlerResult};
use crate::BoxError;

/// What is to become of an envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// It was handled.
    Ack,
    /// It can never be handled: it is passed over, counted as skipped, and kept as a dead letter
    /// where these are kept.
    Drop {
        /// Why, as a sentence.
        reason: String,
    },
    /// It is to be tried again, as the recovery strategy says. Counts as a failed attempt.
    Retry {
        /// Why, as a sentence.
        reason: String,
    },
    /// It is to be tried again after this time, however many attempts the recovery strategy
    /// allows. The lane waits, and its status says so.
    RetryAfter {
        /// The wait.
        delay: Duration,
        /// Why, as a sentence.
        reason: String,
    },
}

/// Handles envelopes and says what is to become of each.
///
/// # Contract
/// As [`Handler`](super::Handler), with a [`Settlement`] instead of nothing.
///
/// # Ordering
/// In the order of the source, one at a time. An envelope that is to be tried again holds up those
/// behind it, or those of its key.
///
/// # Durability
/// What `process` did must be durable when it acknowledges.
///
/// # Cancellation
/// As [`Handler`](super::Handler).
///
/// # Errors
/// As [`Handler`](super::Handler).
///
/// # Example
/// ```
/// use projectionist_core::BoxError;
/// use projectionist_core::contract::{Context, Settlement, SettlingHandler};
///
/// struct Words;
///
/// impl SettlingHandler<String> for Words {
///     async fn process(&mut self, word: &String, _: &Context<'_>) -> Result<Settlement, BoxError> {
///         if word.is_empty() {
///             return Ok(Settlement::Drop { reason: "it has no letters".to_owned() });
///         }
///         Ok(Settlement::Ack)
///     }
/// }
/// ```
pub trait SettlingHandler<E: Sync>: Send + 'static {
    /// Handles one envelope.
    fn process(
        &mut self,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = Result<Settlement, BoxError>> + Send;

    /// Runs before the first envelope of a run.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last envelope of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
