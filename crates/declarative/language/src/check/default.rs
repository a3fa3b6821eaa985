//! The default of a column: a value of the file, not an expression.

use projectionist_core::row::{ColumnType, OwnedCell};

use crate::coerce::{CoerceBuffer, JsonValue, coerce, quote_json};
use crate::expression::{Position, number_trap, text_trap};
use crate::model::ColumnRules;
use crate::report::Report;
use crate::tree::{Node, Plain, Value};

/// The cell that `node` stands for in a column of that type with those rules. `None` when it fits
/// not; that is reported.
pub(super) fn default(
    report: &mut Report<'_>,
    node: &Node,
    column: &str,
    column_type: ColumnType,
    rules: ColumnRules,
) -> Option<OwnedCell> {
    let mut json = String::new();
    let number;
    let mut trap = None;
    let value = match &node.value {
        Value::Broken => return None,
        Value::List(_) | Value::Mapping(_) => {
            write_json(report, node, &mut json)?;
            JsonValue::Json(&json)
        }
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Null => JsonValue::Null,
            Plain::Bool(truth) => JsonValue::Bool(truth),
            Plain::Number(text) => {
                number = text;
                JsonValue::Number(&number)
            }
            Plain::Unusual(unusual) => {
                let (message, help) = number_trap(&scalar.text, &unusual, Position::Value);
                report.fault_with_help(node.place, message, help);
                return None;
            }
            Plain::Text => {
                if let Some(inside) = inside_quotes(&scalar.text) {
                    report.fault_with_help(
                        node.place,
                        format!("the default of `{column}` would keep the inner quotes"),
                        format!(
                            "a default is a value, not an expression: write `default: {inside}`"
                        ),
                    );
                    return None;
                }
                // In a column of days a day is what it seems to be.
                if column_type != ColumnType::Date {
                    trap = text_trap(&scalar.text, Position::Value);
                }
                JsonValue::Text(&scalar.text)
            }
        },
    };
    match coerce(column_type, rules, value, &mut CoerceBuffer::new()) {
        Ok(cell) => Some(cell.into()),
        Err(error) => {
            let message = format!("the default of `{column}` does not fit: {error}");
            match trap {
                Some(help) => report.fault_with_help(node.place, message, help),
                None => report.fault(node.place, message),
            }
            None
        }
    }
}

/// What stands inside the quotes of a text such as `'open'`.
fn inside_quotes(text: &str) -> Option<&str> {
    ['\'', '"']
        .into_iter()
        .find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// Writes a value of the file as JSON.
pub(crate) fn write_json(report: &mut Report<'_>, node: &Node, out: &mut String) -> Option<()> {
    match &node.value {
        Value::Broken => return None,
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Null => out.push_str("null"),
            Plain::Bool(true) => out.push_str("true"),
            Plain::Bool(false) => out.push_str("false"),
            Plain::Number(number) => out.push_str(&number),
            Plain::Text => quote_json(&scalar.text, out),
            Plain::Unusual(unusual) => {
                let (message, help) = number_trap(&scalar.text, &unusual, Position::Value);
                report.fault_with_help(node.place, message, help);
                return None;
            }
        },
        Value::List(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_json(report, element, out)?;
            }
            out.push(']');
        }
        Value::Mapping(mapping) => {
            out.push('{');
            for (index, entry) in mapping.entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                quote_json(&entry.key, out);
                out.push(':');
                write_json(report, &entry.value, out)?;
            }
            out.push('}');
        }
    }
    Some(())
}
