//! A place in a file of lines.

use std::cmp::Ordering;
use std::fmt::{self, Write};

use projectionist_core::{Error, Position, Result};

use super::FileIdentity;

/// A place in a file of lines, written `byte:line:length-hash`.
///
/// A place has one text: every part of it is computed from the bytes before [`byte`](Self::byte)
/// alone, which are consumed and which appending does not change. So however far the file has grown
/// when it is read, the text is the same, and it can serve as the key of what was read there.
///
/// Positions are equal and ordered by the byte alone. Within one file it decides the rest; whether
/// the file is the right one is decided when it is opened, not when positions are compared.
#[derive(Clone, Copy, Debug)]
pub struct FilePosition {
    /// The first byte that is not consumed yet.
    pub byte: u64,
    /// The lines passed, blank ones included.
    pub line: u64,
    /// The file that is meant: what it begins with, as far as it was consumed. It covers the first
    /// `byte` bytes, at most 4096. One that covers more, which stored offsets may have, is compared
    /// as it is.
    pub head: FileIdentity,
}

impl FilePosition {
    /// Before the first byte of a file that is not known yet.
    pub(super) const fn start(head: FileIdentity) -> Self {
        Self {
            byte: 0,
            line: 0,
            head,
        }
    }
}

impl PartialEq for FilePosition {
    fn eq(&self, other: &Self) -> bool {
        self.byte == other.byte
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
        self.byte.cmp(&other.byte)
    }
}

impl fmt::Display for FilePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { byte, line, head } = self;
        write!(f, "{byte}:{line}:{head}")
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
                         of 32 lower-case hexadecimal digits"
                    .to_owned(),
            })
    }
}

fn parts(text: &str) -> Option<FilePosition> {
    let mut parts = text.splitn(3, ':');
    Some(FilePosition {
        byte: parts.next()?.parse().ok()?,
        line: parts.next()?.parse().ok()?,
        head: FileIdentity::parse(parts.next()?)?,
    })
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
            head: FileIdentity::of(b"abc"),
        };
        let mut text = String::new();
        position.write_to(&mut text);
        assert_eq!(text, format!("1234:56:{ABC}"));
        let parsed = FilePosition::parse(&text).unwrap();
        assert_eq!((parsed.byte, parsed.line), (1234, 56));
        assert_eq!(parsed.head, position.head);
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
        ] {
            let error = FilePosition::parse(text).unwrap_err();
            assert!(matches!(error, Error::OffsetCodec { .. }), "{text:?}");
        }
    }

    #[test]
    fn the_byte_alone_decides_order() {
        let at = |byte, line, head: &[u8]| FilePosition {
            byte,
            line,
            head: FileIdentity::of(head),
        };
        assert!(at(9, 2, b"a") < at(10, 1, b"b"));
        assert_eq!(at(9, 2, b"a"), at(9, 3, b"ab"));
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
