//! Why a benchmark ended without figures.

/// Any error; a benchmark prints it and ends.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What a step of a benchmark gives.
pub type Outcome<T> = Result<T, Failure>;

/// Ends a benchmark: the error goes to standard error, the exit code says whether there was one.
#[must_use]
pub fn exit(outcome: Outcome<()>) -> std::process::ExitCode {
    match outcome {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            std::process::ExitCode::FAILURE
        }
    }
}
