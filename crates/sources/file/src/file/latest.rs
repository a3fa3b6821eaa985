//! Finds the end of the last complete line. Everything here blocks.

use projectionist_core::Result;

use super::opened::{OpenFile, Read};
use super::{FileIdentity, FilePosition};

/// The position behind the last complete line of `open`, which nothing was read of.
///
/// A file that does not exist yet has its end at its beginning: everything that will be written
/// to it comes after now.
pub(super) fn latest(open: Option<OpenFile>, block_bytes: u64) -> Result<FilePosition> {
    let mut position = FilePosition::start(FileIdentity::unknown());
    let Some(mut open) = open else {
        return Ok(position);
    };
    position.generation = open.generation;
    position.file.clone_from(&open.file);
    let mut lines = 0;
    loop {
        let bytes = match open.read(block_bytes)? {
            Read::Bytes { bytes, .. } => bytes,
            Read::End => return Ok(position),
            Read::Changed(mismatch) => {
                let fault = mismatch.fault(open.path());
                return Err(fault.into_error(open.path().display()));
            }
        };
        let begin = open.read_bytes();
        let mark = open.pass(&bytes);
        lines += memchr::memchr_iter(b'\n', &bytes).count() as u64;
        if let Some(last) = memchr::memrchr(b'\n', &bytes) {
            position = mark.position(begin + last as u64 + 1, lines);
        }
    }
}
