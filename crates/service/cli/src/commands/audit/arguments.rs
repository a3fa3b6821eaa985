//! What a person may type about the projection that is audited.

use clap::Args;

use crate::args::Format;
use crate::place::{Source, Target};

/// Compare the tables of a projection with what its events make.
///
/// The events are read again up to where the projection stands, and applied in memory; nothing is
/// written, and a run may go on meanwhile. Exit code 0 when every row is as its events make it, 1
/// when one is not.
#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// The projection
    pub(super) name: String,
    /// The target: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(super) store: Target,
    /// Read this file of JSON lines; without it the one that the projection was first run from
    #[arg(long, value_name = "SOURCE")]
    pub(super) from: Option<Source>,
    /// Only the table of this tenant; the empty one for the events without
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// Show at most so many rows that differ
    #[arg(long, value_name = "ROWS", default_value_t = 10)]
    pub(super) sample: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}
