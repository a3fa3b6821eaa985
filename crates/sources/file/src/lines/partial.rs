//! The beginning of a line whose end is not read yet.

use bytes::{Bytes, BytesMut};

/// How much is kept of a line that is too long, in bytes.
pub(super) const HEAD_BYTES: usize = 64 * 1024;

/// Bytes that do not count as part of a record but may stand in its line: a byte order mark and a
/// carriage return.
const SLACK_BYTES: usize = 4;

/// A line as it was read, without its line feed.
#[derive(Debug)]
pub(super) enum RawLine {
    /// All of it.
    Whole(Bytes),
    /// A line that is too long whatever is stripped from it.
    Cut {
        /// Its beginning, long enough for [`HEAD_BYTES`] behind a byte order mark.
        head: Bytes,
        /// How many bytes it has.
        length: u64,
        /// Its last byte.
        last: u8,
    },
}

/// The beginning of a line whose end is not read yet; keeps a bounded part of it.
#[derive(Debug)]
pub(super) struct PartialLine {
    kept: BytesMut,
    length: u64,
    last: u8,
    keep: usize,
}

impl PartialLine {
    /// For records of up to `max_record_bytes`.
    pub(super) fn new(max_record_bytes: usize) -> Self {
        Self {
            kept: BytesMut::new(),
            length: 0,
            last: 0,
            keep: max_record_bytes.max(HEAD_BYTES).saturating_add(SLACK_BYTES),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The line goes on with `bytes`.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let was_whole = self.is_whole();
        self.last = *last;
        self.length += bytes.len() as u64;
        if !was_whole {
            return;
        }
        if self.length <= self.keep as u64 {
            self.kept.extend_from_slice(bytes);
            return;
        }
        let head = HEAD_BYTES + SLACK_BYTES;
        let missing = head.saturating_sub(self.kept.len()).min(bytes.len());
        self.kept
            .extend_from_slice(bytes.get(..missing).unwrap_or_default());
        // A copy, so that the memory of the long beginning is given back now.
        self.kept = BytesMut::from(self.kept.get(..head).unwrap_or(&self.kept));
    }

    /// Ends the line.
    pub(super) fn take(&mut self) -> RawLine {
        let whole = self.is_whole();
        let kept = self.kept.split().freeze();
        let length = std::mem::take(&mut self.length);
        if whole {
            RawLine::Whole(kept)
        } else {
            RawLine::Cut {
                head: kept,
                length,
                last: self.last,
            }
        }
    }

    fn is_whole(&self) -> bool {
        self.length == self.kept.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_measured_but_not_kept() {
        let mut partial = PartialLine::new(10);
        let block = [b'x'; 1000];
        for _ in 0..1_000 {
            partial.push(&block);
        }
        assert!(partial.kept.capacity() < 2 * HEAD_BYTES);
        partial.push(b"y");
        let RawLine::Cut { head, length, last } = partial.take() else {
            panic!("a megabyte is above the limit");
        };
        assert_eq!((length, last), (1_000_001, b'y'));
        assert_eq!(head.len(), HEAD_BYTES + SLACK_BYTES);
        assert!(partial.is_empty());
    }

    #[test]
    fn the_next_line_begins_empty_after_a_long_one() {
        let mut partial = PartialLine::new(1);
        partial.push(&vec![b'x'; HEAD_BYTES + SLACK_BYTES + 1]);
        assert!(matches!(partial.take(), RawLine::Cut { .. }));
        partial.push(b"ab");
        partial.push(b"c");
        assert!(matches!(partial.take(), RawLine::Whole(bytes) if bytes == "abc"));
    }
}
