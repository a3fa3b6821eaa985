//! What the program ends with.

use std::process::ExitCode;

use projectionist_core::Error;

use crate::output::tell;

/// Something went wrong while running.
const FAILED: u8 = 1;
/// The command cannot be understood. Also what the argument parser ends with.
const USAGE: u8 = 2;
/// The file does not validate.
const INVALID: u8 = 3;
/// Tables of the target are missing, or have another shape or another owner than the file says; or
/// they would have been written otherwise.
const NEEDS_REBUILD: u8 = 4;
/// No rebuild of the target can bring it to what the file says.
const INCOMPATIBLE: u8 = 5;

/// Why a command did not do what it was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// It failed while running.
    pub(crate) fn at_run_time(message: impl Into<String>) -> Self {
        Self {
            code: FAILED,
            message: message.into(),
        }
    }

    /// It was called wrongly.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self {
            code: USAGE,
            message: message.into(),
        }
    }

    /// The file does not validate; `faults` is what there is to say.
    pub(crate) fn invalid(faults: impl Into<String>) -> Self {
        Self {
            code: INVALID,
            message: faults.into(),
        }
    }

    /// Tables must be built anew.
    pub(crate) fn needs_rebuild(message: impl Into<String>) -> Self {
        Self {
            code: NEEDS_REBUILD,
            message: message.into(),
        }
    }

    /// Not even building anew helps.
    pub(crate) fn incompatible(message: impl Into<String>) -> Self {
        Self {
            code: INCOMPATIBLE,
            message: message.into(),
        }
    }

    /// A projection ended with this error.
    pub(crate) fn of_projection(name: &str, error: &Error) -> Self {
        Self {
            code: code_of(error),
            message: format!("projection {name} failed: {error}"),
        }
    }

    /// A projection cannot run as the file says, and so nothing was done.
    pub(crate) fn not_started(name: &str, error: &Error) -> Self {
        Self {
            code: code_of(error),
            message: format!("nothing was done: projection {name}: {error}"),
        }
    }

    /// A projection does not fit the target that it was compared with.
    pub(crate) fn does_not_fit(name: &str, error: &Error) -> Self {
        Self {
            code: code_of(error),
            message: format!("projection {name} does not fit the target: {error}"),
        }
    }

    /// Why, as a sentence.
    pub(crate) fn message(&self) -> &str {
        self.message.trim_end()
    }

    /// Whether what was asked for cannot be done as it was asked.
    pub(crate) fn is_usage(&self) -> bool {
        self.code == USAGE
    }

    /// Says why on standard error and gives the code.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.message.is_empty() {
            tell(self.message.trim_end());
        }
        ExitCode::from(self.code)
    }

    /// Both failures as one: the code of the more specific one.
    pub(crate) fn and(self, other: Self) -> Self {
        let message = format!("{}\n{}", self.message, other.message);
        Self {
            code: self.code.max(other.code),
            message,
        }
    }
}

/// Both ends as one; see [`Failure::and`].
pub(crate) fn both(first: Result<(), Failure>, second: Result<(), Failure>) -> Result<(), Failure> {
    match (first, second) {
        (Err(first), Err(second)) => Err(first.and(second)),
        (first, second) => first.and(second),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self {
            code: code_of(&error),
            message: error.to_string(),
        }
    }
}

fn code_of(error: &Error) -> u8 {
    if is_schema(error) {
        NEEDS_REBUILD
    } else {
        FAILED
    }
}

fn is_schema(error: &Error) -> bool {
    match error {
        Error::Schema { .. } => true,
        Error::Handler { source, .. } => source.downcast_ref::<Error>().is_some_and(is_schema),
        _ => false,
    }
}
