//! Adds cells of one column, as a store would.

use projectionist_core::Defect;
use projectionist_core::row::{Cell, Column, ColumnType, add_decimal, add_real};

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
        (ColumnType::Real, Cell::Double(amount)) => {
            let current = match current {
                Cell::Double(current) => current,
                _ => 0.0,
            };
            add_real(current, amount).map(Sum::Double)
        }
        (column_type, Cell::Int(amount)) => {
            let current = match current {
                Cell::Int(current) => current,
                _ => 0,
            };
            let sum = current.checked_add(amount)?;
            let fits = column_type.integers()?.contains(&sum);
            fits.then_some(Sum::Int(sum))
        }
        _ => None,
    }
}

/// Whether two amounts may be added before the row is known without hiding a sum in between that
/// leaves the type: the sums in between must all lie between the first and the last.
///
/// DOUBLE and REAL never may: their addition is not associative.
pub(crate) fn may_combine(column_type: ColumnType, a: Cell<'_>, b: Cell<'_>) -> bool {
    match column_type {
        ColumnType::Double | ColumnType::Real => false,
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

#[cfg(test)]
mod tests {
    use projectionist_core::row::OwnedCell;

    use super::*;

    fn sum(column_type: ColumnType, current: Cell<'_>, amount: Cell<'_>) -> Option<OwnedCell> {
        let column = Column {
            name: "n".into(),
            column_type,
            nullable: true,
            default: None,
        };
        add(&column, current, amount).map(|sum| sum.as_cell().into())
    }

    #[test]
    fn smallint_stays_within_sixteen_bits() {
        let int =
            |current, amount| sum(ColumnType::SmallInt, Cell::Int(current), Cell::Int(amount));
        assert_eq!(int(32_766, 1), Some(OwnedCell::Int(32_767)));
        assert_eq!(int(32_767, 1), None);
        assert_eq!(int(-32_767, -1), Some(OwnedCell::Int(-32_768)));
        assert_eq!(int(-32_768, -1), None);
    }

    #[test]
    fn real_is_added_in_thirty_two_bits_one_amount_after_the_other() {
        let cell = |value: f32| Cell::Double(value.into());
        let real = |current, amount| sum(ColumnType::Real, current, amount);
        assert_eq!(
            real(cell(16_777_216.0), cell(1.0)),
            Some(OwnedCell::Double(16_777_216.0))
        );
        assert_eq!(real(Cell::Null, cell(0.5)), Some(OwnedCell::Double(0.5)));
        assert_eq!(real(cell(f32::MAX), cell(f32::MAX)), None);
        assert!(can_fail(ColumnType::Real));
        assert!(!may_combine(ColumnType::Real, cell(1.0), cell(1.0)));
    }
}
