//! What can be wrong with the thing that is read, other than that reading it fails.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use projectionist_core::{BoxError, Error};

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
    /// The path names a directory, a pipe or a device.
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
