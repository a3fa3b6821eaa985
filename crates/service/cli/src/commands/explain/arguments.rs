//! What a person may type about the row that is explained.

use clap::Args;

use crate::args::Format;
use crate::place::{Source, Target};

/// Tell which events made a row, and what each of them did.
///
/// The events are read again up to where the projection stands, and applied in memory by the same
/// rules as in a run; nothing is written. Exit code 0 when the row is as its events make it, 1 when
/// it is not.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The table, as it is declared
    pub(super) table: String,
    /// The values of the primary key in its order, or each as COLUMN=VALUE
    #[arg(required = true, value_name = "KEY", allow_negative_numbers = true)]
    pub(super) key: Vec<String>,
    /// The target: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(super) store: Target,
    /// The tenant whose table is meant; without it the table of the events without one
    #[arg(long)]
    pub(super) tenant: Option<String>,
    /// Read this file of JSON lines; without it the one that the projection was first run from
    #[arg(long, value_name = "SOURCE")]
    pub(super) from: Option<Source>,
    /// Show at most so many events, the last ones
    #[arg(long, value_name = "EVENTS", default_value_t = 100)]
    pub(super) limit: usize,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}
