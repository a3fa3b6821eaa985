//! Finds the end of the last complete line. Everything here blocks.

use std::io::{ErrorKind, Read};
use std::path::Path;

use projectionist_core::Result;

use super::head::FileHead;
use super::tail::open_regular;
use super::{FileIdentity, FilePosition};
use crate::fault::file_error;

/// The position behind the last complete line of the file at `path`.
///
/// A file that does not exist yet has its end at its beginning: everything that will be written
/// to it comes after now.
pub(super) fn latest(path: &Path, block_bytes: usize) -> Result<FilePosition> {
    let mut position = FilePosition::start(FileIdentity::unknown());
    let Some(mut file) = open_regular(path)? else {
        return Ok(position);
    };
    let mut block = vec![0; block_bytes];
    let mut head = FileHead::empty();
    let mut read_before = 0;
    loop {
        let read = match file.read(&mut block) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(file_error(path.display(), error)),
        };
        let filled = block.get(..read).unwrap_or_default();
        position.line += memchr::memchr_iter(b'\n', filled).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', filled) {
            position.byte = read_before + last as u64 + 1;
        }
        head.extend(filled);
        read_before += read as u64;
    }
    position.head = head.identity_at(position.byte);
    Ok(position)
}
