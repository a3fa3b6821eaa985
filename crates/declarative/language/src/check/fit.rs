//! Whether an expression can give a value of a column's type at all.

use projectionist_core::row::ColumnType;

use super::columns::DraftColumn;
use crate::cel;
use crate::coerce::{CoerceBuffer, coerce};
use crate::expression;
use crate::model::{Expression, Literal, Metadata, Path};
use crate::report::Report;
use crate::source::Place;

/// Reports an expression that never fits its column. Null fits here.
pub(super) fn check(
    report: &mut Report<'_>,
    column: &DraftColumn<'_>,
    expression: &Expression,
    place: Place,
) {
    let Some(column_type) = column.column_type else {
        return;
    };
    let name = column.name;
    match expression {
        Expression::Literal(literal) => {
            let (rules, mut buffer) = (column.rules, CoerceBuffer::new());
            if let Err(error) = coerce(column_type, rules, literal.into(), &mut buffer) {
                report.fault(
                    place,
                    format!("the value of `{name}` does not fit: {error}"),
                );
            }
        }
        Expression::Path(Path::Metadata(metadata)) => {
            // A text may spell what a lenient column takes.
            let misfit = metadata_misfit(*metadata, column_type);
            let misfit = misfit.filter(|(is, _)| !(column.rules.lenient && *is == TEXT));
            if let Some((is, fitting)) = misfit {
                let envelope = expression::metadata_name(*metadata);
                let message =
                    format!("`{name}` is {column_type}, and `{envelope}` of the envelope is {is}");
                let help = format!(
                    "make the column {fitting}, or write `event.payload.{envelope}` for a value of \
                     the payload"
                );
                report.fault_with_help(place, message, help);
            }
        }
        Expression::Cel(cel) => warn_of_or(report, name, column_type, &cel.text, place),
        Expression::Path(Path::Payload(_) | Path::Item(_)) => {}
    }
}

/// Warns of `event.a || event.b` as a text, which other languages read as the first that is there,
/// and SQL as one behind the other.
fn warn_of_or(
    report: &mut Report<'_>,
    name: &str,
    column_type: ColumnType,
    text: &str,
    place: Place,
) {
    let is_text = matches!(column_type, ColumnType::Text | ColumnType::Varchar { .. });
    if !is_text || !cel::is_or_of_places(text) {
        return;
    }
    let parts: Vec<&str> = text.split("||").map(str::trim).collect();
    let message = format!("`||` gives true or false, and `{name}` is {column_type}");
    let help = format!(
        "write `coalesce({})` for the first that is there, or `{}` to join texts",
        parts.join(", "),
        parts.join(" + ")
    );
    report.warning(place, message, help);
}

/// What most names of the envelope are.
const TEXT: &str = "a text";

/// What a name of the envelope is, and the type that can hold it, where this one never can.
fn metadata_misfit(
    metadata: Metadata,
    column_type: ColumnType,
) -> Option<(&'static str, &'static str)> {
    match (metadata, column_type) {
        (
            Metadata::EventType
            | Metadata::EntityId
            | Metadata::ForkId
            | Metadata::TenantSchema
            | Metadata::IrVersion,
            ColumnType::BigInt
            | ColumnType::Int
            | ColumnType::SmallInt
            | ColumnType::Double
            | ColumnType::Real
            | ColumnType::Boolean
            | ColumnType::Array(_),
        ) => Some((TEXT, "TEXT")),
        (Metadata::Ts, ColumnType::Int) => Some((
            "a count of milliseconds since 1970, which is beyond INT",
            "BIGINT or TIMESTAMPTZ",
        )),
        (Metadata::Ts, ColumnType::SmallInt) => Some((
            "a count of milliseconds since 1970, which is beyond SMALLINT",
            "BIGINT or TIMESTAMPTZ",
        )),
        (
            Metadata::Ts | Metadata::SequenceNumber,
            ColumnType::Boolean
            | ColumnType::Date
            | ColumnType::Uuid
            | ColumnType::Bytea
            | ColumnType::Array(_),
        ) => Some(("a whole number", "BIGINT")),
        _ => None,
    }
}

/// Whether a column of the type can hold `event.entityId`.
pub(super) fn holds_entity(column_type: ColumnType) -> bool {
    metadata_misfit(Metadata::EntityId, column_type).is_none()
}

/// Whether the expression reads the element of `each`.
pub(super) fn reads_item(expression: &Expression) -> bool {
    match expression {
        Expression::Path(path) => matches!(path, Path::Item(_)),
        Expression::Cel(cel) => cel.reads.iter().any(|path| matches!(path, Path::Item(_))),
        Expression::Literal(_) => false,
    }
}

/// Whether the expression is the literal null.
pub(super) fn is_null(expression: &Expression) -> bool {
    matches!(expression, Expression::Literal(Literal::Null))
}
