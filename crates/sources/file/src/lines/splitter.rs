//! Finds the lines in a sequence of blocks.

use std::ops::Range;

use bytes::Bytes;

use super::partial::{HEAD_BYTES, PartialLine, RawLine};

/// The UTF-8 byte order mark.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The line holds a record: [`LineSplitter::record`].
    Record,
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
    /// The last line, when it crossed blocks.
    crossing: Option<Bytes>,
    /// The last record, in `crossing` or else in `block`.
    record: Range<usize>,
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
            crossing: None,
            record: 0..0,
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
                self.crossing = None;
                return None;
            };
            let begin = self.byte;
            let line = if self.partial.is_empty() {
                let span = self.at..self.at + length;
                self.byte += length as u64 + 1;
                self.at = span.end + 1;
                self.crossing = None;
                self.pass(span, begin)
            } else {
                self.partial.push(rest.get(..length).unwrap_or_default());
                self.at += length + 1;
                let line = self.pass_partial();
                self.byte += 1;
                line
            };
            if line.is_some() {
                return line;
            }
        }
    }

    /// What stands behind the last line end, when it is not blank. Only after
    /// [`Self::next_line`] has given nothing.
    pub(crate) fn unterminated(&mut self) -> Option<Line> {
        if self.partial.is_empty() {
            return None;
        }
        self.pass_partial()
    }

    /// The record of the last [`Line::Record`], without line end and byte order mark.
    pub(crate) fn record(&self) -> Bytes {
        let holder = self.crossing.as_ref().unwrap_or(&self.block);
        holder.slice(self.record.clone())
    }

    /// Counts the line that is set aside; `None` when it is blank.
    fn pass_partial(&mut self) -> Option<Line> {
        let begin = self.byte;
        match self.partial.take() {
            RawLine::Whole(line) => {
                let span = 0..line.len();
                self.byte += line.len() as u64;
                self.crossing = Some(line);
                self.pass(span, begin)
            }
            RawLine::Cut { head, length, last } => {
                self.byte += length;
                self.pass_cut(head, length, last, begin)
            }
        }
    }

    /// Counts the line that began at byte `begin` and stands at `span` of what holds it; `None`
    /// when it is blank.
    fn pass(&mut self, mut span: Range<usize>, begin: u64) -> Option<Line> {
        let holder = self.crossing.as_ref().unwrap_or(&self.block);
        let mut record = holder.get(span.clone()).unwrap_or_default();
        if begin == 0 && record.starts_with(BYTE_ORDER_MARK) {
            span.start += BYTE_ORDER_MARK.len();
        }
        if record.last() == Some(&b'\r') {
            span.end -= 1;
        }
        record = holder.get(span.clone()).unwrap_or_default();
        let is_too_long = record.len() > self.max_record_bytes;
        if self.is_remainder {
            self.is_remainder = false;
            // The first byte was consumed before; none is there when that was the line feed.
            let rest = record.get(1..).unwrap_or_default();
            return (is_too_long || !is_blank(rest)).then(|| Line::Remainder(head_of(rest)));
        }
        self.line += 1;
        if is_too_long {
            return Some(Line::TooLong {
                head: head_of(record),
                length: record.len() as u64,
            });
        }
        self.record = span;
        (!is_blank(record)).then_some(Line::Record)
    }

    /// As [`Self::pass`], for a line that was not kept whole.
    fn pass_cut(&mut self, head: Bytes, length: u64, last: u8, begin: u64) -> Option<Line> {
        if self.is_remainder {
            self.is_remainder = false;
            return Some(Line::Remainder(head_of(head.get(1..).unwrap_or_default())));
        }
        self.line += 1;
        let has_mark = begin == 0 && head.starts_with(BYTE_ORDER_MARK);
        let skip = if has_mark { BYTE_ORDER_MARK.len() } else { 0 };
        Some(Line::TooLong {
            head: head_of(head.get(skip..).unwrap_or_default()),
            length: length - skip as u64 - u64::from(last == b'\r'),
        })
    }
}

/// The beginning of `bytes`, as a copy: a kept dead letter must not keep the whole line.
fn head_of(bytes: &[u8]) -> Bytes {
    Bytes::copy_from_slice(bytes.get(..HEAD_BYTES).unwrap_or(bytes))
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}
