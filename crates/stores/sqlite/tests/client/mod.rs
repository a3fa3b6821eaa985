//! A plain SQLite client, as anybody has one who reads the views: it shares no code with the store.

use std::path::Path;

use projectionist_core::Timestamp;
use projectionist_core::row::{ColumnType, OwnedCell, Table};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags};

/// A connection that reads a file.
pub(crate) struct Client {
    connection: Connection,
}

impl Client {
    /// Opens a file that exists.
    pub(crate) fn open(path: &Path) -> Self {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
        Self {
            connection: connection.unwrap(),
        }
    }

    /// All rows of a table; `None` when there is no such table.
    pub(crate) fn rows(&self, table: &Table) -> Option<Vec<Vec<OwnedCell>>> {
        let name = match &table.name.tenant {
            Some(tenant) => format!("{tenant}__{}", table.name.name),
            None => table.name.name.to_string(),
        };
        let found: bool = self
            .connection
            .query_row(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                [&name],
                |row| row.get(0),
            )
            .unwrap();
        if !found {
            return None;
        }
        // By name: the file's columns may stand in another order than the declared ones.
        let columns: Vec<String> = table.columns.iter().map(|c| quoted(&c.name)).collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), quoted(&name));
        let mut statement = self.connection.prepare(&sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let columns = table.columns.iter().enumerate();
            let cells = columns.map(|(index, column)| {
                let value = row.get(index).unwrap();
                self.cell(column.column_type, value)
            });
            found.push(cells.collect());
        }
        Some(found)
    }

    /// The value of a column, which must be stored as the type says.
    fn cell(&self, column_type: ColumnType, value: Value) -> OwnedCell {
        match (column_type, value) {
            (_, Value::Null) => OwnedCell::Null,
            (ColumnType::Text | ColumnType::Varchar { .. }, Value::Text(text)) => {
                OwnedCell::Text(text.into())
            }
            (
                ColumnType::BigInt | ColumnType::Int | ColumnType::SmallInt,
                Value::Integer(value),
            ) => OwnedCell::Int(value),
            (ColumnType::Boolean, Value::Integer(value @ 0..=1)) => OwnedCell::Bool(value == 1),
            (ColumnType::Double | ColumnType::Real, Value::Real(value)) => OwnedCell::Double(value),
            (ColumnType::Numeric { .. }, Value::Text(text)) => OwnedCell::Numeric(text.into()),
            (ColumnType::TimestampTz, Value::Text(text)) => {
                OwnedCell::Timestamp(self.moment(&text))
            }
            (ColumnType::Date, Value::Text(text)) => OwnedCell::Date(self.day(&text)),
            (ColumnType::Bytea, Value::Blob(bytes)) => OwnedCell::Bytes(bytes.into()),
            (ColumnType::Array(_), Value::Text(text)) => {
                assert!(self.is_array(&text), "{text}");
                OwnedCell::Array(text.into())
            }
            (ColumnType::Uuid, Value::Text(text)) => OwnedCell::Uuid(uuid(&text)),
            (ColumnType::Jsonb, Value::Text(text)) => OwnedCell::Json(text.into()),
            (column_type, value) => panic!("{column_type} is stored as {value:?}"),
        }
    }

    /// SQLite's own date functions read the text.
    fn moment(&self, text: &str) -> Timestamp {
        assert_eq!(text.len(), "2024-06-25T16:00:00.000Z".len(), "{text}");
        let unix_millis = self.connection.query_row(
            "SELECT unixepoch(?1) * 1000 + CAST(substr(?1, 21, 3) AS INTEGER)",
            [text],
            |row| row.get(0),
        );
        Timestamp::from_unix_millis(unix_millis.unwrap())
    }

    /// SQLite's own date functions read the text.
    fn day(&self, text: &str) -> i32 {
        assert_eq!(text.len(), "2024-06-25".len(), "{text}");
        let days = self
            .connection
            .query_row("SELECT unixepoch(?1) / 86400", [text], |row| row.get(0));
        days.unwrap()
    }

    /// Whether SQLite's own JSON functions read an array.
    fn is_array(&self, text: &str) -> bool {
        let sql = "SELECT json_valid(?1) AND json_type(?1) = 'array'";
        let found = self.connection.query_row(sql, [text], |row| row.get(0));
        found.unwrap()
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn uuid(text: &str) -> [u8; 16] {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12], "{text}");
    assert_eq!(text, text.to_lowercase());
    u128::from_str_radix(&text.replace('-', ""), 16)
        .unwrap()
        .to_be_bytes()
}
