//! A file that is open and read up to some byte. Everything here blocks.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use projectionist_core::Result;

use super::anchor::{Anchor, FileId, Mismatch};
use super::before::Before;
use super::content::{Content, Packing, read_at};
use super::head::FileHead;
use super::identity::HEAD_BYTES;
use super::mark::FileMark;
use super::passed::PatternFile;
use super::{FileIdentity, FilePosition};
use crate::fault::{Fault, file_error};
use crate::lines::LineSplitter;

/// What was read of a file.
pub(super) enum Read {
    /// The next bytes; `is_last` when they reached the end that the file had then.
    Bytes { bytes: Bytes, is_last: bool },
    /// There is nothing more, for now.
    End,
    /// The file is no longer the one that was read.
    Changed(Mismatch),
}

/// A file that is open and read up to some byte.
pub(super) struct OpenFile {
    path: PathBuf,
    file_handle: File,
    content: Content,
    id: FileId,
    /// What was read, in bytes from the beginning of the content.
    read: u64,
    /// The beginning of what was read; while that is nothing, what the file began with when it was
    /// opened, so that it is missed when it is cut before it is read.
    head: FileHead,
    /// The end of what was read.
    before: Before,
    /// How many files were left behind.
    pub(super) generation: u32,
    /// Which file of a pattern it is.
    pub(super) file: Option<Arc<PatternFile>>,
}

impl OpenFile {
    /// Opens the file at `path` at its beginning; `None` when there is none.
    pub(super) fn start(path: &Path) -> Result<Option<Self>> {
        // Everything matches this anchor.
        Ok(Self::at(path, Anchor::anything(), 0)?.and_then(std::result::Result::ok))
    }

    /// Opens the file at `path` so that lines go on behind `position`; `None` when there is none.
    pub(super) fn behind(
        path: &Path,
        position: &FilePosition,
    ) -> Result<Option<std::result::Result<Self, Mismatch>>> {
        let start = LineSplitter::first_byte(position.byte);
        let opened = Self::at(path, Anchor::of(position), start)?;
        Ok(opened.map(|opened| {
            opened.map(|open| Self {
                generation: position.generation,
                file: position.file.clone(),
                ..open
            })
        }))
    }

    /// Opens another file at `path` that holds what was read of this one, to go on where this one
    /// stands.
    pub(super) fn copy_at(
        &self,
        path: &Path,
    ) -> Result<Option<std::result::Result<Self, Mismatch>>> {
        let opened = Self::at(path, self.anchor(), self.read)?;
        Ok(opened.map(|opened| opened.map(|open| self.anew(open))))
    }

    /// `other` in the place of this file in the lane.
    pub(super) fn anew(&self, other: Self) -> Self {
        Self {
            generation: self.generation,
            file: self.file.clone(),
            ..other
        }
    }

    /// Opens the file at `path` where it matches `anchor`, to be read from byte `start` on.
    fn at(
        path: &Path,
        anchor: Anchor,
        start: u64,
    ) -> Result<Option<std::result::Result<Self, Mismatch>>> {
        let fail = |error| file_error(path.display(), error);
        let Some(file) = open_regular(path)? else {
            return Ok(None);
        };
        let about = file.metadata().map_err(fail)?;
        let mut content = Content::of(file.try_clone().map_err(fail)?).map_err(fail)?;
        let damaged = damaged(path, content.packing(), 0);
        let read = anchor.byte.max(anchor.head.length());
        let known = content.known(read).map_err(&damaged)?;
        if known.length < read {
            let length = known.length;
            return Ok(Some(Err(Mismatch::Shorter { length, read })));
        }
        if !anchor.head.is_of(known.head.bytes()) {
            return Ok(Some(Err(Mismatch::Head {
                compared: anchor.head.length(),
                byte: anchor.byte,
            })));
        }
        let is_edited = anchor
            .before
            .is_some_and(|hash| known.before.hash_at(anchor.byte) != Some(hash));
        if is_edited {
            let byte = anchor.byte;
            return Ok(Some(Err(Mismatch::Before { byte })));
        }
        let file_handle = file.try_clone().map_err(fail)?;
        let mut content = Content::of(file).map_err(fail)?;
        let mut known = content.skip_to(start).map_err(&damaged)?;
        if let (0, Content::Plain(file)) = (start, &content) {
            known.head = FileHead::read(file, u64::from(HEAD_BYTES)).map_err(fail)?;
        }
        Ok(Some(Ok(Self {
            path: path.to_owned(),
            file_handle,
            content,
            id: FileId::of(&about),
            read: start,
            head: known.head,
            before: known.before,
            generation: 0,
            file: None,
        })))
    }

    /// Where it was opened.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// What was read, in bytes from the beginning of the content.
    pub(super) fn read_bytes(&self) -> u64 {
        self.read
    }

    pub(super) fn packing(&self) -> Option<Packing> {
        self.content.packing()
    }

    /// How many bytes the file has, compressed where it is.
    pub(super) fn length(&self) -> Result<u64> {
        let about = self.file_handle.metadata();
        let about = about.map_err(|error| file_error(self.path.display(), error))?;
        Ok(about.len())
    }

