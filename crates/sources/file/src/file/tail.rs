//! Reads the files of a lane block by block. Everything here blocks.

use projectionist_core::Result;
use projectionist_core::contract::Mode;

use super::FilePosition;
use super::mark::FileMark;
use super::opened::{OpenFile, Read};
use super::series::{Begin, Series};
use crate::lines::Block;

/// What a step of reading gave.
pub(super) enum Step {
    /// The next bytes; `is_last` when they reached the end that the file had then.
    Read {
        block: Box<Block<FileMark>>,
        is_last: bool,
    },
    /// There is nothing behind what was read, for now.
    AtEnd,
    /// There is no file, for now.
    Missing,
}

/// Reads the files of a lane block by block, one after the other.
pub(super) struct FileTail {
    series: Box<dyn Series>,
    from: Option<FilePosition>,
    mode: Mode,
    block_bytes: u64,
    open: Option<Box<OpenFile>>,
}

impl FileTail {
    /// Reads what follows `from` in the files of `series`.
    pub(super) fn new(
        series: Box<dyn Series>,
        from: Option<FilePosition>,
        mode: Mode,
        block_bytes: usize,
    ) -> Self {
        Self {
            series,
            from,
            mode,
            block_bytes: block_bytes as u64,
            open: None,
        }
    }

    /// What is read, for people.
    pub(super) fn name(&self) -> &std::path::Path {
        self.series.name()
    }

    /// Opens the first file unless one is open; `false` when there is none.
    pub(super) fn open(&mut self) -> Result<bool> {
        if self.open.is_some() {
            return Ok(true);
        }
        Ok(match self.series.begin(self.from.as_ref(), self.mode)? {
            Begin::With(open) => {
                self.open = Some(open);
                true
            }
            Begin::Empty => true,
            Begin::Missing => false,
        })
    }

    /// The next block.
    pub(super) fn step(&mut self) -> Result<Step> {
        if !self.open()? {
            return Ok(Step::Missing);
        }
        if let Some(step) = self.read()? {
            return Ok(step);
        }
        let Some(open) = &self.open else {
            return Ok(Step::AtEnd);
        };
        let Some(next) = self.series.after(open, self.mode)? else {
            return Ok(Step::AtEnd);
        };
        // Once there is something in the next file nothing more comes to this one; but something
        // may have come between the read above and then.
        match self.read()? {
            Some(step) => Ok(step),
            None => self.go_on_with(next),
        }
    }

    /// The next block of the open file; `None` at its end.
    fn read(&mut self) -> Result<Option<Step>> {
        while let Some(open) = &mut self.open {
            match open.read(self.block_bytes)? {
                Read::Bytes { bytes, is_last } => {
                    let mark = open.pass(&bytes);
                    let block = Box::new(Block {
                        bytes,
                        mark,
                        begins_file: false,
                    });
                    return Ok(Some(Step::Read { block, is_last }));
                }
                Read::End => return Ok(None),
                Read::Changed(mismatch) => **open = self.series.in_place_of(open, mismatch)?,
            }
        }
        Ok(None)
    }

    /// Leaves the open file for the next one, with its first block: an empty file is not entered,
    /// because it could be filled, copied and emptied before it is looked at again.
    fn go_on_with(&mut self, mut next: OpenFile) -> Result<Step> {
        let Some(open) = &self.open else {
            return Ok(Step::AtEnd);
        };
        let Read::Bytes { bytes, is_last } = next.read(self.block_bytes)? else {
            return Ok(Step::AtEnd);
        };
        self.series.leave(open, &mut next)?;
        tracing::info!(
            "{}: read to its end, byte {}; going on with {}",
            open.path().display(),
            open.read_bytes(),
            next.path().display(),
        );
        let mark = next.pass(&bytes);
        self.open = Some(Box::new(next));
        let block = Box::new(Block {
            bytes,
            mark,
            begins_file: true,
        });
        Ok(Step::Read { block, is_last })
    }
}
