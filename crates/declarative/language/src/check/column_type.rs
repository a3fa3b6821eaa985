//! The names of column types.

use projectionist_core::row::ColumnType;

use crate::report::Report;
use crate::source::Place;
use crate::suggest::did_you_mean;

/// The largest precision of a NUMERIC, as in PostgreSQL.
const MAX_PRECISION: u16 = 1_000;

/// The longest VARCHAR in characters, as in PostgreSQL.
const MAX_LENGTH: u32 = 10_485_760;

/// The types that can stand without parameters, by their own names.
const TYPES: [(&str, ColumnType); 13] = [
    ("TEXT", ColumnType::Text),
    ("BIGINT", ColumnType::BigInt),
    ("INT", ColumnType::Int),
    ("SMALLINT", ColumnType::SmallInt),
    ("BOOLEAN", ColumnType::Boolean),
    ("DOUBLE", ColumnType::Double),
    ("REAL", ColumnType::Real),
    ("NUMERIC", ColumnType::Numeric { limits: None }),
    ("TIMESTAMPTZ", ColumnType::TimestampTz),
    ("DATE", ColumnType::Date),
    ("UUID", ColumnType::Uuid),
    ("BYTEA", ColumnType::Bytea),
    ("JSONB", ColumnType::Jsonb),
];

/// Other names of SQL that mean exactly the same.
const ALIASES: [(&str, ColumnType); 12] = [
    ("INT8", ColumnType::BigInt),
    ("INTEGER", ColumnType::Int),
    ("INT4", ColumnType::Int),
    ("INT2", ColumnType::SmallInt),
    ("BOOL", ColumnType::Boolean),
    ("DOUBLE PRECISION", ColumnType::Double),
    ("FLOAT8", ColumnType::Double),
    ("FLOAT4", ColumnType::Real),
    ("DECIMAL", ColumnType::Numeric { limits: None }),
    ("TIMESTAMP WITH TIME ZONE", ColumnType::TimestampTz),
    // Without a length both are TEXT.
    ("VARCHAR", ColumnType::Text),
    ("CHARACTER VARYING", ColumnType::Text),
];

/// Types of SQL that mean something else than any type here, and what to write.
const OTHERS: [(&str, &str); 20] = [
    ("CHAR", "`VARCHAR(n)`, which is not padded"),
    ("CHARACTER", "`VARCHAR(n)`, which is not padded"),
    ("STRING", "`TEXT`"),
    ("NVARCHAR", "`VARCHAR(n)`"),
    ("SERIAL", "`INT`; every value comes from an event"),
    ("BIGSERIAL", "`BIGINT`; every value comes from an event"),
    ("TINYINT", "`SMALLINT`"),
    ("FLOAT", "`DOUBLE` for 64 bits, or `REAL` for 32"),
    ("NUMBER", "`NUMERIC(precision,scale)`"),
    ("MONEY", "`NUMERIC(precision,scale)`"),
    (
        "TIMESTAMP",
        "`TIMESTAMPTZ`, and `tz` where the texts of events name no zone",
    ),
    (
        "TIMESTAMP WITHOUT TIME ZONE",
        "`TIMESTAMPTZ`, and `tz` where the texts of events name no zone",
    ),
    ("DATETIME", "`TIMESTAMPTZ`"),
    ("TIME", "`TEXT`"),
    (
        "INTERVAL",
        "`TEXT`, or `BIGINT` for a number of milliseconds",
    ),
    ("JSON", "`JSONB`"),
    ("BLOB", "`BYTEA`"),
    ("BINARY", "`BYTEA`"),
    ("VARBINARY", "`BYTEA`"),
    (
        "ARRAY",
        "the type of the elements and `[]`, such as `TEXT[]`",
    ),
];

/// The type of that name, in any case.
pub(super) fn parse(report: &mut Report<'_>, place: Place, text: &str) -> Option<ColumnType> {
    let upper = text.to_ascii_uppercase();
    if let Some(help) = constraint_help(text, &upper) {
        report.fault_with_help(place, format!("`{text}` is more than a type"), help);
        return None;
    }
    let Some(element) = upper.trim().strip_suffix(']') else {
        return scalar(report, place, text, upper.trim());
    };
    let Some((element, length)) = element.rsplit_once('[') else {
        report.fault_with_help(place, format!("unknown type `{text}`"), help());
        return None;
    };
    let element = element.trim_end();
    if !length.trim().is_empty() {
        report.fault_with_help(
            place,
            format!("`{text}` is no type: an array has no length"),
            format!("write `{element}[]`"),
        );
        return None;
    }
    if element.ends_with(']') {
        report.fault_with_help(
            place,
            format!("`{text}` is no type: an array holds no arrays"),
            "write `JSONB`",
        );
        return None;
    }
    let element = scalar(report, place, text, element)?;
    let array = element.array();
    if array.is_none() {
        report.fault_with_help(
            place,
            format!("`{text}` is no type: there are no arrays of {element}"),
            format!("write `{element}`, which holds arrays too"),
        );
    }
    array
}

