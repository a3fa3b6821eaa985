//! Removes rebuilds that are not finished.

use projectionist_core::contract::RebuildStore;
use projectionist_store_sqlite::SqliteStore;

use super::driver::refuse_held;
use crate::exit::Failure;
use crate::output::print_line;

/// Removes the rebuild of each of the named projections that has one.
pub(super) async fn execute(
    store: &SqliteStore,
    names: &[String],
    dry_run: bool,
) -> Result<(), Failure> {
    let rebuilds = store.rebuilds().await?;
    let mut found = 0;
    for rebuild in &rebuilds {
        let name = rebuild.projection();
        if !names.iter().any(|wanted| wanted == name) {
            continue;
        }
        found += 1;
        if dry_run {
            print_line(format_args!("{name}: the rebuild would be removed"))?;
            continue;
        }
        refuse_held(store, &rebuild.shadow_lane()?).await?;
        store.drop_shadow(name).await?;
        print_line(format_args!("{name}: the rebuild is removed"))?;
    }
    while !dry_run && store.purge().await? {}
    match found {
        0 => print_line("no rebuild is unfinished: nothing to do"),
        _ => Ok(()),
    }
}
