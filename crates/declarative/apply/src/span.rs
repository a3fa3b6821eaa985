//! Where a value stands in its record.

/// Length of a stored span, in bytes.
pub(crate) const SPAN_BYTES: usize = 8;

/// Set in `start` when the text does not stand in the record but behind the spans of the event.
const ASIDE: u32 = 1 << 31;

/// Longest record that spans can address, in bytes.
pub(crate) const MAX_RECORD_BYTES: usize = (ASIDE - 1) as usize;

/// Where a value stands in its record: two numbers instead of the value, so that an event costs
/// no allocation of its own.
///
/// A value that is missing has length 0; no JSON value is that short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

impl Span {
    pub(crate) const MISSING: Self = Self { start: 0, len: 0 };

    /// Where `part` stands in `record`; missing when it is no part of it.
    pub(crate) fn of(part: &str, record: &str) -> Self {
        let start = part.as_ptr().addr().checked_sub(record.as_ptr().addr());
        start
            .filter(|start| *start + part.len() <= record.len())
            .and_then(|start| Self::new(start, part.len()))
            .unwrap_or(Self::MISSING)
    }

    /// A text that was written behind the spans of its event.
    pub(crate) fn aside(start: usize, len: usize) -> Option<Self> {
        let span = Self::new(start, len)?;
        (span.start < ASIDE).then_some(Self {
            start: span.start | ASIDE,
            len: span.len,
        })
    }

    fn new(start: usize, len: usize) -> Option<Self> {
        Some(Self {
            start: u32::try_from(start).ok()?,
            len: u32::try_from(len).ok()?,
        })
    }

    pub(crate) fn is_missing(self) -> bool {
        self.len == 0
    }

    /// Whether the text stands behind the spans instead of in the record.
    pub(crate) fn is_aside(self) -> bool {
        self.start & ASIDE != 0
    }

    /// The value as it stands in `record`.
    pub(crate) fn within(self, record: &str) -> Option<&str> {
        if self.is_missing() {
            return None;
        }
        let start = self.start as usize;
        record.get(start..start + self.len as usize)
    }

    /// The bytes of the value as it stands in `record`.
    pub(crate) fn bytes_within(self, record: &[u8]) -> Option<&[u8]> {
        let start = self.start as usize;
        record.get(start..start + self.len as usize)
    }

    /// Where the text behind the spans begins, and its length.
    pub(crate) fn aside_range(self) -> (usize, usize) {
        ((self.start & !ASIDE) as usize, self.len as usize)
    }

    /// The text behind the spans.
    pub(crate) fn within_aside(self, cells: &[u8]) -> Option<&str> {
        let (start, len) = self.aside_range();
        std::str::from_utf8(cells.get(start..start + len)?).ok()
    }

    pub(crate) fn to_bytes(self) -> [u8; SPAN_BYTES] {
        (u64::from(self.start) | (u64::from(self.len) << 32)).to_le_bytes()
    }

    pub(crate) fn from_bytes(bytes: [u8; SPAN_BYTES]) -> Self {
        let [a, b, c, d, e, f, g, h] = bytes;
        Self {
            start: u32::from_le_bytes([a, b, c, d]),
            len: u32::from_le_bytes([e, f, g, h]),
        }
    }
}
