//! A place in a file of lines, or in several.

use std::cmp::Ordering;
use std::fmt::{self, Write};
use std::sync::Arc;

use projectionist_core::{Error, Position, Result};

use super::FileIdentity;
use super::passed::PatternFile;

/// A place in a file of lines, written `byte:line:length-hash`, then `:before` behind the first
/// 4096 bytes, then `;generation` behind a rotation, or `;generation;passed;name` in one of several
/// files.
///
/// A place has one text: what stands before the first `;` is computed from the bytes before
/// [`byte`](Self::byte) alone, which are consumed and which appending does not change; the rest from
/// the files that the lane has left behind. So however far the file has grown when it is read, the
/// text is the same, and it can serve as the key of what was read there.
///
/// Positions are equal and ordered by the generation, then by the byte. Within one lane these
/// decide the rest; whether the file is the right one is decided when it is opened, not when
/// positions are compared.
#[derive(Clone, Debug)]
pub struct FilePosition {
    /// The first byte that is not consumed yet.
    pub byte: u64,
    /// The lines passed, blank ones included.
    pub line: u64,
    /// The file that is meant: what it begins with, as far as it was consumed. It covers the first
    /// `byte` bytes, at most 4096. One that covers more, which stored offsets may have, is compared
    /// as it is.
    pub head: FileIdentity,
    /// The XXH3 of the 256 bytes before `byte`; `None` up to byte 4096, where `head` covers them,
    /// and in offsets of earlier builds.
    pub before: Option<u64>,
    /// How many files the lane has left behind: rotated ones of the same path, or earlier ones of
    /// the same pattern.
    pub generation: u32,
    /// Which file of a pattern it is.
    pub(super) file: Option<Arc<PatternFile>>,
}

impl FilePosition {
    /// Before the first byte of a file that is not known yet.
    pub(super) const fn start(head: FileIdentity) -> Self {
        Self {
            byte: 0,
            line: 0,
            head,
            before: None,
            generation: 0,
            file: None,
        }
    }

    /// The name of the file; `None` where the source names a single path.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(|file| &*file.name)
    }
}

impl PartialEq for FilePosition {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for FilePosition {}

impl PartialOrd for FilePosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FilePosition {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.generation, self.byte).cmp(&(other.generation, other.byte))
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            byte, line, head, ..
        } = self;
        write!(f, "{byte}:{line}:{head}")?;
        if let Some(before) = self.before {
            write!(f, ":{before:016x}")?;
        }
        match &self.file {
            Some(file) => write!(f, ";{};{file}", self.generation),
            None if self.generation > 0 => write!(f, ";{}", self.generation),
            None => Ok(()),
        }
    }
}

impl Position for FilePosition {
    const MANIFEST: &'static str = "file";

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
                reason: "it must be BYTE:LINE:LENGTH-HASH, the length at most 4096 and the hash \
                         of 32 lower-case hexadecimal digits; then :BEFORE of 16 such digits, \
                         ;GENERATION, and for a file of a pattern ;PASSED;NAME, where they belong"
                    .to_owned(),
            })
    }
}

fn parts(text: &str) -> Option<FilePosition> {
    let (place, lane) = match text.split_once(';') {
        Some((place, lane)) => (place, Some(lane)),
        None => (text, None),
    };
    let mut parts = place.splitn(4, ':');
    let mut position = FilePosition {
        byte: parts.next()?.parse().ok()?,
        line: parts.next()?.parse().ok()?,
        ..FilePosition::start(FileIdentity::parse(parts.next()?)?)
    };
    if let Some(before) = parts.next() {
        position.before = Some(u64::from_str_radix(before, 16).ok()?);
    }
    if let Some(lane) = lane {
        let (generation, file) = match lane.split_once(';') {
            Some((generation, file)) => (generation, Some(file)),
            None => (lane, None),
        };
        position.generation = generation.parse().ok()?;
        position.file = match file {
            Some(file) => Some(Arc::new(PatternFile::parse(file)?)),
            None => None,
        };
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf 'abc' | sha256sum | head -c 32`
    const ABC: &str = "3-ba7816bf8f01cfea414140de5dae2223";

    #[test]
    fn a_position_reads_back_as_written() {
        let position = FilePosition {
            byte: 1234,
            line: 56,
            ..FilePosition::start(FileIdentity::of(b"abc"))
        };
        let mut text = String::new();
        position.write_to(&mut text);
        assert_eq!(text, format!("1234:56:{ABC}"));
        let parsed = FilePosition::parse(&text).unwrap();
        assert_eq!((parsed.byte, parsed.line), (1234, 56));
        assert_eq!(parsed.head, position.head);
        assert_eq!((parsed.before, parsed.generation), (None, 0));
    }

    #[test]
    fn what_belongs_to_a_place_is_written_behind_it() {
        let text = format!("5000:6:{ABC}:00000000000000ff;7");
        let parsed = FilePosition::parse(&text).unwrap();
        assert_eq!((parsed.before, parsed.generation), (Some(255), 7));
        assert_eq!(parsed.file_name(), None);
        assert_eq!(parsed.to_string(), text);
        for (passed, name) in [("", "a.jsonl"), ("00ff1234", "b;c:d.jsonl")] {
            let text = format!("5:6:{ABC};0;{passed};{name}");
            let parsed = FilePosition::parse(&text).unwrap();
            assert_eq!(parsed.file_name(), Some(name));
            assert_eq!(parsed.to_string(), text);
        }
    }

    #[test]
    fn a_damaged_position_is_an_error() {
        for text in [
            "",
            "1",
            "1:2",
            "1:2:",
            "+1:2:3-ba7816bf8f01cfea414140de5dae2223",
            "01:2:3-ba7816bf8f01cfea414140de5dae2223",
            "1:2:3-BA7816BF8F01CFEA414140DE5DAE2223",
            "1:2:3-a7816bf8f01cfea414140de5dae2223",
            "1:2:4097-ba7816bf8f01cfea414140de5dae2223",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223:4",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223;0",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223;",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223;1;",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223;1;;",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223;1;fff;a",
            "1:2:3-ba7816bf8f01cfea414140de5dae2223:00000000000000FF",
        ] {
            let error = FilePosition::parse(text).unwrap_err();
            assert!(matches!(error, Error::OffsetCodec { .. }), "{text:?}");
        }
    }

    #[test]
    fn generation_and_byte_alone_decide_order() {
        let at = |generation, byte, line, head: &[u8]| FilePosition {
            byte,
            line,
            generation,
            ..FilePosition::start(FileIdentity::of(head))
        };
        assert!(at(0, 9, 2, b"a") < at(0, 10, 1, b"b"));
        assert!(at(0, 10, 2, b"a") < at(1, 9, 1, b"b"));
        assert_eq!(at(1, 9, 2, b"a"), at(1, 9, 3, b"ab"));
    }

    #[test]
    fn an_identity_covers_at_most_4096_bytes() {
        let long = vec![7; 5000];
        assert_eq!(
            FileIdentity::of(&long),
            FileIdentity::of(long.get(..4096).unwrap())
        );
        assert_eq!(FileIdentity::of(&long).length(), 4096);
        assert_eq!(FileIdentity::of(&vec![7; 70_000]).length(), 4096);
    }
}
