//! Compares the tables of a target with what a file declares.

use projectionist_apply::plain_table;
use projectionist_core::contract::OffsetStore;
use projectionist_core::row::Table;
use projectionist_core::{Error, LaneState, ProjectionId};
use projectionist_language::Program;
use projectionist_store_sqlite::SqliteStore;

use crate::exit::{Failure, both};

/// Refuses when a table of the projections in `chosen` has another owner or another shape than the
/// file says, or is missing although events were applied to it.
///
/// A store tells the first two at the first row that it writes. By then the other projections have
/// moved, and without new events nobody would be told at all. The third it cannot tell: it would
/// make a table that begins in the middle of the stream.
pub(super) async fn check(
    store: &SqliteStore,
    program: &Program,
    chosen: &[usize],
) -> Result<(), Failure> {
    // Before the tables: a run of another process makes them no later than it counts events.
    let lanes = store.lanes().await?;
    let projections = chosen
        .iter()
        .filter_map(|index| program.projections.get(*index));
    let mut all = Ok(());
    for projection in projections {
        let table = plain_table(projection);
        let one = store
            .check_tables(&table)
            .and_then(|found| refuse_missing(&table, found, applied(&lanes, &projection.name)));
        let one = one.map_err(|error| Failure::not_started(&projection.name, &error));
        all = both(all, one);
    }
    all
}

/// Refuses a table that is not there any more: a new one would begin in the middle of the events.
pub(super) fn refuse_missing(table: &Table, found: usize, applied: u64) -> Result<(), Error> {
    if found > 0 || applied == 0 {
        return Ok(());
    }
    Err(Error::Schema {
        table: table.name.to_string(),
        reason: format!(
            "the table is not there, but the projection has applied {applied} event(s): it was \
             renamed in the file or dropped; bring it back, build it anew with `projectionist \
             rebuild NAME`, or use a new target"
        ),
    })
}

/// How many events a projection has applied, from all its sources: their lanes share its tables
/// and what it knows of repeated events.
pub(super) fn applied(lanes: &[(ProjectionId, LaneState)], name: &str) -> u64 {
    let own = lanes.iter().filter(|(id, _)| id.name() == name);
    own.map(|(_, state)| state.counters.applied).sum()
}
