//! Room for what a conversion has to spell anew.

/// Room for what a conversion has to spell anew. Kept from value to value, so that nothing is
/// allocated once it has reached its size.
#[derive(Debug, Default)]
pub struct CoerceBuffer {
    /// A text: a number, JSON, or a text without U+0000.
    pub(super) text: String,
    /// The bytes of a BYTEA.
    pub(super) bytes: Vec<u8>,
    /// An array.
    pub(super) array: String,
    /// A text among the elements of an array, its escapes resolved.
    pub(super) element: String,
}

impl CoerceBuffer {
    /// An empty buffer, which allocates nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
