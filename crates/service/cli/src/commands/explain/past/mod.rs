//! What a projection has read, and how that is read again.

mod find;
mod reread;

use std::collections::HashMap;
use std::sync::Arc;

use projectionist_core::Counters;
use projectionist_language::Program;
use projectionist_language::model::Projection;
use projectionist_source_file::FilePosition;
use projectionist_store_sqlite::KeptLetter;

use crate::commands::files::Place;
use crate::place::Source;

pub(in crate::commands) use self::find::{Declared, declared, find, named};

/// The key of the lanes that read files.
pub(in crate::commands) const KEY: &str = "all";

/// What a projection has read, as one view of its target tells it.
pub(in crate::commands) struct Past {
    /// The projection, alone.
    pub(in crate::commands) program: Arc<Program>,
    /// The files that hold its events; `None` when it has read nothing.
    pub(in crate::commands) source: Option<Source>,
    /// The last position that it has read; `None` for a file whose end is taken for that.
    pub(in crate::commands) until: Option<FilePosition>,
    /// How many events in front it has not read.
    pub(in crate::commands) passed_over: u64,
    /// The dead letters that are kept, by the places behind their events.
    pub(in crate::commands) letters: HashMap<Place, KeptLetter>,
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
        match (&self.source, &self.until) {
            (None, _) => "no event was read yet".to_owned(),
            (Some(source), None) => format!("read from {source} to its end"),
            (Some(source), Some(until)) => match until.file_name() {
                Some(file) => format!("read from {source} up to line {} of {file}", until.line),
                None => format!("read from {source} up to line {}", until.line),
            },
        }
    }
}
