//! A test that asks for what cannot be.

/// Fails the test that asks for what cannot be.
#[expect(clippy::panic, reason = "a test kit fails its test")]
#[track_caller]
pub(crate) fn misuse(what: &str) -> ! {
    panic!("{what}");
}
