//! Compares the tables of the target with what the file declares, before anything runs.

use projectionist_apply::plain_table;
use projectionist_language::Program;
use projectionist_store_sqlite::SqliteStore;

use crate::exit::Failure;

/// Refuses the run when a table of the projections in `chosen` has another owner or another shape
/// than the file says.
///
/// A store tells that at the first row that it writes. By then the other projections have moved,
/// and without new events nobody would be told at all.
pub(super) fn check(
    store: &SqliteStore,
    program: &Program,
    chosen: &[usize],
) -> Result<(), Failure> {
    let projections = chosen
        .iter()
        .filter_map(|index| program.projections.get(*index));
    let mut failure: Option<Failure> = None;
    for projection in projections {
        if let Err(error) = store.check_tables(&plain_table(projection)) {
            let one = Failure::not_started(&projection.name, &error);
            failure = Some(match failure.take() {
                Some(others) => others.and(one),
                None => one,
            });
        }
    }
    failure.map_or(Ok(()), Err)
}
