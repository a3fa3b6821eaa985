//! Why a task stopped, as a sentence for the terminal.

use std::fmt;

/// The result of everything here that can stop a task.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

/// A sentence that says what went wrong and, where it is known, what to do.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Says what was being done when something below failed.
pub(crate) trait Doing<T> {
    /// The failure reads `could not <what>: <cause>`.
    fn doing(self, what: impl fmt::Display) -> Result<T>;
}

impl<T, E: fmt::Display> Doing<T> for std::result::Result<T, E> {
    fn doing(self, what: impl fmt::Display) -> Result<T> {
        self.map_err(|cause| Failure(format!("could not {what}: {cause}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_what_was_being_done_and_the_cause() {
        let outcome: std::result::Result<(), _> = Err("no such file");
        let failure = outcome.doing("read Cargo.toml").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "could not read Cargo.toml: no such file"
        );
    }
}
