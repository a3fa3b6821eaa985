//! What a settling handler answers instead of an acknowledgement.

use std::time::Duration;

/// What a settling handler answers instead of an acknowledgement, as the error of its attempt.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// It can never be handled.
    #[error("dropped: {reason}")]
    Drop { reason: String },
    /// It is to be tried again, as recovery says.
    #[error("to be tried again: {reason}")]
    Retry { reason: String },
    /// It is to be tried again after a time that the handler knows.
    #[error("to be tried again after {delay:?}: {reason}")]
    RetryAfter { delay: Duration, reason: String },
}
