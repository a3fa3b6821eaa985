//! What stands right before a place in a file.
//!
//! The beginning of a file tells which file it is, but not that the part which was read is still
//! the one that was read. The bytes before the place tell that for almost every edit: what is
//! inserted or removed further up shifts them.

use std::io;

use xxhash_rust::xxh3::xxh3_64;

use super::identity::HEAD_BYTES;

/// How much before a place is hashed at most, in bytes.
pub(super) const BEFORE_BYTES: usize = 256;

/// The bytes before a place, at most 256 of them, so that each place behind it has its hash at
/// hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Before {
    bytes: [u8; BEFORE_BYTES],
    length: usize,
}

impl Before {
    /// Before the first byte of a file.
    pub(super) const fn empty() -> Self {
        Self {
            bytes: [0; BEFORE_BYTES],
            length: 0,
        }
    }

    /// The file goes on with `next`.
    pub(super) fn extend(&mut self, next: &[u8]) {
        *self = self.with(next);
    }

    /// What stands before the end of `next`, which follows.
    fn with(&self, next: &[u8]) -> Self {
        let mut joined = Self::empty();
        let new = next.len().min(BEFORE_BYTES);
        let old = self.length.min(BEFORE_BYTES - new);
        let kept = self.bytes.get(self.length - old..self.length);
        let added = next.get(next.len() - new..);
        let parts = kept.into_iter().chain(added).flatten();
        for (to, from) in joined.bytes.iter_mut().zip(parts) {
            *to = *from;
        }
        joined.length = old + new;
        joined
    }

    /// The hash of the place at `byte`, when the first bytes behind this one are `next`.
    pub(super) fn hash_behind(&self, next: &[u8], byte: u64) -> Option<u64> {
        if !is_hashed(byte) {
            return None;
        }
        let whole = next.len().checked_sub(BEFORE_BYTES);
        match whole.and_then(|begin| next.get(begin..)) {
            Some(window) => Some(xxh3_64(window)),
            None => Some(self.with(next).hash()),
        }
    }

    /// The hash of the place at `byte`, which is the one right behind these bytes.
    pub(super) fn hash_at(&self, byte: u64) -> Option<u64> {
        self.hash_behind(&[], byte)
    }

    fn hash(&self) -> u64 {
        xxh3_64(self.bytes.get(..self.length).unwrap_or(&self.bytes))
    }

    /// Reads what stands before `byte`; `read_at` fills a buffer from a byte on, and tells how much
    /// of it there was.
    pub(super) fn read(
        byte: u64,
        read_at: impl FnOnce(&mut [u8], u64) -> io::Result<usize>,
    ) -> io::Result<Self> {
        let mut before = Self::empty();
        let begin = byte.saturating_sub(BEFORE_BYTES as u64);
        let wanted = usize::try_from(byte - begin).unwrap_or(BEFORE_BYTES);
        before.length = match before.bytes.get_mut(..wanted) {
            Some(buffer) => read_at(buffer, begin)?,
            None => 0,
        };
        Ok(before)
    }
}

/// Whether the place at `byte` has a hash of what stands before it: up to here the identity of the
/// file covers all of that.
fn is_hashed(byte: u64) -> bool {
    byte > u64::from(HEAD_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Vec<u8> {
        (0..9000_u32)
            .map(|at| at.wrapping_mul(0x9e37_79b9).to_be_bytes()[0])
            .collect()
    }

    #[test]
    fn the_hash_is_that_of_the_256_bytes_before_in_any_blocks() {
        let content = content();
        for block in [1, 100, 255, 256, 257, 5000] {
            let mut before = Before::empty();
            let mut begin = 0;
            for next in content.chunks(block) {
                for length in [1, next.len() / 2, next.len()] {
                    let byte = begin + length;
                    let hash = before.hash_behind(&next[..length], byte as u64);
                    let expected = (byte > 4096).then(|| xxh3_64(&content[byte - 256..byte]));
                    assert_eq!(hash, expected, "{block} {byte}");
                }
                before.extend(next);
                begin += next.len();
                assert_eq!(
                    before.hash_at(begin as u64),
                    (begin > 4096).then(|| xxh3_64(&content[begin - 256..begin]))
                );
            }
        }
    }

    /// The vector that the specification of XXH3 gives for no bytes.
    #[test]
    fn the_hash_is_the_specified_one() {
        assert_eq!(Before::empty().hash(), 0x2d06_8005_38d3_94c2);
    }
}
