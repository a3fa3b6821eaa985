//! Runs a projection until what a test says of it holds.

mod assertion;
mod error;
mod projection_test_kit;

pub use assertion::Assertion;
pub use error::TestKitError;
pub use projection_test_kit::ProjectionTestKit;
