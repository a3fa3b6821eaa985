//! Which file it is, and why another one is not.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::{FileIdentity, FilePosition};
use crate::fault::Fault;

/// Which file of the machine it is, whatever its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(super) fn of(about: &Metadata) -> Self {
        Self {
            device: about.dev(),
            inode: about.ino(),
        }
    }
}

/// What a file must hold to be the one that was read before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    /// How far it was read.
    pub(super) byte: u64,
    pub(super) head: FileIdentity,
    pub(super) before: Option<u64>,
}

impl Anchor {
    pub(super) fn of(position: &FilePosition) -> Self {
        Self {
            byte: position.byte,
            head: position.head,
            before: position.before,
        }
    }

    /// Nothing.
    pub(super) fn anything() -> Self {
        Self::of(&FilePosition::start(FileIdentity::unknown()))
    }

    /// Whether any file holds that.
    pub(super) fn is_anything(self) -> bool {
        self.head.length() == 0
    }
}

/// Why a file is not the one that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// It is shorter than what was read.
    Shorter { length: u64, read: u64 },
    /// It begins otherwise.
    Head { compared: u64, byte: u64 },
    /// It begins so, but before `byte` there are other bytes.
    Before { byte: u64 },
}

impl Mismatch {
    /// The fault of the file at `path` that should be the one that was read.
    pub(super) fn fault(self, path: &Path) -> Fault {
        let path = path.to_owned();
        match self {
            Self::Shorter { length, read } => Fault::Truncated { path, length, read },
            Self::Head { compared, byte } => Fault::Replaced {
                path,
                compared,
                byte,
            },
            Self::Before { byte } => Fault::Edited { path, byte },
        }
    }
}
