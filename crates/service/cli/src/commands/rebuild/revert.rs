//! Puts what a rebuild has kept back in use.

use projectionist_core::contract::RebuildStore;
use projectionist_store_sqlite::SqliteStore;

use crate::exit::Failure;
use crate::output::print_line;

/// Reverts each of the named projections of which something is kept.
pub(super) async fn execute(
    store: &SqliteStore,
    names: &[String],
    dry_run: bool,
) -> Result<(), Failure> {
    let kept = store.kept_generations().await?;
    let mut reverted = 0;
    for name in names {
        if !kept.iter().any(|kept| kept.projection == *name) {
            continue;
        }
        if dry_run {
            print_line(format_args!(
                "{name}: what is kept would be put back in use"
            ))?;
        } else if store.revert(name).await? {
            print_line(format_args!(
                "{name}: what was kept is in use again; what was in use is kept now"
            ))?;
        }
        reverted += 1;
    }
    match reverted {
        0 => Err(Failure::at_run_time(format!(
            "nothing is kept of {}; only a rebuild with --keep can be reverted",
            names.join(", ")
        ))),
        _ => Ok(()),
    }
}
