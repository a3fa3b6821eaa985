//! The pages that the endpoint shows to browsers, as whoever starts it brings them.

/// A file of the dashboard.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Its content type.
    pub content_type: &'static str,
    /// Its content.
    pub body: &'static [u8],
}

/// Finds the page at a path that begins with `/`. `None` where there is none.
///
/// Pages are given to everybody, without a token: a browser needs them to ask for one. They must
/// hold nothing that is worth hiding.
pub type Pages = fn(path: &str) -> Option<Page>;
