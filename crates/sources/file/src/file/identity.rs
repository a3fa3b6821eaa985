//! Tells whether a file is the one that was read before.

use std::fmt::{self, Write};

use sha2::{Digest, Sha256};

/// How much of a file's beginning is hashed at most, in bytes.
pub(super) const HEAD_BYTES: u16 = 4096;

/// What a file begins with: the first 128 bits of the SHA-256 of its first `length` bytes.
///
/// Whatever is appended to the file, it still begins so; a file that is written anew does not. With
/// a length of zero it matches every file.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    length: u16,
    hash: [u8; 16],
}

impl FileIdentity {
    /// The identity of an empty file, which matches every file.
    #[must_use]
    pub fn unknown() -> Self {
        Self::of(&[])
    }

    /// The identity of a file that begins with `head`; of it at most 4096 bytes count.
    #[must_use]
    pub fn of(head: &[u8]) -> Self {
        let length = u16::try_from(head.len()).map_or(HEAD_BYTES, |length| length.min(HEAD_BYTES));
        let digest = Sha256::digest(head.get(..usize::from(length)).unwrap_or(head));
        let mut hash = [0; 16];
        for (to, from) in hash.iter_mut().zip(digest) {
            *to = from;
        }
        Self { length, hash }
    }

    /// How many bytes from the beginning of the file are hashed, at most 4096.
    #[must_use]
    pub fn length(&self) -> u64 {
        u64::from(self.length)
    }

    /// The first 128 bits of their SHA-256.
    #[must_use]
    pub fn hash(&self) -> [u8; 16] {
        self.hash
    }

    /// Whether a file that begins with `head` has this identity. It does not when `head` is shorter
    /// than what is hashed.
    pub(super) fn is_of(self, head: &[u8]) -> bool {
        head.get(..usize::from(self.length))
            .is_some_and(|covered| Self::of(covered) == self)
    }

    /// Reads what [`fmt::Display`] writes; `None` when it is something else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (length, digits) = text.split_once('-')?;
        let length = length.parse().ok().filter(|length| *length <= HEAD_BYTES)?;
        let bits = u128::from_str_radix(digits, 16).ok()?;
        Some(Self {
            length,
            hash: bits.to_be_bytes(),
        })
    }
}

/// `length-hash`, the hash as 32 hexadecimal digits.
impl fmt::Display for FileIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { length, hash } = self;
        write!(f, "{length}-{:032x}", u128::from_be_bytes(*hash))
    }
}

impl fmt::Debug for FileIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileIdentity(")?;
        fmt::Display::fmt(self, f)?;
        f.write_char(')')
    }
}
