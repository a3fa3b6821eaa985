//! Which file is read first, and which one comes after it.

use std::path::Path;

use projectionist_core::Result;
use projectionist_core::contract::Mode;

use super::FilePosition;
use super::anchor::Mismatch;
use super::opened::OpenFile;
use crate::fault::Fault;

/// Where reading begins.
pub(super) enum Begin {
    /// In this file.
    With(Box<OpenFile>),
    /// Nowhere yet: what is there is empty.
    Empty,
    /// Nowhere yet: there is no file.
    Missing,
}

/// The files of one lane, in their order. Everything here blocks.
pub(super) trait Series: Send {
    /// What is named: a path or a pattern.
    fn name(&self) -> &Path;

    /// The file to begin with, behind `from`. Asked again while there is none.
    fn begin(&mut self, from: Option<&FilePosition>, mode: Mode) -> Result<Begin>;

    /// The file that comes after `open`, which was read to its present end: one that is not empty,
    /// at its beginning. `None` while there is none.
    ///
    /// Whoever writes one file after the other has stopped writing to `open` once there is one.
    fn after(&mut self, open: &OpenFile, mode: Mode) -> Result<Option<OpenFile>>;

    /// Goes from `open`, of which nothing is left to read, to the file that comes after it.
    fn leave(&mut self, open: &OpenFile, next: &mut OpenFile) -> Result<()>;

    /// The file that holds what was read of `open`, which no longer does.
    fn in_place_of(&mut self, open: &OpenFile, mismatch: Mismatch) -> Result<OpenFile>;

    /// How many bytes stand in the files after `open`; `None` when that cannot be told.
    fn bytes_after(&mut self, open: &OpenFile) -> Result<Option<u64>>;
}

/// An error when a file that is to be followed is compressed.
pub(super) fn refuse_packed(open: &OpenFile, mode: Mode) -> Result<()> {
    match (open.packing(), mode) {
        (Some(packing), Mode::Live) => {
            let path = open.path().to_owned();
            Err(Fault::Compressed { path, packing }.into_error(open.path().display()))
        }
        _ => Ok(()),
    }
}
