//! An expression that names a column, as in SQL, where only events can be read.

use super::columns::Columns;
use crate::expression;
use crate::model::{Expression, Literal};

/// What to do about the unknown name `root` in the expression `text`, when it is a column. A column
/// alone is more likely a value of the event of that name.
pub(super) fn help(columns: &Columns<'_>, root: &str, text: &str) -> Option<String> {
    let column = columns.list.get(columns.find(root)?)?;
    if text.trim() == root {
        return None;
    }
    let is_number = column.column_type.is_some_and(|is| is.is_number());
    let instead = match addend(root, text).filter(|_| is_number) {
        Some(added) => format!("use `op: increment, by: {{ {root}: {added} }}`"),
        None if is_number => {
            format!("`op: increment` can only add to it; `event.{root}` is a value of the event")
        }
        None => format!("write `event.{root}` for a value of the event"),
    };
    Some(format!("a row's own value cannot be read; {instead}"))
}

/// What `column + …` or `column - …` adds; `None` where the expression is another.
fn addend(column: &str, text: &str) -> Option<String> {
    let rest = text.trim().strip_prefix(column)?.trim_start();
    let (negative, added) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
        (Some(added), _) => (false, added.trim()),
        (None, Some(added)) => (true, added.trim()),
        (None, None) => return None,
    };
    Some(match (expression::parse(added), negative) {
        (Ok(Expression::Literal(Literal::Number(number))), true) => format!("-{number}"),
        (Ok(Expression::Literal(Literal::Number(number))), false) => number.into(),
        (Ok(Expression::Path(_)), true) => format!("\"-{added}\""),
        (Ok(Expression::Path(_)), false) => added.to_owned(),
        _ => return None,
    })
}
