//! Tables and batches for the cases of read models.

use projectionist_core::row::{
    Absent, Cell, Change, Column, ColumnType, Effect, ElementType, OwnedCell, Present, RowBatch,
    RowRef, Table, TableName,
};

/// The projection that writes the tables of the cases, if they name no other.
pub const OWNER: &str = "orders";

/// The types that have one spelling.
pub const TYPES: [ColumnType; 18] = [
    ColumnType::Text,
    ColumnType::BigInt,
    ColumnType::Int,
    ColumnType::Boolean,
    ColumnType::Double,
    ColumnType::Numeric { limits: None },
    ColumnType::Numeric {
        limits: Some((12, 2)),
    },
    ColumnType::TimestampTz,
    ColumnType::Uuid,
    ColumnType::Jsonb,
    ColumnType::Varchar { limit: 12 },
    ColumnType::SmallInt,
    ColumnType::Real,
    ColumnType::Date,
    ColumnType::Bytea,
    ColumnType::Array(ElementType::Text),
    ColumnType::Array(ElementType::BigInt),
    ColumnType::Array(ElementType::Numeric { limits: None }),
];

/// A column that may be null and has no default.
#[must_use]
pub fn column(name: &str, column_type: ColumnType) -> Column {
    Column {
        name: name.into(),
        column_type,
        nullable: true,
        default: None,
    }
}

/// A table of the projection [`OWNER`] without a tenant. Columns of the key are never null.
#[must_use]
pub fn table(name: &str, mut columns: Vec<Column>, key: &[usize]) -> Table {
    for (index, column) in columns.iter_mut().enumerate() {
        column.nullable &= !key.contains(&index);
    }
    Table {
        name: TableName {
            tenant: None,
            name: name.into(),
        },
        owner: OWNER.into(),
        columns: columns.into(),
        key: key.into(),
        indexes: [].into(),
    }
}

/// The same table of a tenant.
#[must_use]
pub fn of_tenant(table: &Table, tenant: &str) -> Table {
    let mut table = table.clone();
    table.name.tenant = Some(tenant.into());
    table
}

/// The same table of another projection.
#[must_use]
pub fn of_owner(table: &Table, owner: &str) -> Table {
    let mut table = table.clone();
    table.owner = owner.into();
    table
}

/// A table with the key `id` and one value of that type.
#[must_use]
pub fn id_and(value: Column) -> Table {
    let id = column("id", ColumnType::BigInt);
    table("counted", vec![id, value], &[0])
}

/// A row as the harness reads it back.
#[must_use]
pub fn cells(row: &[Cell<'_>]) -> Vec<OwnedCell> {
    row.iter().map(|cell| (*cell).into()).collect()
}

/// Adds a row.
///
/// # Panics
/// When it is not as wide as the batch.
pub fn push(batch: &mut RowBatch, row: &[Cell<'_>]) -> RowRef {
    batch.push_row(row).unwrap()
}

/// Adds an effect that reports whether the row existed.
pub fn effect(batch: &mut RowBatch, row: RowRef, absent: Absent, present: Present) {
    batch.push_effect(Effect {
        row,
        absent,
        present,
        report_existed: true,
    });
}

/// Adds a row that is inserted or overwrites.
pub fn upsert(batch: &mut RowBatch, row: &[Cell<'_>]) {
    let row = push(batch, row);
    effect(batch, row, Absent::Insert, Present::Overwrite);
}

/// A batch of rows that are inserted or overwrite.
#[must_use]
pub fn upserts(rows: &[&[Cell<'_>]]) -> RowBatch {
    let mut batch = RowBatch::new(rows.first().map_or(0, |row| row.len()));
    for row in rows {
        upsert(&mut batch, row);
    }
    batch
}

/// A change of the present row with the key of `operands`, by `shape`.
///
/// # Panics
/// When the batch is full.
pub fn change(batch: &mut RowBatch, operands: &[Cell<'_>], shape: &[Change]) {
    let operands = push(batch, operands);
    let shape = batch.shape(shape).unwrap();
    let change = Present::Change { shape, operands };
    effect(batch, operands, Absent::Stay, change);
}

/// A batch that adds to the second column of the row with that id.
#[must_use]
pub fn adding(id: i64, operand: Cell<'_>) -> RowBatch {
    let mut batch = RowBatch::new(2);
    change(
        &mut batch,
        &[Cell::Int(id), operand],
        &[Change::Keep, Change::Add],
    );
    batch
}
