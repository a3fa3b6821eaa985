//! What a projection has read, and how that is read again.

mod find;
mod reread;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use projectionist_core::Counters;
use projectionist_language::Program;
use projectionist_language::model::Projection;
use projectionist_source_file::FilePosition;
use projectionist_store_sqlite::KeptLetter;

pub(in crate::commands) use self::find::{Declared, declared, find, named};

/// The key of the lanes that read files.
pub(in crate::commands) const KEY: &str = "all";

/// What a projection has read, as one view of its target tells it.
pub(in crate::commands) struct Past {
    /// The projection, alone.
    pub(in crate::commands) program: Arc<Program>,
    /// The file that holds its events; `None` when it has read nothing.
    pub(in crate::commands) file: Option<PathBuf>,
    /// The last position that it has read; `None` for a file whose end is taken for that.
    pub(in crate::commands) until: Option<FilePosition>,
    /// How many events in front it has not read.
    pub(in crate::commands) passed_over: u64,
    /// The dead letters that are kept, by the byte behind their events.
    pub(in crate::commands) letters: HashMap<u64, KeptLetter>,
    /// What it has counted.
    pub(in crate::commands) counters: Counters,
    /// What a person must know to judge the outcome.
    pub(in crate::commands) notes: Vec<String>,
}

impl Past {
    /// The projection.
    pub(in crate::commands) fn projection(&self) -> Option<&Projection> {
        self.program.projections.first()
    }

    /// The file and how far it was read, in words.
    pub(in crate::commands) fn told(&self) -> String {
        match (&self.file, self.until) {
            (None, _) => "no event was read yet".to_owned(),
            (Some(file), None) => format!("read from {} to its end", file.display()),
            (Some(file), Some(until)) => {
                format!("read from {} up to line {}", file.display(), until.line)
            }
        }
    }
}
