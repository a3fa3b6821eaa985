//! Where blocks of bytes come from.

use std::task::{Context, Poll};

use bytes::Bytes;
use projectionist_core::{Position, Result};

/// What was read at once.
#[derive(Debug)]
pub(crate) struct Block<M> {
    /// The bytes; never empty.
    pub(crate) bytes: Bytes,
    /// What positions inside this block hold besides byte and line.
    pub(crate) mark: M,
    /// Another file begins with it: what is left of the one before is a whole line, and bytes and
    /// lines are counted anew.
    pub(crate) begins_file: bool,
}

/// What becomes of a last line that has no line end.
#[derive(Clone, Debug)]
pub(crate) enum LastLine {
    /// It is complete: nothing can follow.
    Complete,
    /// It may be half written. It is delivered when it decodes, and otherwise left for the next
    /// run of what is named here.
    MayGrow(String),
}

/// Gives one block after the other.
pub(crate) trait BlockSource: Send + 'static {
    /// The position behind a line.
    type Position: Position;
    /// What positions hold besides byte and line.
    type Mark: Send;

    /// The next block; `None` at the end, after which this is not called again, as it is not
    /// after an error.
    fn poll_block(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Block<Self::Mark>>>>;

    /// The position before `byte`, with `line` lines passed.
    fn position(mark: &Self::Mark, byte: u64, line: u64) -> Self::Position;

    /// The name of the file, where there are several.
    fn file_name(mark: &Self::Mark) -> Option<&str> {
        let _ = mark;
        None
    }

    /// What becomes of a last line that has no line end.
    fn last_line(&self) -> LastLine;
}
