//! What a test says of a projection.

use std::fmt::Display;

/// What a test says of a projection, looked at again and again until it holds: a `bool`, or a
/// `Result` whose error says what is not so yet.
pub trait Assertion {
    /// Whether it holds.
    ///
    /// # Errors
    /// What is not so yet; `None` where it does not say.
    fn holds(self) -> Result<(), Option<String>>;
}

impl Assertion for bool {
    fn holds(self) -> Result<(), Option<String>> {
        if self { Ok(()) } else { Err(None) }
    }
}

impl<E: Display> Assertion for Result<(), E> {
    fn holds(self) -> Result<(), Option<String>> {
        self.map_err(|error| Some(error.to_string()))
    }
}
