//! What can be wrong with the thing that is read, other than that reading it fails.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use projectionist_core::{BoxError, Error};

use crate::Packing;

/// Why a source cannot be read on. The `source` of the
/// [`Error::Source`] that a file or a stream gives; none of these is mended by trying again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no file to read.
    #[error(
        "there is no file at {}; check the path, or follow it, which waits until it is there",
        .path.display()
    )]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// No file has a name of the pattern.
    #[error(
        "no file matches {}; check the pattern, or follow it, which waits until one is there",
        .path.display()
    )]
    NoMatch {
        /// The pattern.
        path: PathBuf,
    },
    /// The path names a directory.
    #[error(
        "{} is a directory, not a regular file; name a file in it, or several by a pattern in \
         quotes, such as '{}'",
        .path.display(),
        .path.join("*.jsonl").display()
    )]
    Directory {
        /// What was named.
        path: PathBuf,
    },
    /// The path names a pipe or a device.
    #[error(
        "{} is not a regular file, so it cannot be resumed; name a file, or read it as standard input",
        .path.display()
    )]
    NotRegular {
        /// What was named.
        path: PathBuf,
    },
    /// The file begins with other bytes than the one that was read before.
    #[error(
        "the file at {} is not the one this position belongs to: its first {compared} bytes differ \
         from those of the file that was read to byte {byte}, so it was replaced or rewritten; put \
         the old file back, or use a new target",
        .path.display()
    )]
    Replaced {
        /// The file.
        path: PathBuf,
        /// How many of its first bytes were compared.
        compared: u64,
        /// How far the other file was read.
        byte: u64,
    },
    /// The file is shorter than what was read of it.
    #[error(
        "the file at {} has {length} bytes, but its first {read} bytes were read before: it was \
         truncated, or replaced by a shorter one; put the old file back, or use a new target",
        .path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length now.
        length: u64,
        /// The length that it had at least.
        read: u64,
    },
    /// While the file was followed, its path came to name another file or none.
    #[error(
        "{} {} while it was followed and read to byte {byte}; put the old file back, or use a new \
         target",
        .path.display(),
        if *.gone { "was moved or deleted" } else { "was replaced by another file" }
    )]
    Moved {
        /// The file.
        path: PathBuf,
        /// Whether there is no file at the path now.
        gone: bool,
        /// How far the file was read.
        byte: u64,
    },
    /// What was read before a place is no longer what stands there.
    #[error(
        "{} was edited behind its beginning: the bytes before byte {byte}, up to which it was read, \
         are not the ones that were read; put the old content back, or use a new target",
        .path.display()
    )]
    Edited {
        /// The file.
        path: PathBuf,
        /// How far it was read.
        byte: u64,
    },
    /// A compressed file was to be followed.
    #[error(
        "{} is compressed ({packing}) and cannot be followed: it does not grow; read it with \
         --once, or name the file that is written",
        .path.display()
    )]
    Compressed {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        packing: Packing,
    },
    /// A compressed file cannot be unpacked any further.
    #[error(
        "{} cannot be unpacked ({packing}) behind byte {byte} of its content: {reason}; what stands \
         before is kept; put a whole file in its place, and the next run goes on from there",
        .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How it is compressed.
        packing: Packing,
        /// How many bytes of its content were read.
        byte: u64,
        /// What the decoder says.
        reason: String,
    },
    /// Several files could be the one that was read before.
    #[error(
        "{} is not the file that was read to byte {byte}, and more than one other file could be it: \
         {}; move away all but the right one, or use a new target",
        .path.display(),
        .candidates.join(", ")
    )]
    Ambiguous {
        /// The path that is read.
        path: PathBuf,
        /// How far the file was read.
        byte: u64,
        /// The names of the files that could be it.
        candidates: Vec<String>,
    },
    /// The names of rotated files and the times of their last writes contradict each other.
    #[error(
        "it is not clear which file comes after {}: by its name {other} is {}, by the time of its \
         last write it is not; set the times right, or move {other} away",
        .path.display(),
        if *.is_later { "later" } else { "earlier" }
    )]
    Unordered {
        /// The file that was read to its end.
        path: PathBuf,
        /// The other file.
        other: String,
        /// What the name of the other file says.
        is_later: bool,
    },
    /// The file of a pattern that was read last is gone.
    #[error(
        "{} is gone, and it was read only to byte {byte} as far as is known; put it back, or use a \
         new target",
        .path.display()
    )]
    Removed {
        /// The file.
        path: PathBuf,
        /// How far it was read.
        byte: u64,
    },
    /// A file of a pattern stands before the place that is reached, and was not read so.
    #[error(
        "{} comes before {reached}, which is being read, and was not read as it is now: files of a \
         pattern are read in the order of their names, each to its end; give what is new a later \
         name, or move the file away",
        .path.display()
    )]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The name of the file that is reached.
        reached: String,
    },
    /// The position is that of a pattern, or is not.
    #[error(
        "the position stands in {}, but {} is to be read; name what was read before, or use a new \
         target",
        .of.as_ref().map_or_else(
            || "a file that was named by its path".to_owned(),
            |name| format!("{name}, a file of a pattern"),
        ),
        .path.display()
    )]
    OtherSource {
        /// What is to be read.
        path: PathBuf,
        /// The name of the file of a pattern that the position stands in.
        of: Option<String>,
    },
    /// A stream was opened again after something was read of it.
    #[error(
        "{name} cannot be read again: a part of it was read before; start the program anew and \
         feed it the whole stream"
    )]
    Consumed {
        /// The stream.
        name: String,
    },
}

impl Fault {
    /// This fault as the error of a source that tried to `read` what is named.
    pub(crate) fn into_error(self, read: impl Display) -> Error {
        Error::Source {
            action: format!("read {read}"),
            retryable: false,
            source: self.into(),
        }
    }
}

/// The error for a file that cannot be read. Faults of the path and its rights stay until someone
/// mends them; any other may pass.
pub(crate) fn file_error(read: impl Display, error: io::Error) -> Error {
    let lasting = matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::InvalidInput
    );
    Error::Source {
        action: format!("read {read}"),
        retryable: !lasting,
        source: error.into(),
    }
}

/// The error for a fault of the runtime that reads `read`.
pub(crate) fn runtime_error(
    read: impl Display,
    source: impl Into<BoxError>,
    retryable: bool,
) -> Error {
    Error::Source {
        action: format!("read {read}"),
        retryable,
        source: source.into(),
    }
}
