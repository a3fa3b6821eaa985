//! Speed counts only where the results are the same.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

use super::case::{Case, Who};
use super::file;
use crate::failure::Outcome;

/// What both must have left: the read model, and the lane with its offset and all its counters.
const RESULTS: [(&str, &str); 2] = [
    (
        "read model",
        "SELECT entity, events, last FROM totals ORDER BY entity",
    ),
    (
        "lane",
        r#"SELECT name, key, manifest, "offset", epoch, ahead, replay_offset, "read", applied,
               unmatched, filtered, ignored, stale, skipped, dead_lettered, folded, malformed,
               parked_total, unparked_total
           FROM projectionist_lanes"#,
    ),
];

/// Compares what both left in `case`, row by row, and says how many rows the read model has.
///
/// # Errors
/// When they differ, or when not every envelope is counted.
pub fn same_results(folder: &Path, case: Case, envelopes: u64) -> Outcome<usize> {
    let [engine, by_hand] = Who::ALL.map(|who| file::path(folder, case, who));
    let mut entities = 0;
    for (what, query) in RESULTS {
        let (found, expected) = (rows(&engine, query)?, rows(&by_hand, query)?);
        let first = expected.iter().zip(&found).find(|(a, b)| a != b);
        if first.is_some() || expected.len() != found.len() {
            let case = case.name();
            return Err(format!("{case}: the {what} differs; first in {first:?}").into());
        }
        entities = entities.max(found.len());
    }
    let counted = rows(&engine, "SELECT sum(events) FROM totals")?;
    let expected = Value::Integer(i64::try_from(envelopes)?);
    if counted != [vec![expected]] {
        return Err(format!("{}: {counted:?} of {envelopes} envelopes", case.name()).into());
    }
    Ok(entities)
}

fn rows(path: &Path, query: &str) -> Outcome<Vec<Vec<Value>>> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut statement = connection.prepare(query)?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect())?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exactly_once_sqlite::run::run;

    #[test]
    fn both_leave_the_same_rows_and_a_difference_is_told() {
        let folder = tempfile::tempdir().unwrap();
        for case in Case::ALL {
            for who in Who::ALL {
                run(folder.path(), case, who, 1_234).unwrap();
            }
            assert_eq!(same_results(folder.path(), case, 1_234).unwrap(), 64);
            assert!(same_results(folder.path(), case, 1_235).is_err());
            for spoil in [
                "UPDATE totals SET last = last + 1 WHERE entity = 'entity-63'",
                "UPDATE projectionist_lanes SET applied = applied + 1",
            ] {
                run(folder.path(), case, Who::ByHand, 1_234).unwrap();
                let path = file::path(folder.path(), case, Who::ByHand);
                Connection::open(path)
                    .unwrap()
                    .execute_batch(spoil)
                    .unwrap();
                let told = same_results(folder.path(), case, 1_234).unwrap_err();
                assert!(told.to_string().contains("differs"), "{told}");
            }
        }
    }
}
