//! Adds to a cell, and refuses sums that the column cannot hold.

use projectionist_core::row::{Cell, Column, ColumnType, OwnedCell, add_decimal};

/// What `column` holds after `operand` was added to `present`. A null counts as the column's
/// default, or as zero where it has none.
///
/// # Errors
/// The reason, without the table.
pub(crate) fn sum(
    column: &Column,
    present: Cell<'_>,
    operand: Cell<'_>,
) -> Result<OwnedCell, String> {
    let base = match (present, &column.default) {
        (Cell::Null, Some(default)) => default.as_cell(),
        (present, _) => present,
    };
    let sum = match (column.column_type, operand) {
        (ColumnType::BigInt | ColumnType::Int, Cell::Int(operand)) => {
            int(column.column_type, base, operand).map(OwnedCell::Int)
        }
        (ColumnType::Double, Cell::Double(operand)) => double(base, operand).map(OwnedCell::Double),
        (ColumnType::Numeric { limits }, Cell::Numeric(operand)) => {
            numeric(base, operand, limits).map(OwnedCell::Numeric)
        }
        (column_type, _) => {
            let name = &column.name;
            return Err(format!(
                "column {name} is {column_type}: the operand is nothing that can be added to it"
            ));
        }
    };
    sum.ok_or_else(|| {
        let Column {
            name, column_type, ..
        } = column;
        format!("the sum in column {name} does not fit {column_type}")
    })
}

fn int(column_type: ColumnType, base: Cell<'_>, operand: i64) -> Option<i64> {
    let base = match base {
        Cell::Null => 0,
        Cell::Int(base) => base,
        _ => return None,
    };
    let sum = base.checked_add(operand)?;
    let fits = column_type == ColumnType::BigInt || i32::try_from(sum).is_ok();
    fits.then_some(sum)
}

fn double(base: Cell<'_>, operand: f64) -> Option<f64> {
    let base = match base {
        Cell::Null => 0.0,
        Cell::Double(base) => base,
        _ => return None,
    };
    Some(base + operand).filter(|sum| sum.is_finite())
}

fn numeric(base: Cell<'_>, operand: &str, limits: Option<(u16, u16)>) -> Option<Box<str>> {
    let base = match base {
        Cell::Null => "0",
        Cell::Numeric(base) => base,
        _ => return None,
    };
    add_decimal(base, operand, limits).map(Into::into)
}
