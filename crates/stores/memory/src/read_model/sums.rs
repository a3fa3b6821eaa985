//! Adds to a cell, and refuses sums that the column cannot hold.

use projectionist_core::row::{Cell, Column, ColumnType, OwnedCell, add_decimal, add_real};

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
        (column_type, Cell::Int(operand)) if column_type.integers().is_some() => {
            int(column_type, base, operand).map(OwnedCell::Int)
        }
        (ColumnType::Double, Cell::Double(operand)) => float(base)
            .map(|base| base + operand)
            .filter(|sum| sum.is_finite())
            .map(OwnedCell::Double),
        (ColumnType::Real, Cell::Double(operand)) => float(base)
            .and_then(|base| add_real(base, operand))
            .map(OwnedCell::Double),
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
    let fits = column_type.integers()?.contains(&sum);
    fits.then_some(sum)
}

fn float(base: Cell<'_>) -> Option<f64> {
    match base {
        Cell::Null => Some(0.0),
        Cell::Double(base) => Some(base),
        _ => None,
    }
}

fn numeric(base: Cell<'_>, operand: &str, limits: Option<(u16, u16)>) -> Option<Box<str>> {
    let base = match base {
        Cell::Null => "0",
        Cell::Numeric(base) => base,
        _ => return None,
    };
    add_decimal(base, operand, limits).map(Into::into)
}
