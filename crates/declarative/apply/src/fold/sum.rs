//! Adds cells of one column, as a store would.

use projectionist_core::Defect;
use projectionist_core::row::{Cell, Column, ColumnType, add_decimal};

use crate::fault::Fault;

/// A sum that fits its column.
#[derive(Debug)]
pub(crate) enum Sum {
    Int(i64),
    Double(f64),
    Numeric(String),
}

impl Sum {
    pub(crate) fn as_cell(&self) -> Cell<'_> {
        match self {
            Self::Int(value) => Cell::Int(*value),
            Self::Double(value) => Cell::Double(*value),
            Self::Numeric(text) => Cell::Numeric(text),
        }
    }
}

/// Whether a sum can leave the type. Only NUMERIC without limits holds every sum.
pub(crate) fn can_fail(column_type: ColumnType) -> bool {
    column_type != ColumnType::Numeric { limits: None }
}

/// `current` plus `amount`, where a null counts as the column's default, or as zero where it has
/// none. `None` when the sum leaves the column's type.
pub(crate) fn add(column: &Column, current: Cell<'_>, amount: Cell<'_>) -> Option<Sum> {
    let current = match (current, &column.default) {
        (Cell::Null, Some(default)) => default.as_cell(),
        (current, _) => current,
    };
    match (column.column_type, amount) {
        (ColumnType::Numeric { limits }, Cell::Numeric(amount)) => {
            let current = match current {
                Cell::Numeric(current) => current,
                _ => "0",
            };
            add_decimal(current, amount, limits).map(Sum::Numeric)
        }
        (ColumnType::Double, Cell::Double(amount)) => {
            let current = match current {
                Cell::Double(current) => current,
                _ => 0.0,
            };
            let sum = current + amount;
            sum.is_finite().then_some(Sum::Double(sum))
        }
        (column_type, Cell::Int(amount)) => {
            let current = match current {
                Cell::Int(current) => current,
                _ => 0,
            };
            let sum = current.checked_add(amount)?;
            let fits = column_type != ColumnType::Int || i32::try_from(sum).is_ok();
            fits.then_some(Sum::Int(sum))
        }
        _ => None,
    }
}

/// Whether two amounts may be added before the row is known without hiding a sum in between that
/// leaves the type: the sums in between must all lie between the first and the last.
///
/// DOUBLE never may: its addition is not associative.
pub(crate) fn may_combine(column_type: ColumnType, a: Cell<'_>, b: Cell<'_>) -> bool {
    match column_type {
        ColumnType::Double => false,
        ColumnType::Numeric { limits: None } => true,
        _ => {
            let signs = i8::from(is_negative(a)) - i8::from(is_negative(b));
            signs == 0 || is_zero(a) || is_zero(b)
        }
    }
}

fn is_negative(amount: Cell<'_>) -> bool {
    match amount {
        Cell::Int(value) => value < 0,
        Cell::Numeric(text) => text.starts_with('-'),
        _ => false,
    }
}

fn is_zero(amount: Cell<'_>) -> bool {
    match amount {
        Cell::Int(value) => value == 0,
        Cell::Numeric(text) => text.bytes().all(|byte| matches!(byte, b'0' | b'.')),
        _ => false,
    }
}

/// Says that a sum leaves the column's type.
pub(crate) fn overflow(column: &Column, current: Cell<'_>, amount: Cell<'_>) -> Defect {
    let (current, amount) = (shown(current), shown(amount));
    let error = format!(
        "{current} plus {amount} does not fit {}",
        column.column_type
    );
    Fault::data(error).at(&*column.name).with_value(&amount)
}

fn shown(cell: Cell<'_>) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Int(value) => value.to_string(),
        Cell::Double(value) => value.to_string(),
        Cell::Numeric(text) => text.to_owned(),
        other => format!("{other:?}"),
    }
}
