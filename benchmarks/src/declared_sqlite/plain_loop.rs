//! The loop that trusts its input: every event is applied as it comes, so many a transaction. A
//! repeated or late event would spoil the table, and a crash would leave it unclear where to go on.

use std::path::Path;

use super::event::for_each;
use super::read_model::{Writer, create};
use crate::failure::Outcome;

/// Applies the events of `input` to a fresh `database`, `batch` events a transaction.
///
/// # Errors
/// When the input cannot be read or SQLite fails.
pub fn run(input: &Path, database: &Path, batch: u64) -> Outcome<()> {
    let connection = create(database)?;
    let mut writer = Writer::new(&connection)?;
    let mut open = 0;
    for_each(input, |event| {
        if open == 0 {
            connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        writer.apply(event)?;
        open += 1;
        if open == batch {
            connection.execute_batch("COMMIT")?;
            open = 0;
        }
        Ok(())
    })?;
    if open > 0 {
        connection.execute_batch("COMMIT")?;
    }
    Ok(())
}

/// Reads the events and writes nothing: what remains of every loop when SQLite costs nothing.
///
/// # Errors
/// When the input cannot be read.
pub fn parse_only(input: &Path) -> Outcome<()> {
    for_each(input, |event| {
        std::hint::black_box(event);
        Ok(())
    })
}
