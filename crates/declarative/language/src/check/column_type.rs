//! The names of column types.

use projectionist_core::row::ColumnType;

use crate::report::Report;
use crate::source::Place;
use crate::suggest::did_you_mean;

/// The largest precision of a NUMERIC, as in PostgreSQL.
const MAX_PRECISION: u16 = 1_000;

/// The types without parameters.
const SIMPLE: [(&str, ColumnType); 9] = [
    ("TEXT", ColumnType::Text),
    ("BIGINT", ColumnType::BigInt),
    ("INT", ColumnType::Int),
    ("BOOLEAN", ColumnType::Boolean),
    ("DOUBLE", ColumnType::Double),
    ("NUMERIC", ColumnType::Numeric { limits: None }),
    ("TIMESTAMPTZ", ColumnType::TimestampTz),
    ("UUID", ColumnType::Uuid),
    ("JSONB", ColumnType::Jsonb),
];

/// Types that this build does not have, and what to write for most of them.
const LATER: [(&str, Option<&str>); 26] = [
    ("VARCHAR", Some("TEXT")),
    ("CHAR", Some("TEXT")),
    ("CHARACTER", Some("TEXT")),
    ("STRING", Some("TEXT")),
    ("SMALLINT", Some("INT")),
    ("INTEGER", Some("INT")),
    ("INT2", Some("INT")),
    ("INT4", Some("INT")),
    ("INT8", Some("BIGINT")),
    ("SERIAL", Some("INT")),
    ("BIGSERIAL", Some("BIGINT")),
    ("BOOL", Some("BOOLEAN")),
    ("REAL", Some("DOUBLE")),
    ("FLOAT", Some("DOUBLE")),
    ("FLOAT4", Some("DOUBLE")),
    ("FLOAT8", Some("DOUBLE")),
    ("DOUBLE PRECISION", Some("DOUBLE")),
    ("DECIMAL", Some("NUMERIC")),
    ("MONEY", Some("NUMERIC")),
    ("TIMESTAMP", Some("TIMESTAMPTZ")),
    ("JSON", Some("JSONB")),
    ("DATE", None),
    ("TIME", None),
    ("INTERVAL", None),
    ("BYTEA", None),
    ("ARRAY", None),
];

/// The type of that name, in any case.
pub(super) fn parse(report: &mut Report<'_>, place: Place, text: &str) -> Option<ColumnType> {
    let upper = text.trim().to_ascii_uppercase();
    let (name, parameters) = match upper.split_once('(') {
        Some((name, parameters)) => (name.trim(), Some(parameters)),
        None => (upper.as_str(), None),
    };
    if name.is_empty() {
        report.fault_with_help(place, "the type is empty", help());
        return None;
    }
    if upper.ends_with("[]") {
        report.not_built(place, &format!("the type `{text}`, an array,"));
        return None;
    }
    if let Some((_, instead)) = LATER.iter().find(|(later, _)| *later == name) {
        let message = format!("the type `{text}` is not built yet");
        match instead {
            Some(instead) => {
                report.fault_with_help(place, message, format!("write `{instead}`"));
            }
            None => report.fault(place, message),
        }
        return None;
    }
    let Some((_, column_type)) = SIMPLE.iter().find(|(simple, _)| *simple == name) else {
        let slip = did_you_mean(name, SIMPLE.iter().map(|(simple, _)| *simple));
        report.fault_with_help(place, format!("unknown type `{text}`{slip}"), help());
        return None;
    };
    let Some(parameters) = parameters else {
        return Some(*column_type);
    };
    if !matches!(column_type, ColumnType::Numeric { .. }) {
        report.fault_with_help(
            place,
            format!("the type {name} has no parameters"),
            format!("write `{name}`"),
        );
        return None;
    }
    numeric(report, place, text, parameters)
}

/// The parameters of a NUMERIC, which begin behind the opening bracket.
fn numeric(
    report: &mut Report<'_>,
    place: Place,
    text: &str,
    parameters: &str,
) -> Option<ColumnType> {
    let Some(inside) = parameters.trim_end().strip_suffix(')') else {
        report.fault_with_help(
            place,
            format!("the type `{text}` ends before its closing bracket"),
            "inside `{ }` a comma ends a value; put the type in quotes: `\"NUMERIC(12,2)\"`",
        );
        return None;
    };
    let (precision, scale) = match inside.split_once(',') {
        Some((precision, scale)) => (precision, scale),
        None => (inside, "0"),
    };
    let number = |text: &str| text.trim().parse::<u16>().ok();
    let limits = number(precision).zip(number(scale));
    match limits {
        Some((precision, scale))
            if (1..=MAX_PRECISION).contains(&precision) && scale <= precision =>
        {
            Some(ColumnType::Numeric { limits })
        }
        _ => {
            report.fault_with_help(
                place,
                format!("`{text}` is no type: its precision and scale cannot be used"),
                format!(
                    "NUMERIC(precision,scale) wants a precision of 1 to {MAX_PRECISION} digits, and \
                     a scale from 0 to the precision"
                ),
            );
            None
        }
    }
}

fn help() -> String {
    let names: Vec<&str> = SIMPLE.iter().map(|(name, _)| *name).collect();
    format!(
        "the types are {} and NUMERIC(precision,scale)",
        names.join(", ")
    )
}
