//! Speed counts only where the tables are the same.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::input::TENANT;
use super::read_model::TABLE;
use super::subject::Subject;
use crate::failure::Outcome;

/// A row: user, artist, since when.
pub type Row = (String, String, Option<i64>);

/// Compares the tables of all that write one, row by row, and says how many rows they have.
///
/// # Errors
/// When two tables differ; names the first row that does.
pub fn same_tables(folder: &Path) -> Outcome<usize> {
    let writers = || Subject::ALL.into_iter().filter(|subject| subject.writes());
    let expected = rows(&Subject::PlainSmall.database(folder), TABLE)?;
    for subject in writers().filter(|subject| *subject != Subject::PlainSmall) {
        let table = match subject {
            Subject::Program => format!("{TENANT}__{TABLE}"),
            _ => TABLE.to_owned(),
        };
        let found = rows(&subject.database(folder), &table)?;
        let first = expected.iter().zip(&found).find(|(a, b)| a != b);
        if first.is_some() || expected.len() != found.len() {
            return Err(format!(
                "{} left {} rows, {} are expected; the first that differ: {first:?}",
                subject.name(),
                found.len(),
                expected.len(),
            )
            .into());
        }
    }
    Ok(expected.len())
}

/// The rows in the order of the key.
///
/// # Errors
/// SQLite's.
pub fn rows(database: &Path, table: &str) -> Outcome<Vec<Row>> {
    let connection = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let columns = "user_id, artist_id, followed_at";
    let query = format!("SELECT {columns} FROM \"{table}\" ORDER BY user_id, artist_id");
    let mut statement = connection.prepare(&query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::declared_sqlite::event::for_each;
    use crate::declared_sqlite::input::{Shape, file};

    /// What the events leave, worked out without SQLite.
    fn folded(input: &Path) -> Vec<Row> {
        let mut table = BTreeMap::new();
        for_each(input, |event| {
            let payload = &event.payload;
            let key = (payload.user_id.to_string(), payload.artist_id.to_string());
            match event.event_type.as_ref() {
                "ARTIST_FOLLOWED" => table.insert(key, event.ts),
                _ => table.remove(&key),
            };
            Ok(())
        })
        .unwrap();
        let rows = table.into_iter();
        rows.map(|((user, artist), at)| (user, artist, Some(at)))
            .collect()
    }

    #[test]
    fn every_loop_leaves_what_the_events_say() {
        let folder = tempfile::tempdir().unwrap();
        let shape = Shape {
            events: 50_000,
            entities: 3_000,
            seed: 3,
        };
        let input = file(folder.path(), shape).unwrap();
        let expected = folded(&input);
        for subject in [
            Subject::PlainSmall,
            Subject::PlainLarge,
            Subject::GuardedLarge,
        ] {
            let database = subject.database(folder.path());
            subject.work(&input, &database).unwrap();
            assert_eq!(
                rows(&database, TABLE).unwrap(),
                expected,
                "{}",
                subject.name()
            );
        }
    }

    #[test]
    fn the_guarded_loop_passes_over_what_was_delivered_before() {
        let folder = tempfile::tempdir().unwrap();
        let shape = Shape {
            events: 30_000,
            entities: 1_000,
            seed: 5,
        };
        let once = file(folder.path(), shape).unwrap();
        let text = std::fs::read_to_string(&once).unwrap();
        // The first half again at the end: its follows and unfollows are old by then.
        let half: String = text
            .lines()
            .take(15_000)
            .flat_map(|line| [line, "\n"])
            .collect();
        let twice = folder.path().join("twice.jsonl");
        std::fs::write(&twice, text + &half).unwrap();
        let database = folder.path().join("guarded.db");
        Subject::GuardedLarge.work(&twice, &database).unwrap();
        assert_eq!(rows(&database, TABLE).unwrap(), folded(&once));
    }
}
