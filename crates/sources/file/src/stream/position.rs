//! A place in a stream that is read once.

use std::cmp::Ordering;
use std::fmt::{self, Write};

use projectionist_core::{Error, Position, Result};

/// A place in a stream that is read once, written `run:byte:line`.
///
/// Positions are equal and ordered by (`run`, `byte`); within one stream the byte decides the
/// line.
#[derive(Clone, Copy, Debug)]
pub struct StreamPosition {
    /// Which stream: the Unix milliseconds at which its source was made, or more where needed to
    /// be above the run before.
    pub run: i64,
    /// The first byte that is not consumed yet.
    pub byte: u64,
    /// The lines passed, blank ones included.
    pub line: u64,
}

impl PartialEq for StreamPosition {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for StreamPosition {}

impl PartialOrd for StreamPosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for StreamPosition {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.run, self.byte).cmp(&(other.run, other.byte))
    }
}

impl fmt::Display for StreamPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { run, byte, line } = self;
        write!(f, "{run}:{byte}:{line}")
    }
}

impl Position for StreamPosition {
    const MANIFEST: &'static str = "stream";

    fn write_to(&self, out: &mut String) {
        // Writing to a string cannot fail.
        let _ = write!(out, "{self}");
    }

    fn parse(text: &str) -> Result<Self> {
        parts(text)
            .filter(|position| position.to_string() == text)
            .ok_or_else(|| Error::OffsetCodec {
                manifest: Self::MANIFEST,
                text: text.to_owned(),
                reason: "it must be RUN:BYTE:LINE, three numbers".to_owned(),
            })
    }
}

fn parts(text: &str) -> Option<StreamPosition> {
    let mut parts = text.splitn(3, ':');
    Some(StreamPosition {
        run: parts.next()?.parse().ok()?,
        byte: parts.next()?.parse().ok()?,
        line: parts.next()?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(run: i64, byte: u64, line: u64) -> StreamPosition {
        StreamPosition { run, byte, line }
    }

    #[test]
    fn a_position_reads_back_as_written() {
        let mut text = String::new();
        at(-5, 10, 2).write_to(&mut text);
        assert_eq!(text, "-5:10:2");
        let parsed = StreamPosition::parse(&text).unwrap();
        assert_eq!((parsed.run, parsed.byte, parsed.line), (-5, 10, 2));
    }

    #[test]
    fn a_damaged_position_is_an_error() {
        for text in ["", "1:2", "1:2:3:4", "1:-2:3", "01:2:3", "1:2:3 "] {
            assert!(StreamPosition::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_later_run_is_behind_every_byte_of_an_earlier_one() {
        assert!(at(1, 1000, 10) < at(2, 1, 1));
        assert!(at(2, 1, 9) < at(2, 2, 1));
    }
}
