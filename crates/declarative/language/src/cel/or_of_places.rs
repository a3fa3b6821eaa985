//! `event.a || event.b`: places of the event joined by the `or` of truth values.

use cel::common::ast::{Expr, IdedExpr, operators};

use super::chain::Chain;
use super::syntax::{self, Syntax};

/// Whether the text is nothing but places joined by `||`.
pub(crate) fn is_or_of_places(text: &str) -> bool {
    // Parsing costs a thread, and next to no expression has the sign.
    text.contains("||")
        && syntax::parse(text).is_ok_and(|(tree, syntax)| joins_places(&tree, &syntax))
}

fn joins_places(part: &IdedExpr, syntax: &Syntax<'_>) -> bool {
    let is_place = |part| matches!(Chain::of(part, syntax), Ok(Some(_)));
    match &part.expr {
        Expr::Call(call) if call.func_name == operators::LOGICAL_OR => call
            .args
            .iter()
            .all(|argument| is_place(argument) || joins_places(argument, syntax)),
        _ => false,
    }
}