/// What to write instead of a type with what SQL says about null behind it.
fn constraint_help(text: &str, upper: &str) -> Option<String> {
    let upper = upper.trim_end();
    let before = upper.strip_suffix("NULL")?;
    let (end, nullable) = match before.trim_end().strip_suffix("NOT") {
        Some(before) => (before, false),
        None => (before, true),
    };
    if !end.ends_with(char::is_whitespace) {
        return None;
    }
    // Upper case of ASCII keeps every offset.
    let column_type = text.get(..end.len())?.trim();
    Some(if nullable {
        format!("write `{column_type}`; a column may be null unless it says `nullable: false`")
    } else if column_type.contains([',', '[']) {
        format!("write `{{ type: \"{column_type}\", nullable: false }}`")
    } else {
        format!("write `{{ type: {column_type}, nullable: false }}`")
    })
}

/// The type that is no array. `upper` is its name in upper case, `text` all that was written.
fn scalar(report: &mut Report<'_>, place: Place, text: &str, upper: &str) -> Option<ColumnType> {
    let (name, parameters) = match upper.split_once('(') {
        Some((name, parameters)) => (name, Some(parameters)),
        None => (upper, None),
    };
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        report.fault_with_help(place, "the type is empty", help());
        return None;
    }
    if let Some((_, instead)) = OTHERS.iter().find(|(other, _)| *other == name) {
        let message = format!("there is no type `{text}`");
        report.fault_with_help(place, message, format!("write {instead}"));
        return None;
    }
    let mut known = TYPES.iter().chain(&ALIASES);
    let Some((_, column_type)) = known.find(|(known, _)| *known == name) else {
        let names = TYPES.iter().chain(&ALIASES).map(|(known, _)| *known);
        let slip = did_you_mean(&name, names);
        report.fault_with_help(place, format!("unknown type `{text}`{slip}"), help());
        return None;
    };
    let Some(parameters) = parameters else {
        return Some(*column_type);
    };
    let takes_parameters = match column_type {
        ColumnType::Numeric { .. } => true,
        ColumnType::Text => name != "TEXT",
        _ => false,
    };
    if !takes_parameters {
        let more = match column_type {
            ColumnType::Text => ", or `VARCHAR(n)` for at most n characters",
            _ => "",
        };
        report.fault_with_help(
            place,
            format!("the type {name} has no parameters"),
            format!("write `{name}`{more}"),
        );
        return None;
    }
    let Some(inside) = parameters.trim_end().strip_suffix(')') else {
        let help = match column_type {
            ColumnType::Numeric { .. } => "add the bracket: `NUMERIC(precision,scale)`",
            _ => "add the bracket: `VARCHAR(n)`",
        };
        report.fault_with_help(
            place,
            format!("the type `{text}` ends before its closing bracket"),
            help,
        );
        return None;
    };
    match column_type {
        ColumnType::Numeric { .. } => numeric(report, place, text, inside),
        _ => varchar(report, place, text, inside),
    }
}

fn varchar(report: &mut Report<'_>, place: Place, text: &str, inside: &str) -> Option<ColumnType> {
    match inside.trim().parse() {
        Ok(limit) if (1..=MAX_LENGTH).contains(&limit) => Some(ColumnType::Varchar { limit }),
        _ => {
            report.fault_with_help(
                place,
                format!("`{text}` is no type: its length cannot be used"),
                format!("VARCHAR(n) wants a number of 1 to {MAX_LENGTH} characters"),
            );
            None
        }
    }
}

/// The NUMERIC whose parameters stand inside the brackets.
fn numeric(report: &mut Report<'_>, place: Place, text: &str, inside: &str) -> Option<ColumnType> {
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
    let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
    format!(
        "the types are {}, VARCHAR(n), NUMERIC(precision,scale), and arrays such as TEXT[]",
        names.join(", ")
    )
}
