//! Compares the rows of a table with those that the events make.
//!
//! Both sides come in the order of their keys, side by side.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::vec::IntoIter;

use projectionist_core::row::{Table, TableName};
use projectionist_store_sqlite::SqliteView;
use projectionist_store_sqlite::rusqlite::types::Value;

use crate::commands::explain::values::Row;
use crate::exit::Failure;

/// How the rows of one table compare.
#[derive(Debug)]
pub(super) struct Compared {
    pub(super) name: TableName,
    /// How many rows the table has.
    pub(super) rows: u64,
    /// How many rows the events make that it has not.
    pub(super) missing: u64,
    /// How many rows it has that the events do not make.
    pub(super) unexpected: u64,
    /// How many rows have other values.
    pub(super) differing: u64,
    /// The first rows that differ in one way or another.
    pub(super) sample: Vec<Different>,
}

/// A row that is not as the events make it.
#[derive(Debug)]
pub(super) struct Different {
    /// The row in the table; `None` when it is missing.
    pub(super) actual: Option<Row>,
    /// The row as the events make it; `None` when they make none.
    pub(super) expected: Option<Row>,
}

impl Compared {
    /// How many rows are not as the events make them.
    pub(super) fn wrong(&self) -> u64 {
        self.missing + self.unexpected + self.differing
    }
}

/// Compares `table` in the view with the rows of `expected`; tells at most `sample` that differ.
pub(super) fn compare(
    view: &SqliteView,
    table: &Table,
    mut expected: Vec<Row>,
    sample: usize,
) -> Result<Compared, Failure> {
    let key = &*table.key;
    expected.sort_by(|a, b| order(key, a, b));
    let mut merge = Merge {
        key,
        expected: expected.into_iter().peekable(),
        most: sample,
        compared: Compared {
            name: table.name.clone(),
            rows: 0,
            missing: 0,
            unexpected: 0,
            differing: 0,
            sample: Vec::new(),
        },
    };
    if view.tables(&table.name.name)?.contains(&table.name) {
        view.rows(table, |row| merge.take(row))?;
    }
    Ok(merge.end())
}

struct Merge<'a> {
    key: &'a [usize],
    expected: Peekable<IntoIter<Row>>,
    most: usize,
    compared: Compared,
}

impl Merge<'_> {
    /// Takes the next row of the table.
    fn take(&mut self, actual: Row) {
        self.compared.rows += 1;
        while let Some(missing) = self
            .expected
            .next_if(|expected| order(self.key, expected, &actual).is_lt())
        {
            self.missing(missing);
        }
        let same = self
            .expected
            .next_if(|expected| order(self.key, expected, &actual).is_eq());
        match same {
            Some(expected) if expected == actual => {}
            Some(expected) => {
                self.compared.differing += 1;
                self.keep(Some(actual), Some(expected));
            }
            None => {
                self.compared.unexpected += 1;
                self.keep(Some(actual), None);
            }
        }
    }

    fn missing(&mut self, expected: Row) {
        self.compared.missing += 1;
        self.keep(None, Some(expected));
    }

    fn keep(&mut self, actual: Option<Row>, expected: Option<Row>) {
        if self.compared.sample.len() < self.most {
            self.compared.sample.push(Different { actual, expected });
        }
    }

    fn end(mut self) -> Compared {
        while let Some(missing) = self.expected.next() {
            self.missing(missing);
        }
        self.compared
    }
}

/// Orders two rows by their keys, as SQLite orders values.
fn order(key: &[usize], a: &Row, b: &Row) -> Ordering {
    let pairs = key.iter().map(|column| (a.get(*column), b.get(*column)));
    let orders = pairs.map(|(a, b)| match (a, b) {
        (Some(Value::Integer(a)), Some(Value::Integer(b))) => a.cmp(b),
        // No NaN is stored: it is a null.
        (Some(Value::Real(a)), Some(Value::Real(b))) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        (Some(Value::Text(a)), Some(Value::Text(b))) => a.as_bytes().cmp(b.as_bytes()),
        (Some(Value::Blob(a)), Some(Value::Blob(b))) => a.cmp(b),
        // A column holds values of one kind; a key holds no null.
        _ => Ordering::Equal,
    });
    orders.fold(Ordering::Equal, Ordering::then)
}
