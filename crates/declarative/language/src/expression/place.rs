//! Places in a record: `$.data.kind`, `$['a b']`, `$.items[0]`, and `$` for the whole record.

use super::ExpressionFault;
use super::cursor::Cursor;
use super::path::steps;
use crate::model::Step;

/// Reads a place. Its faults know where in the text they stand.
pub(crate) fn place(text: &str) -> Result<Vec<Step>, ExpressionFault> {
    let mut cursor = Cursor::new(text);
    if !cursor.eat('$') {
        let fault = ExpressionFault::new(0, "a place begins with `$`, which is the record");
        let path = text.strip_prefix("event").unwrap_or(text);
        let path = path.trim_start_matches('.');
        let shown = if path.is_empty() || path.starts_with('[') {
            format!("write `${path}`")
        } else {
            format!("write `$.{path}`")
        };
        return Err(fault.help(shown));
    }
    match cursor.peek() {
        None => return Ok(Vec::new()),
        Some('.' | '[') => {}
        Some(_) => {
            let fault = ExpressionFault::new(1, "a point or a bracket is wanted behind `$`");
            return Err(fault.help(format!("write `$.{}`", cursor.rest())));
        }
    }
    let steps = steps(&mut cursor, "$").map_err(|fault| explained(text, fault))?;
    match (cursor.peek(), steps.first()) {
        (Some(_), _) => {
            let message = "the place ends before this";
            Err(ExpressionFault::new(cursor.offset(), message).help(EXAMPLE))
        }
        (None, Some((offset, Step::Index(_)))) => {
            let fault = ExpressionFault::new(*offset, "a record is an object, not an array");
            Err(fault.help("name a key of the record first: `$.items[0]`"))
        }
        (None, _) => Ok(steps.into_iter().map(|(_, step)| step).collect()),
    }
}

const EXAMPLE: &str = "a place is `$` and behind it keys and elements, such as `$.data.kind`, `$['a b']` or \
                       `$.items[0]`";

/// The fault of a path, in the words of a place.
fn explained(text: &str, fault: ExpressionFault) -> ExpressionFault {
    match text.chars().nth(fault.offset) {
        Some(found @ ('*' | '?' | ':' | ',' | '.')) => {
            let message = format!("a place is one value, and `{found}` would stand for several");
            ExpressionFault::new(fault.offset, message).help(EXAMPLE)
        }
        _ if fault.beyond_plain => {
            ExpressionFault::new(fault.offset, "a place holds keys and elements only").help(EXAMPLE)
        }
        _ => fault,
    }
}
