//! Finds the lines in a sequence of blocks.

use bytes::{Buf, Bytes};

use super::partial::{HEAD_BYTES, PartialLine, RawLine};

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The record of a line, without line end and byte order mark.
    Record(Bytes),
    /// The record is above the limit.
    TooLong {
        /// Its first 64 KiB.
        head: Bytes,
        /// How many bytes it has.
        length: u64,
    },
    /// What follows in a line whose beginning was already read as a record.
    Remainder(Bytes),
}

/// Finds the lines in a sequence of blocks, and counts bytes and lines.
///
/// A record is a slice of its block; only a line that crosses blocks is copied.
#[derive(Debug)]
pub(crate) struct LineSplitter {
    block: Bytes,
    /// Where the next line begins, or goes on, in `block`.
    at: usize,
    /// The beginning of the next line, when it stood in earlier blocks.
    partial: PartialLine,
    /// Where the next line begins in the source.
    byte: u64,
    /// Lines passed, blank ones included.
    line: u64,
    /// The next line was counted before; its first byte is the last one that was consumed.
    is_remainder: bool,
    max_record_bytes: usize,
}

impl LineSplitter {
    /// A splitter that has passed the first `byte` bytes and `line` lines.
    ///
    /// The first block begins at [`Self::first_byte`].
    pub(crate) fn resume(byte: u64, line: u64, max_record_bytes: usize) -> Self {
        Self {
            block: Bytes::new(),
            at: 0,
            partial: PartialLine::new(max_record_bytes),
            byte: Self::first_byte(byte),
            line,
            is_remainder: byte > 0,
            max_record_bytes,
        }
    }

    /// Where reading must begin to resume at `byte`: one byte earlier, because only that byte
    /// tells whether a line ends there. It does not when the line had no end yet.
    pub(crate) fn first_byte(byte: u64) -> u64 {
        byte.saturating_sub(1)
    }

    /// The first byte that is not consumed.
    pub(crate) fn byte(&self) -> u64 {
        self.byte
    }

    /// Lines passed, blank ones included.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Goes on with `block`, once [`Self::next_line`] has given everything of the one before.
    pub(crate) fn feed(&mut self, block: Bytes) {
        self.block = block;
        self.at = 0;
    }

    /// The next line that is not blank and whose end was read.
    pub(crate) fn next_line(&mut self) -> Option<Line> {
        loop {
            let rest = self.block.get(self.at..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else {
                self.partial.push(rest);
                // Lets go of the block: it is freed with the last of its events.
                self.feed(Bytes::new());
                return None;
            };
            let raw = if self.partial.is_empty() {
                RawLine::Whole(self.block.slice(self.at..self.at + length))
            } else {
                self.partial.push(rest.get(..length).unwrap_or_default());
                self.partial.take()
            };
            self.at += length + 1;
            let begin = self.byte;
            self.byte += raw.length() + 1;
            if let Some(line) = self.pass(raw, begin) {
                return Some(line);
            }
        }
    }

    /// What stands behind the last line end, when it is not blank. Only after
    /// [`Self::next_line`] has given nothing.
    pub(crate) fn unterminated(&mut self) -> Option<Line> {
        let raw = self.partial.take();
        if raw.length() == 0 {
            return None;
        }
        let begin = self.byte;
        self.byte += raw.length();
        self.pass(raw, begin)
    }

    /// Counts a line that began at `begin`; `None` when it is blank.
    fn pass(&mut self, raw: RawLine, begin: u64) -> Option<Line> {
        if self.is_remainder {
            self.is_remainder = false;
            return self.remainder(raw);
        }
        self.line += 1;
        match raw {
            RawLine::Whole(mut bytes) => {
                if begin == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
                    bytes.advance(BYTE_ORDER_MARK.len());
                }
                if bytes.last() == Some(&b'\r') {
                    bytes.truncate(bytes.len() - 1);
                }
                if bytes.len() > self.max_record_bytes {
                    let length = bytes.len() as u64;
                    return Some(too_long(&bytes, length));
                }
                (!is_blank(&bytes)).then_some(Line::Record(bytes))
            }
            RawLine::Cut {
                mut head,
                mut length,
                last,
            } => {
                if begin == 0 && head.starts_with(BYTE_ORDER_MARK) {
                    head.advance(BYTE_ORDER_MARK.len());
                    length -= BYTE_ORDER_MARK.len() as u64;
                }
                Some(too_long(&head, length - u64::from(last == b'\r')))
            }
        }
    }

    /// What follows the first byte, which was consumed before; `None` when it is blank.
    fn remainder(&self, raw: RawLine) -> Option<Line> {
        let (RawLine::Whole(mut bytes) | RawLine::Cut { head: mut bytes, .. }) = raw;
        // An empty line: the byte that was consumed before is its line feed.
        if bytes.is_empty() {
            return None;
        }
        bytes.advance(1);
        if bytes.len() <= self.max_record_bytes && is_blank(&bytes) {
            return None;
        }
        bytes.truncate(HEAD_BYTES);
        Some(Line::Remainder(bytes))
    }
}

fn too_long(beginning: &[u8], length: u64) -> Line {
    // A copy, so that a kept dead letter does not keep the whole line.
    let head = beginning.get(..HEAD_BYTES).unwrap_or(beginning);
    Line::TooLong {
        head: Bytes::copy_from_slice(head),
        length,
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}
