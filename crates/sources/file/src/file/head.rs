//! What is kept of a file's beginning while the file is read.

use std::fs::File;
use std::io;

use bytes::Bytes;

use super::FileIdentity;
use super::content::read_at;
use super::identity::HEAD_BYTES;

/// The first bytes of a file as they were consumed, at most 4096 of them.
///
/// It gives every position its identity without asking the file again, which may have grown or
/// changed since. A clone shares the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileHead {
    bytes: Bytes,
    /// Of all `bytes`: what every position behind them has.
    identity: FileIdentity,
}

impl FileHead {
    /// Before the first byte.
    pub(super) fn empty() -> Self {
        Self::of(Vec::new())
    }

    fn of(bytes: Vec<u8>) -> Self {
        Self {
            identity: FileIdentity::of(&bytes),
            bytes: bytes.into(),
        }
    }

    /// Reads the first `length` bytes of `file`, at most 4096, and fewer when it is shorter.
    pub(super) fn read(file: &File, length: u64) -> io::Result<Self> {
        let mut bytes = vec![0; covered(length)];
        let filled = read_at(file, &mut bytes, 0)?;
        bytes.truncate(filled);
        Ok(Self::of(bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The identity of a file that begins with these bytes.
    pub(super) fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// The file goes on with `next`, which counts until the head is full.
    pub(super) fn extend(&mut self, next: &[u8]) {
        let missing = usize::from(HEAD_BYTES).saturating_sub(self.bytes.len());
        let next = next.get(..missing).unwrap_or(next);
        if !next.is_empty() {
            *self = Self::of([&self.bytes, next].concat());
        }
    }

    /// The identity in the position before `byte`, which must have been consumed.
    ///
    /// Hashes only below byte 4096, so that a long file pays nothing for each of its lines.
    pub(super) fn identity_at(&self, byte: u64) -> FileIdentity {
        match self.bytes.get(..covered(byte)) {
            Some(before) if before.len() < self.bytes.len() => FileIdentity::of(before),
            _ => self.identity,
        }
    }
}

/// How many of the first `byte` bytes of a file its identity covers.
fn covered(byte: u64) -> usize {
    u16::try_from(byte)
        .map_or(HEAD_BYTES, |byte| byte.min(HEAD_BYTES))
        .into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    fn content() -> Vec<u8> {
        (0..5000_u16).map(|at| at.to_le_bytes()[0]).collect()
    }

    #[test]
    fn the_identity_at_a_byte_covers_what_stands_before_it_and_at_most_4096_bytes() {
        let content = content();
        for chunk in [97, 4095, 4096, 4097, 5000] {
            let mut head = FileHead::empty();
            let mut read = 0;
            for next in content.chunks(chunk) {
                head.extend(next);
                read += next.len();
                for byte in [read - next.len(), read - next.len() / 2, read] {
                    let expected = FileIdentity::of(&content[..byte.min(4096)]);
                    assert_eq!(head.identity_at(byte as u64), expected, "{chunk} {byte}");
                }
            }
        }
    }

    #[test]
    fn a_head_is_read_as_far_as_the_file_goes() {
        let content = content();
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&content[..10], 0).unwrap();
        assert_eq!(FileHead::read(&file, 4).unwrap().bytes(), &content[..4]);
        assert_eq!(FileHead::read(&file, 99).unwrap().bytes(), &content[..10]);
        file.write_all_at(&content, 0).unwrap();
        let all = FileHead::read(&file, 5000).unwrap();
        assert_eq!(all.bytes(), &content[..4096]);
    }
}
