//! Binds the cells of a batch to the parameters of a statement.

use projectionist_core::row::{Cell, write_date, write_timestamp, write_uuid};
use rusqlite::Statement;

/// Why a cell could not be bound.
#[derive(Debug)]
pub(super) enum Unbound {
    /// The moment or the day has no text form.
    OutOfRange,
    /// SQLite refused it.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for Unbound {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

/// Binds a cell to the parameter for the column at `index`, counted from 0. `text` is a buffer for
/// the text form of values that are not texts.
pub(super) fn bind(
    statement: &mut Statement<'_>,
    index: usize,
    cell: Cell<'_>,
    text: &mut String,
) -> Result<(), Unbound> {
    let parameter = index + 1;
    match cell {
        Cell::Null => statement.raw_bind_parameter(parameter, rusqlite::types::Null)?,
        Cell::Text(value) | Cell::Numeric(value) | Cell::Json(value) | Cell::Array(value) => {
            statement.raw_bind_parameter(parameter, value)?;
        }
        Cell::Int(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Double(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Bool(value) => statement.raw_bind_parameter(parameter, value)?,
        Cell::Timestamp(moment) => {
            text.clear();
            write_timestamp(text, moment).ok_or(Unbound::OutOfRange)?;
            statement.raw_bind_parameter(parameter, text.as_str())?;
        }
        Cell::Date(days) => {
            text.clear();
            write_date(text, days).ok_or(Unbound::OutOfRange)?;
            statement.raw_bind_parameter(parameter, text.as_str())?;
        }
        Cell::Bytes(bytes) => statement.raw_bind_parameter(parameter, bytes)?,
        Cell::Uuid(bytes) => {
            text.clear();
            write_uuid(text, &bytes);
            statement.raw_bind_parameter(parameter, text.as_str())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use projectionist_core::Timestamp;
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn moments_and_days_read_as_sqlite_reads_them() {
        let oracle = Connection::open_in_memory().unwrap();
        let mut statement = oracle
            .prepare("SELECT strftime('%Y-%m-%dT%H:%M:%S', ?1, 'unixepoch')")
            .unwrap();
        let text_of = |unix_millis| {
            let mut text = String::new();
            write_timestamp(&mut text, Timestamp::from_unix_millis(unix_millis)).map(|()| text)
        };
        // A step that is coprime to the length of a day meets every hour, month and leap year.
        let step = 1_000_003_000 * 37;
        let whole_seconds = (-62_135_596_800_000_i64..=253_402_300_799_999)
            .step_by(step)
            .chain([0, -1000, 951_782_400_000]);
        for unix_millis in whole_seconds {
            let expected: String = statement
                .query_row([unix_millis / 1000], |row| row.get(0))
                .unwrap();
            assert_eq!(text_of(unix_millis), Some(format!("{expected}.000Z")));
            assert_eq!(text_of(unix_millis + 7), Some(format!("{expected}.007Z")));
            let mut day = String::new();
            write_date(
                &mut day,
                i32::try_from(unix_millis.div_euclid(86_400_000)).unwrap(),
            )
            .unwrap();
            assert!(expected.starts_with(&day), "{day}");
        }
    }
}
