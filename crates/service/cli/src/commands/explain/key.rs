//! The key of a row, as a person types it.

use projectionist_core::row::{Column, ColumnType, OwnedCell};
use projectionist_language::model::{ColumnRules, Projection};
use projectionist_language::{CoerceBuffer, JsonValue, coerce};

use crate::exit::Failure;
use crate::output::shell_word;

/// The key that `words` name: its values in order, or each as `COLUMN=VALUE` in any order.
pub(super) fn key_of(projection: &Projection, words: &[String]) -> Result<Vec<OwnedCell>, Failure> {
    let texts = named(projection, words).unwrap_or_else(|| words.iter().map(|w| &**w).collect());
    let names = key_names(projection);
    if texts.len() != names.len() {
        return Err(Failure::usage(format!(
            "the key of table {} is {}: {} value(s) are needed, {} were given",
            projection.table,
            names.join(", "),
            names.len(),
            texts.len()
        )));
    }
    let columns = projection.key.iter().zip(texts);
    columns
        .map(|(column, text)| cell_of(projection, *column, text).map_err(Failure::usage))
        .collect()
}

/// The columns of the key, in its order.
fn key_names(projection: &Projection) -> Vec<&str> {
    let columns = projection.key.iter();
    let columns = columns.filter_map(|column| projection.columns.get(*column));
    columns.map(|column| &*column.name).collect()
}

/// The values in the order of the key; `None` unless every word names another column of it.
fn named<'w>(projection: &Projection, words: &'w [String]) -> Option<Vec<&'w str>> {
    let names = key_names(projection);
    let mut texts = vec![None; names.len()];
    for word in words {
        let (name, text) = word.split_once('=')?;
        let at = names.iter().position(|known| *known == name)?;
        if texts[at].replace(text).is_some() {
            return None;
        }
    }
    texts.into_iter().collect()
}

/// The cell of a column that `text` spells, as the table shows it.
pub(in crate::commands) fn cell_of(
    projection: &Projection,
    column: usize,
    text: &str,
) -> Result<OwnedCell, String> {
    let Some(Column {
        name, column_type, ..
    }) = projection.columns.get(column)
    else {
        return Err(format!("table {} has no column {column}", projection.table));
    };
    let rules = projection.rules.get(column).copied().unwrap_or_default();
    convert(*column_type, rules, text)
        .map_err(|reason| format!("`{text}` is no value of key column {name}: {reason}"))
}

fn convert(column_type: ColumnType, rules: ColumnRules, text: &str) -> Result<OwnedCell, String> {
    let is_number = || serde_json::from_str::<serde_json::Number>(text).is_ok();
    let value = match column_type {
        ColumnType::BigInt
        | ColumnType::Int
        | ColumnType::SmallInt
        | ColumnType::Double
        | ColumnType::Real
        | ColumnType::Numeric { .. }
        | ColumnType::TimestampTz
            if is_number() =>
        {
            JsonValue::Number(text)
        }
        ColumnType::Boolean => match text {
            "true" | "1" => JsonValue::Bool(true),
            "false" | "0" => JsonValue::Bool(false),
            _ => JsonValue::Text(text),
        },
        ColumnType::Bytea => match bytes_of(text) {
            Some(bytes) => return Ok(OwnedCell::Bytes(bytes)),
            None => JsonValue::Text(text),
        },
        ColumnType::Jsonb | ColumnType::Array(_)
            if serde_json::from_str::<serde_json::Value>(text).is_ok() =>
        {
            JsonValue::Json(text)
        }
        _ => JsonValue::Text(text),
    };
    let mut buffer = CoerceBuffer::new();
    let cell = coerce(column_type, rules, value, &mut buffer);
    cell.map(Into::into).map_err(|error| error.to_string())
}

/// Bytes that are spelt as a literal of SQL.
fn bytes_of(text: &str) -> Option<Box<[u8]>> {
    let digits = text.strip_prefix("x'")?.strip_suffix('\'')?;
    let pairs = digits.as_bytes().chunks(2);
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    (digits.len() % 2 == 0)
        .then(|| pairs.map(pair).collect())
        .flatten()
}

/// The words of a shell that name a key whose values are `texts`, in its order.
pub(in crate::commands) fn words_of(projection: &Projection, texts: &[String]) -> String {
    // A value that looks like a named one or like an option is named.
    let is_plain = |text: &String| !text.contains('=') && !text.starts_with('-');
    let names = key_names(projection);
    let words: Vec<String> = if texts.iter().all(is_plain) {
        texts.iter().map(|text| shell_word(text)).collect()
    } else {
        let pairs = names.iter().zip(texts);
        pairs
            .map(|(name, text)| shell_word(&format!("{name}={text}")))
            .collect()
    };
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use projectionist_language::parse;

    use super::*;

    fn declared() -> Projection {
        let file = "projections:\n  a:\n    source_events: [E]\n    \
                    target: { table: a, primary_key: [name, number] }\n    \
                    fields: { number: BIGINT, name: TEXT, raw: BYTEA }\n    \
                    derive: { name: event.entityId, number: event.n }\n    \
                    mutations: { E: { op: upsert } }\n";
        parse("a.yaml", file).unwrap().projections.remove(0)
    }

    fn key(words: &[&str]) -> Result<Vec<OwnedCell>, Failure> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        key_of(&declared(), &words)
    }

    #[test]
    fn a_key_is_named_in_any_order_or_given_in_its_own() {
        let expected = vec![OwnedCell::Text("x=1".into()), OwnedCell::Int(-7)];
        assert_eq!(key(&["x=1", "-7"]).unwrap(), expected);
        assert_eq!(key(&["number=-7", "name=x=1"]).unwrap(), expected);
        let twice = vec![OwnedCell::Text("name=a".into()), OwnedCell::Int(1)];
        assert_eq!(key(&["name=a", "1"]).unwrap(), twice);
    }

    #[test]
    fn a_key_of_other_columns_or_types_is_refused() {
        for (words, part) in [
            (&["a"][..], "name, number"),
            (&["a", "1", "2"], "3 were given"),
            (&["a", "many"], "key column number"),
            (&["a", "1.5"], "key column number"),
        ] {
            let failure = format!("{:?}", key(words).unwrap_err());
            assert!(failure.contains(part), "{failure}");
        }
    }

    #[test]
    fn words_of_a_shell_read_back_as_the_same_key() {
        let declared = declared();
        let plain = ["it's".to_owned(), "7".to_owned()];
        assert_eq!(words_of(&declared, &plain), r"'it'\''s' 7");
        let odd = ["a=b".to_owned(), "-7".to_owned()];
        assert_eq!(words_of(&declared, &odd), "'name=a=b' 'number=-7'");
    }

    #[test]
    fn bytes_are_spelt_as_sql_does() {
        let cell = cell_of(&declared(), 2, "x'00ff'").unwrap();
        assert_eq!(cell, OwnedCell::Bytes([0, 255].into()));
    }
}
