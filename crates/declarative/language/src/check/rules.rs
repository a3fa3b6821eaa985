//! How values become cells of a column: `coerce`, `tz` and `nul`.

use projectionist_core::row::ColumnType;

use super::{choice, keys, zone};
use crate::model::{ColumnRules, NulRule};
use crate::report::Report;
use crate::tree::{Mapping, Value};
use crate::vocabulary::COLUMN;

/// Reads the rules of a column, and reports those that can do nothing for its type.
pub(super) fn read(
    report: &mut Report<'_>,
    options: &Mapping,
    subject: &str,
    column_type: Option<ColumnType>,
) -> ColumnRules {
    let lenient = choice::word(report, options, &COLUMN, "coerce").is_some();
    let zone = options.get("tz").and_then(|entry| {
        match &entry.value.value {
            // A number is an offset that is written otherwise, which the zone explains.
            Value::Scalar(scalar) if !entry.value.is_null() => {
                zone::parse(report, entry.value.place, &scalar.text)
            }
            _ => {
                let text = keys::text(report, &entry.value, "`tz`")?;
                zone::parse(report, entry.value.place, text)
            }
        }
    });
    let nul = match choice::word(report, options, &COLUMN, "nul") {
        Some("strip") => NulRule::Strip,
        Some("replace") => NulRule::Replace,
        _ => NulRule::Error,
    };
    if let Some(column_type) = column_type {
        for (key, of, idle) in [
            (
                "coerce",
                "numbers and truth values",
                takes_no_spelt_values(column_type),
            ),
            (
                "tz",
                "TIMESTAMPTZ",
                of_values(column_type) != ColumnType::TimestampTz,
            ),
            ("nul", "texts and JSON", holds_no_text(column_type)),
        ] {
            if let Some(entry) = options.get(key)
                && idle
            {
                let message = format!("`{key}` is for {of}; {subject} is {column_type}");
                report.fault_with_help(entry.place, message, format!("take `{key}` out"));
            }
        }
    }
    ColumnRules { lenient, zone, nul }
}

/// The type of the values that the rules hold for: those of an array are its elements.
fn of_values(column_type: ColumnType) -> ColumnType {
    match column_type {
        ColumnType::Array(element) => element.into(),
        other => other,
    }
}

/// Whether a text that spells a number or a truth value is never kept as what it spells.
fn takes_no_spelt_values(column_type: ColumnType) -> bool {
    let values = of_values(column_type);
    !values.is_number() && values != ColumnType::Boolean
}

/// Whether no cell of the type can hold a character of the event.
fn holds_no_text(column_type: ColumnType) -> bool {
    !matches!(
        of_values(column_type),
        ColumnType::Text | ColumnType::Varchar { .. } | ColumnType::Jsonb
    )
}
