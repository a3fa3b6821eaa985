//! The error of a source that a test lets fail.

use projectionist_core::{BoxError, Error};

/// The error of a source that fails when it is to do something, such as `watch the test lanes`.
pub(crate) fn failure(action: &str, reason: String, retryable: bool) -> Error {
    Error::Source {
        action: action.to_owned(),
        retryable,
        source: BoxError::from(reason),
    }
}
