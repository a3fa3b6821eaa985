//! What one event did to one row.

use projectionist_core::Defect;
use projectionist_source_file::FilePosition;
use projectionist_store_sqlite::KeptLetter;

use crate::commands::explain::values::Row;

/// What one event did to one row.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Told {
    pub(in crate::commands) mark: Mark,
    pub(in crate::commands) entity: String,
    pub(in crate::commands) fork: String,
    /// When it happened, in Unix milliseconds.
    pub(in crate::commands) ts: Option<i64>,
    pub(in crate::commands) operation: &'static str,
    pub(in crate::commands) became: Became,
    /// The row before it; `None` where there was none.
    pub(in crate::commands) before: Option<Row>,
    /// The row after it.
    pub(in crate::commands) after: Option<Row>,
}

/// What tells an event from others.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::commands) struct Mark {
    pub(in crate::commands) at: FilePosition,
    pub(in crate::commands) event_type: String,
    pub(in crate::commands) sequence: Option<i64>,
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let FilePosition { byte, line, .. } = &self.at;
        let event_type = crate::output::printable(&self.event_type);
        write!(f, "line {line} ({event_type}, ")?;
        if let Some(sequence) = self.sequence {
            write!(f, "number {sequence}, ")?;
        }
        write!(f, "offset {byte}:{line})")
    }
}

/// What became of an event.
#[derive(Clone, Debug)]
pub(in crate::commands) enum Became {
    Applied,
    /// Its `when` was false.
    Filtered,
    /// Its operation leaves such a row alone.
    Ignored,
    /// A number of its entity that is not lower was applied before.
    Stale {
        /// That number.
        last: i64,
    },
    /// The target keeps a dead letter of it.
    Kept(KeptLetter),
    /// It cannot be applied, and the target keeps no dead letter of it.
    Failed(Defect),
}

impl Became {
    /// Its name in JSON.
    pub(in crate::commands) fn name(&self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Filtered => "filtered",
            Self::Ignored => "ignored",
            Self::Stale { .. } => "stale",
            Self::Kept(_) | Self::Failed(_) => "dead_letter",
        }
    }
}
