//! What a person may type about rebuilds.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use crate::place::{Source, Target};

/// For so many tenants a rebuild makes tables where nobody says otherwise.
const MAX_TENANTS: usize = 1_000;

/// Build the tables of projections anew from their events.
///
/// They are built beside those that are there, which go on serving, are compared with them, and take
/// their place in one transaction, with counters, offset and dead letters. A rebuild that was killed
/// is resumed by the same command.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("other").args(["in_place", "revert", "abort"]))]
pub(crate) struct RebuildArguments {
    /// The projection; all of the target where it is left out
    pub(super) name: Option<String>,
    /// The target: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(super) store: Target,
    /// Build what this file declares, compiled or not, and deploy that with the swap; without it
    /// what the target keeps
    #[arg(long, value_name = "FILE", conflicts_with = "other")]
    pub(super) ir: Option<PathBuf>,
    /// Read this file of JSON lines; without it the one that the projection was first run from
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["revert", "abort"])]
    pub(super) from: Option<Source>,
    /// Keep what is in use now, for --revert. Without it that is dropped, and so is what an earlier
    /// rebuild has kept
    #[arg(long, conflicts_with = "other")]
    pub(super) keep: bool,
    /// Empty the tables that are there and read all events again: takes no more space, and readers
    /// see the tables grow
    #[arg(long)]
    pub(super) in_place: bool,
    /// Put what was kept back in use, and keep what is in use now
    #[arg(long)]
    pub(super) revert: bool,
    /// Remove everything of a rebuild that is not finished
    #[arg(long)]
    pub(super) abort: bool,
    /// Tell what would be done, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// At most so many tenants; an event of a further one becomes a dead letter
    #[arg(long, value_name = "TENANTS", default_value_t = MAX_TENANTS)]
    pub(super) max_tenants: usize,
}

impl RebuildArguments {
    /// To rebuild one projection beside the one in use, as the target declares it.
    pub(super) fn beside(name: &str, store: &Target, keep: bool) -> Self {
        Self {
            name: Some(name.to_owned()),
            store: store.clone(),
            ir: None,
            from: None,
            keep,
            in_place: false,
            revert: false,
            abort: false,
            dry_run: false,
            max_tenants: MAX_TENANTS,
        }
    }
}
