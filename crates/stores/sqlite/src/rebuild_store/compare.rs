//! Compares two generations row by row, in one view of the file.
//!
//! Both tables are read in the order of their keys, side by side, so that nothing is kept but a row
//! of each.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::rebuild::{
    Comparison, Difference, Rebuild, RowDifference, TableComparison, TableSum,
};
use projectionist_core::row::{Table, TableName};
use projectionist_core::{LaneState, ProjectionId};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows};

use super::generation::Generation;
use super::tables;
use crate::error::read_error;
use crate::lane_row;
use crate::read_model::names::push_quoted;

/// The longest key that is told whole, in characters.
const SHOWN_CHARACTERS: usize = 200;

/// The names that the tables of one name are stored under, on either side.
type Pair = (Option<String>, Option<String>);

/// Compares what is in use with what `rebuild` has built.
pub(super) fn compare(
    connection: &Connection,
    rebuild: &Rebuild,
    live: Option<&Table>,
    shadow: &Table,
    sample: usize,
) -> Result<Comparison> {
    let failed = |error| read_error("tables to compare", error);
    // One view of everything, for as long as this is open.
    let view = connection.unchecked_transaction().map_err(failed)?;
    let lane = ProjectionId::new(rebuild.projection(), &rebuild.key)?;
    let offset = |lane: Option<LaneState>| lane.and_then(|lane| lane.offset);
    let mut comparison = Comparison {
        live: offset(lane_row::read(&view, &lane)?),
        shadow: offset(lane_row::read(&view, &rebuild.shadow_lane()?)?),
        tables: Vec::new(),
    };
    let columns = live.filter(|live| have_same_columns(live, shadow));
    for (tenant, (left, right)) in pairs(&view, rebuild, live, shadow)? {
        let tables = Tables {
            left: left.as_deref(),
            right: right.as_deref(),
            shape: shadow,
        };
        let compared = match columns {
            Some(_) => tables.row_by_row(&view, sample),
            None => tables.counted(&view),
        };
        let mut compared = compared.map_err(failed)?;
        compared.name = TableName {
            tenant,
            name: Arc::clone(&rebuild.table),
        };
        comparison.tables.push(compared);
    }
    Ok(comparison)
}

/// The tables of either side by their tenants.
fn pairs(
    connection: &Connection,
    rebuild: &Rebuild,
    live: Option<&Table>,
    shadow: &Table,
) -> Result<BTreeMap<Option<Arc<str>>, Pair>> {
    let mut pairs: BTreeMap<Option<Arc<str>>, Pair> = BTreeMap::new();
    let live = Generation {
        projection: rebuild.projection().to_owned(),
        table: live.map(|live| Arc::clone(&live.name.name)),
    };
    for (name, stored) in tables::of(connection, &live)? {
        pairs.entry(name.tenant).or_default().0 = Some(stored);
    }
    let shadow = Generation {
        projection: shadow.owner.to_string(),
        table: Some(Arc::clone(&shadow.name.name)),
    };
    for (name, stored) in tables::of(connection, &shadow)? {
        pairs.entry(name.tenant).or_default().1 = Some(stored);
    }
    Ok(pairs)
}

/// Whether rows of both tables can be compared: the columns have the same names, whatever their
/// order, and the keys are the same.
fn have_same_columns(live: &Table, shadow: &Table) -> bool {
    let names = |table: &Table| {
        let mut names: Vec<Box<str>> = table.columns.iter().map(|one| one.name.clone()).collect();
        names.sort();
        names
    };
    names(live) == names(shadow) && key_of(live) == key_of(shadow)
}

fn key_of(table: &Table) -> Vec<&str> {
    let columns = table.key.iter().filter_map(|at| table.columns.get(*at));
    columns.map(|column| &*column.name).collect()
}

/// Two tables of one tenant.
struct Tables<'a> {
    left: Option<&'a str>,
    right: Option<&'a str>,
    shape: &'a Table,
}

impl Tables<'_> {
    /// The key's columns, then the others.
    fn columns(&self) -> Vec<&str> {
        let key = key_of(self.shape);
        let all = self.shape.columns.iter().enumerate();
        let others = all
            .filter(|(index, _)| !self.shape.is_key(*index))
            .map(|(_, column)| &*column.name);
        key.into_iter().chain(others).collect()
    }

    fn row_by_row(
        &self,
        connection: &Connection,
        sample: usize,
    ) -> rusqlite::Result<TableComparison> {
        let columns = self.columns();
        let key = self.shape.key.len();
        let text = |stored: &str| select(stored, &columns, key);
        let mut left = self
            .left
            .map(|stored| connection.prepare(&text(stored)))
            .transpose()?;
        let mut right = self
            .right
            .map(|stored| connection.prepare(&text(stored)))
            .transpose()?;
        let mut left = Side::of(left.as_mut().map(|it| it.query([])).transpose()?);
        let mut right = Side::of(right.as_mut().map(|it| it.query([])).transpose()?);
        let (mut differing, mut differences) = (0, Vec::new());
        left.next(columns.len())?;
        right.next(columns.len())?;
        loop {
            let (difference, row) = match order(&left.row, &right.row, key) {
                None => break,
                Some(Ordering::Less) => (Some(Difference::OnlyLive), left.row.clone()),
                Some(Ordering::Greater) => (Some(Difference::OnlyShadow), right.row.clone()),
                Some(Ordering::Equal) if left.row == right.row => (None, None),
                Some(Ordering::Equal) => {
                    let changed = changed(&columns, &left.row, &right.row);
                    (Some(Difference::Columns(changed)), left.row.clone())
                }
            };
            match difference {
                Some(Difference::OnlyLive) => left.next(columns.len())?,
                Some(Difference::OnlyShadow) => right.next(columns.len())?,
                _ => {
                    left.next(columns.len())?;
                    right.next(columns.len())?;
                }
            }
            let Some((difference, row)) = difference.zip(row) else {
                continue;
            };
            differing += 1;
            if differences.len() < sample {
                let key = shown(&columns, row.get(..key).unwrap_or_default());
                differences.push(RowDifference { key, difference });
            }
        }
        Ok(TableComparison {
            name: self.shape.name.clone(),
            live: self.left.map(|_| left.sum),
            shadow: self.right.map(|_| right.sum),
            differing: Some(differing),
            sample: differences,
        })
    }

    /// Tables whose rows cannot be compared: only how many there are, and the digests.
    fn counted(&self, connection: &Connection) -> rusqlite::Result<TableComparison> {
        let sum = |stored: &str| -> rusqlite::Result<TableSum> {
            let mut text = String::from("SELECT * FROM ");
            push_quoted(&mut text, stored);
            let mut statement = connection.prepare(&text)?;
            let width = statement.column_count();
            let mut side = Side::of(Some(statement.query([])?));
            side.next(width)?;
            while side.row.is_some() {
                side.next(width)?;
            }
            Ok(side.sum)
        };
        Ok(TableComparison {
            name: self.shape.name.clone(),
            live: self.left.map(sum).transpose()?,
            shadow: self.right.map(sum).transpose()?,
            differing: None,
            sample: Vec::new(),
        })
    }
}

