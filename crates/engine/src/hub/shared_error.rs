//! One error of a source, told to everyone who reads it.

use std::fmt;
use std::sync::Arc;

use projectionist_core::Error;

/// The error as one of the readers gets it: it says the same, and whether trying again can help.
pub(super) fn share(error: &Arc<Error>) -> Error {
    let action = match error.as_ref() {
        Error::Source { action, .. } => action.clone(),
        _ => "read the source".to_owned(),
    };
    Error::Source {
        action,
        retryable: error.is_retryable(),
        source: Box::new(Cause(Arc::clone(error))),
    }
}

/// Why the source failed.
#[derive(Debug)]
struct Cause(Arc<Error>);

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_ref() {
            Error::Source { source, .. } => source.fmt(f),
            other => other.fmt(f),
        }
    }
}

impl std::error::Error for Cause {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_hears_the_same() {
        let error = Error::Source {
            action: "read events.jsonl".into(),
            retryable: true,
            source: "the disk is away".into(),
        };
        let (said, error) = (error.to_string(), Arc::new(error));
        assert_eq!(share(&error).to_string(), said);
        assert!(share(&error).is_retryable());
        let fatal = Arc::new(Error::Configuration {
            subject: "file".into(),
            reason: "is missing".into(),
        });
        assert!(!share(&fatal).is_retryable());
        assert!(share(&fatal).to_string().contains(&fatal.to_string()));
    }
}
