//! A comparable place in a lane.

use std::fmt::Debug;

use crate::Result;

/// A comparable place in a lane, as its source counts it.
///
/// A position says how far the lane is done: **everything up to and including it is settled**. A
/// source that resumes from a position begins with what follows it.
///
/// `Ord` must agree with the order in which the source delivers. Positions are compared for every
/// envelope and written as text only when progress is saved.
pub trait Position: Clone + Ord + Debug + Send + Sync + 'static {
    /// Names the text format, so that an offset of another source is refused instead of misread.
    /// At most 32 bytes; change it when the format changes.
    const MANIFEST: &'static str;

    /// Appends the text form. [`Position::parse`] of that text gives an equal position.
    fn write_to(&self, out: &mut String);

    /// Reads the text form.
    ///
    /// # Errors
    /// [`crate::Error::OffsetCodec`] when the text is not one that [`Position::write_to`] writes.
    fn parse(text: &str) -> Result<Self>;
}