/// All rows in the order of the key, whose columns come first.
fn select(stored: &str, columns: &[&str], key: usize) -> String {
    let mut text = String::from("SELECT ");
    let list = |text: &mut String, columns: &[&str]| {
        for (place, column) in columns.iter().enumerate() {
            text.push_str(if place > 0 { ", " } else { "" });
            push_quoted(text, column);
        }
    };
    list(&mut text, columns);
    text.push_str(" FROM ");
    push_quoted(&mut text, stored);
    text.push_str(" ORDER BY ");
    list(&mut text, columns.get(..key).unwrap_or(columns));
    text
}

/// A value as the file holds it. Floats are equal when their bits are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Null,
    Integer(i64),
    Real(u64),
    Text(Vec<u8>),
    Blob(Vec<u8>),
}

/// The rows of one side, and what they add up to.
struct Side<'s> {
    rows: Option<Rows<'s>>,
    row: Option<Vec<Value>>,
    sum: TableSum,
}

impl<'s> Side<'s> {
    fn of(rows: Option<Rows<'s>>) -> Self {
        Self {
            rows,
            row: None,
            sum: TableSum {
                rows: 0,
                digest: BASIS,
            },
        }
    }

    /// Goes to the next row, which has so many columns.
    fn next(&mut self, columns: usize) -> rusqlite::Result<()> {
        let Some(rows) = &mut self.rows else {
            return Ok(());
        };
        self.row = match rows.next()? {
            Some(row) => Some(values(row, columns)?),
            None => None,
        };
        if let Some(row) = &self.row {
            self.sum.rows += 1;
            self.sum.digest = row.iter().fold(self.sum.digest, digest);
        }
        Ok(())
    }
}

fn values(row: &Row<'_>, columns: usize) -> rusqlite::Result<Vec<Value>> {
    let value = |column| {
        Ok(match row.get_ref(column)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value.to_bits()),
            ValueRef::Text(text) => Value::Text(text.to_vec()),
            ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        })
    };
    (0..columns).map(value).collect()
}

/// Which row comes first; `None` when both sides have ended.
fn order(left: &Option<Vec<Value>>, right: &Option<Vec<Value>>, key: usize) -> Option<Ordering> {
    match (left, right) {
        (None, None) => None,
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (Some(left), Some(right)) => Some(left.get(..key).cmp(&right.get(..key))),
    }
}

fn changed(columns: &[&str], left: &Option<Vec<Value>>, right: &Option<Vec<Value>>) -> Vec<String> {
    let (Some(left), Some(right)) = (left, right) else {
        return Vec::new();
    };
    let values = columns.iter().zip(left.iter().zip(right));
    let other = values.filter(|(_, (left, right))| left != right);
    other.map(|(column, _)| (*column).to_owned()).collect()
}

/// A key for people.
fn shown(columns: &[&str], key: &[Value]) -> String {
    let parts: Vec<String> = columns
        .iter()
        .zip(key)
        .map(|(column, value)| {
            let value = match value {
                Value::Null => "null".to_owned(),
                Value::Integer(value) => value.to_string(),
                Value::Real(bits) => f64::from_bits(*bits).to_string(),
                Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
                Value::Blob(bytes) => format!("{} bytes", bytes.len()),
            };
            format!("{column}={value}")
        })
        .collect();
    parts.join(" ").chars().take(SHOWN_CHARACTERS).collect()
}

/// Of FNV-1a in 64 bits.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Takes a value into a digest: its type and its length first, so that no two rows run together.
fn digest(digest: u64, value: &Value) -> u64 {
    let mix = |digest: u64, bytes: &[u8]| {
        let step = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(PRIME);
        bytes.iter().fold(digest, step)
    };
    let (tag, bytes): (u8, &[u8]) = match value {
        Value::Null => (0, &[]),
        Value::Integer(value) => return mix(mix(digest, &[1]), &value.to_le_bytes()),
        Value::Real(bits) => return mix(mix(digest, &[2]), &bits.to_le_bytes()),
        Value::Text(text) => (3, text),
        Value::Blob(bytes) => (4, bytes),
    };
    let length = bytes.len().to_le_bytes();
    mix(mix(mix(digest, &[tag]), &length), bytes)
}
