//! Reads a file block by block. Everything here blocks.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use projectionist_core::contract::Mode;
use projectionist_core::{Error, Result};

use super::head::FileHead;
use super::{FileIdentity, FilePosition};
use crate::fault::{Fault, file_error};
use crate::lines::{Block, LineSplitter};

/// What a step of reading gave.
pub(super) enum Step {
    /// The next bytes; `is_last` when they reached the end that the file had then.
    Read {
        block: Block<FileHead>,
        is_last: bool,
    },
    /// There is nothing behind what was read, for now.
    AtEnd,
    /// There is no file, for now.
    Missing,
}

/// Reads a file block by block and sees to it that it stays the same file.
pub(super) struct FileTail {
    path: Arc<Path>,
    from: Option<FilePosition>,
    mode: Mode,
    block_bytes: u64,
    open: Option<OpenFile>,
}

struct OpenFile {
    file: File,
    device: u64,
    inode: u64,
    /// What was read, in bytes from the beginning of the file.
    read: u64,
    /// The beginning of what was read.
    head: FileHead,
    /// The last step found nothing more.
    was_at_end: bool,
}

impl FileTail {
    /// Reads what follows `from` in the file at `path`.
    pub(super) fn new(
        path: Arc<Path>,
        from: Option<FilePosition>,
        mode: Mode,
        block_bytes: usize,
    ) -> Self {
        Self {
            path,
            from,
            mode,
            block_bytes: block_bytes as u64,
            open: None,
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file unless it is open; `false` when there is none.
    pub(super) fn open(&mut self) -> Result<bool> {
        if self.open.is_none() {
            self.open = open_file(&self.path, self.from)?;
        }
        Ok(self.open.is_some())
    }

    /// The next block.
    pub(super) fn step(&mut self) -> Result<Step> {
        if !self.open()? {
            return Ok(Step::Missing);
        }
        let Some(open) = &mut self.open else {
            return Ok(Step::Missing);
        };
        let read_before = open.read;
        if let Some((bytes, is_last)) = open.read(&self.path, self.block_bytes)? {
            // Behind a pause the file may have been written anew.
            if open.was_at_end {
                open.verify(&self.path, read_before)?;
            }
            open.was_at_end = false;
            open.head.extend(&bytes);
            let block = Block {
                bytes,
                mark: open.head.clone(),
            };
            return Ok(Step::Read { block, is_last });
        }
        open.was_at_end = true;
        if self.mode == Mode::Live {
            open.check_path(&self.path)?;
        }
        Ok(Step::AtEnd)
    }
}

impl OpenFile {
    /// The next bytes and whether they reach to the end; `None` at the end.
    fn read(&mut self, path: &Path, block_bytes: u64) -> Result<Option<(Bytes, bool)>> {
        let length = self.length(path)?;
        // No larger than what is there: an event keeps its block alive.
        let wanted = block_bytes.min(length - self.read);
        let mut block = Vec::with_capacity(usize::try_from(wanted).unwrap_or_default());
        (&self.file)
            .take(wanted)
            .read_to_end(&mut block)
            .map_err(|error| file_error(path.display(), error))?;
        if block.is_empty() {
            // The file may have been cut since its length was asked: that is no end.
            self.length(path)?;
            return Ok(None);
        }
        self.read += block.len() as u64;
        Ok(Some((block.into(), self.read >= length)))
    }

    /// The length of the file now; an error when it is below what was read.
    fn length(&self, path: &Path) -> Result<u64> {
        let about = self.file.metadata();
        let length = about
            .map_err(|error| file_error(path.display(), error))?
            .len();
        if length >= self.read {
            return Ok(length);
        }
        let fault = Fault::Truncated {
            path: path.to_owned(),
            length,
            read: self.read,
        };
        Err(fault.into_error(path.display()))
    }

    /// An error when the file no longer begins with what was read of it, up to byte `read_before`.
    fn verify(&self, path: &Path, read_before: u64) -> Result<()> {
        let known = self.head.bytes().len() as u64;
        let now =
            FileHead::read(&self.file, known).map_err(|error| file_error(path.display(), error))?;
        if now == self.head {
            return Ok(());
        }
        Err(replaced(path, known, read_before))
    }

    /// An error when the path names another file than this one.
    fn check_path(&self, path: &Path) -> Result<()> {
        let gone = match fs::metadata(path) {
            Ok(found) if (found.dev(), found.ino()) == (self.device, self.inode) => return Ok(()),
            Ok(_) => false,
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) => return Err(file_error(path.display(), error)),
        };
        let fault = Fault::Moved {
            path: path.to_owned(),
            gone,
            byte: self.read,
        };
        Err(fault.into_error(path.display()))
    }
}

/// Opens the file at `path` behind `from`; `None` when there is none.
fn open_file(path: &Path, from: Option<FilePosition>) -> Result<Option<OpenFile>> {
    let fail = |error| file_error(path.display(), error);
    let Some(mut file) = open_regular(path)? else {
        return Ok(None);
    };
    let about = file.metadata().map_err(fail)?;
    let from = from.unwrap_or(FilePosition::start(FileIdentity::unknown()));
    let known = from.byte.max(from.head.length());
    if about.len() < known {
        let fault = Fault::Truncated {
            path: path.to_owned(),
            length: about.len(),
            read: known,
        };
        return Err(fault.into_error(path.display()));
    }
    let read = LineSplitter::first_byte(from.byte);
    let present = FileHead::read(&file, known).map_err(fail)?;
    let is_same = from.head.is_of(present.bytes());
    let Some(head) = present.cut(read).filter(|_| is_same) else {
        return Err(replaced(path, from.head.length(), from.byte));
    };
    file.seek(SeekFrom::Start(read)).map_err(fail)?;
    Ok(Some(OpenFile {
        file,
        device: about.dev(),
        inode: about.ino(),
        read,
        head,
        was_at_end: false,
    }))
}

fn replaced(path: &Path, compared: u64, byte: u64) -> Error {
    let fault = Fault::Replaced {
        path: path.to_owned(),
        compared,
        byte,
    };
    fault.into_error(path.display())
}

/// Opens the regular file at `path`; `None` when there is none.
pub(super) fn open_regular(path: &Path) -> Result<Option<File>> {
    // Asked before it is opened, because opening a pipe waits for its writer.
    let opened = fs::metadata(path).and_then(|about| {
        if about.is_file() {
            File::open(path).map(Some)
        } else {
            Ok(None)
        }
    });
    match opened {
        Ok(Some(file)) => Ok(Some(file)),
        Ok(None) => {
            let fault = Fault::NotRegular {
                path: path.to_owned(),
            };
            Err(fault.into_error(path.display()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error(path.display(), error)),
    }
}