    /// What the file begins with now, however little of it was read.
    pub(super) fn present_head(mut self) -> Result<FileIdentity> {
        let most = u64::from(HEAD_BYTES);
        let known = self.content.known(most);
        let known = known.map_err(damaged(&self.path, self.packing(), 0))?;
        Ok(known.head.identity_at(most))
    }

    /// Whether there is nothing in it, once it is unpacked. Only of a file that nothing was read of.
    pub(super) fn is_empty(&self) -> Result<bool> {
        if self.packing().is_none() {
            return Ok(self.length()? == 0);
        }
        let again = Self::start(&self.path)?;
        // What is damaged is told when it is read.
        let head = again.map(Self::present_head).and_then(Result::ok);
        Ok(head.is_some_and(|head| head.length() == 0))
    }

    /// What a file must hold to be read in place of this one.
    pub(super) fn anchor(&self) -> Anchor {
        Anchor {
            byte: self.read,
            head: self.head.identity(),
            before: self.before.hash_at(self.read),
        }
    }

    /// The next block.
    pub(super) fn read(&mut self, block_bytes: u64) -> Result<Read> {
        let path = self.path.clone();
        let length = match self.packing() {
            Some(_) => None,
            None => Some(self.length()?),
        };
        let wanted = match length {
            Some(length) if length < self.read => return Ok(self.shorter(length)),
            Some(length) => block_bytes.min(length - self.read),
            None => block_bytes,
        };
        let block = self.content.read(wanted);
        let bytes = Bytes::from(block.map_err(damaged(&path, self.packing(), self.read))?);
        if let Some(mismatch) = self.changed()? {
            return Ok(Read::Changed(mismatch));
        }
        if bytes.is_empty() {
            return Ok(Read::End);
        }
        let read = self.read + bytes.len() as u64;
        let is_last = length.is_some_and(|length| read >= length);
        Ok(Read::Bytes { bytes, is_last })
    }

    /// `bytes`, which were read, count as read from now on; gives what positions inside of them
    /// hold.
    pub(super) fn pass(&mut self, bytes: &Bytes) -> FileMark {
        let before = self.before.clone();
        let begin = self.read;
        if begin == 0 {
            self.head = FileHead::empty();
        }
        self.read += bytes.len() as u64;
        self.head.extend(bytes);
        self.before.extend(bytes);
        FileMark {
            head: self.head.clone(),
            before,
            begin,
            block: bytes.clone(),
            generation: self.generation,
            file: self.file.clone(),
        }
    }

    fn shorter(&self, length: u64) -> Read {
        let read = self.read;
        Read::Changed(Mismatch::Shorter { length, read })
    }

    /// Why the file no longer is the one that was read; asked behind each read, as it may have been
    /// cut and written anew at any time.
    fn changed(&self) -> Result<Option<Mismatch>> {
        let Content::Plain(file) = &self.content else {
            return Ok(None);
        };
        let fail = |error| file_error(self.path.display(), error);
        let read = self.read;
        let length = self.length()?;
        let head = self.head.bytes();
        let known = read.max(head.len() as u64);
        if length < known {
            let read = known;
            return Ok(Some(Mismatch::Shorter { length, read }));
        }
        let mut now = vec![0; head.len()];
        if read_at(file, &mut now, 0).map_err(fail)? < head.len() || now != head {
            return Ok(Some(Mismatch::Head {
                compared: head.len() as u64,
                byte: read,
            }));
        }
        if head.len() as u64 >= read {
            return Ok(None);
        }
        let before = Before::read(read, |buffer, at| read_at(file, buffer, at)).map_err(fail)?;
        Ok((before != self.before).then_some(Mismatch::Before { byte: read }))
    }
}

/// The error for a read of content that fails behind byte `byte`.
fn damaged(
    path: &Path,
    packing: Option<Packing>,
    byte: u64,
) -> impl Fn(io::Error) -> projectionist_core::Error {
    move |error| match packing {
        // Errors of the machine have a number; what is left is what the decoder thinks of it.
        Some(packing) if error.raw_os_error().is_none() => Fault::Damaged {
            path: path.to_owned(),
            packing,
            byte,
            reason: error.to_string(),
        }
        .into_error(path.display()),
        _ => file_error(path.display(), error),
    }
}

/// Opens the regular file at `path`; `None` when there is none.
pub(super) fn open_regular(path: &Path) -> Result<Option<File>> {
    let refused = |fault: Fault| Err(fault.into_error(path.display()));
    // Asked before it is opened, because opening a pipe waits for its writer.
    let opened = match fs::metadata(path) {
        Ok(about) if about.is_file() => File::open(path),
        Ok(about) if about.is_dir() => {
            let path = path.to_owned();
            return refused(Fault::Directory { path });
        }
        Ok(_) => {
            let path = path.to_owned();
            return refused(Fault::NotRegular { path });
        }
        Err(error) => Err(error),
    };
    match opened {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error(path.display(), error)),
    }
}
