//! What positions inside of a block hold besides byte and line.

use std::sync::Arc;

use bytes::Bytes;

use super::FilePosition;
use super::before::Before;
use super::head::FileHead;
use super::passed::PatternFile;

/// What positions inside of a block hold besides byte and line.
#[derive(Debug)]
pub(super) struct FileMark {
    pub(super) head: FileHead,
    /// The bytes before the block.
    pub(super) before: Before,
    /// Where the block begins in the file.
    pub(super) begin: u64,
    pub(super) block: Bytes,
    pub(super) generation: u32,
    pub(super) file: Option<Arc<PatternFile>>,
}

impl FileMark {
    /// Before the first block.
    pub(super) fn empty() -> Self {
        Self {
            head: FileHead::empty(),
            before: Before::empty(),
            begin: 0,
            block: Bytes::new(),
            generation: 0,
            file: None,
        }
    }

    /// The position before `byte`, which stands in the block or right behind it, with `line` lines
    /// passed.
    pub(super) fn position(&self, byte: u64, line: u64) -> FilePosition {
        let passed = usize::try_from(byte.saturating_sub(self.begin)).ok();
        let passed = passed.and_then(|passed| self.block.get(..passed));
        FilePosition {
            byte,
            line,
            head: self.head.identity_at(byte),
            before: passed.and_then(|passed| self.before.hash_behind(passed, byte)),
            generation: self.generation,
            file: self.file.clone(),
        }
    }
}
