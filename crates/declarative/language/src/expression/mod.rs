//! Expressions: plain paths into the event, and literals.
//!
//! A quoted value of the file is the text of an expression; an unquoted number, truth value or
//! null is that literal. Operators and calls are recognised, so that they can be told apart from
//! slips of the hand, but this build does not have them.

mod cursor;
mod literal;
mod path;
mod traps;

pub(crate) use path::metadata_name;
pub(crate) use traps::{Position, number_trap, text_trap};

use self::cursor::Cursor;
use crate::model::{Expression, Literal};
use crate::report::Report;
use crate::tree::{Node, Plain, Value};

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpressionFault {
    /// Where in the text, in characters.
    pub(crate) offset: usize,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
}

impl ExpressionFault {
    fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            help: None,
        }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Reads the expression that a value of the file is. `None` when it is none; that is reported.
pub(crate) fn read(report: &mut Report<'_>, node: &Node) -> Option<Expression> {
    let scalar = match &node.value {
        Value::Scalar(scalar) => scalar,
        Value::Broken => return None,
        _ => {
            let message = format!("an expression is wanted here, not {}", node.kind());
            report.fault_with_help(node.place, message, EXAMPLES);
            return None;
        }
    };
    match scalar.resolved() {
        Plain::Null => Some(Expression::Literal(Literal::Null)),
        Plain::Bool(truth) => Some(Expression::Literal(Literal::Bool(truth))),
        Plain::Number(number) => Some(Expression::Literal(Literal::Number(number.into()))),
        Plain::Unusual(unusual) => {
            let (message, help) = number_trap(&scalar.text, &unusual, Position::Expression);
            report.fault_with_help(node.place, message, help);
            None
        }
        Plain::Text => match parse(&scalar.text) {
            Ok(expression) => Some(expression),
            Err(fault) => {
                match (text_trap(&scalar.text, Position::Expression), fault.help) {
                    (Some(help), _) => report.fault_with_help(
                        node.place,
                        format!("`{}` is neither a path nor a literal", scalar.text),
                        help,
                    ),
                    (None, Some(help)) => {
                        let place = node.place_of(fault.offset, report);
                        report.fault_with_help(place, fault.message, help);
                    }
                    (None, None) => {
                        report.fault(node.place_of(fault.offset, report), fault.message);
                    }
                }
                None
            }
        },
    }
}

/// What an expression looks like.
const EXAMPLES: &str =
    "write a path such as `event.user_id`, or a literal such as `5` or `\"'open'\"`";

/// Parses the text of an expression.
pub(crate) fn parse(text: &str) -> Result<Expression, ExpressionFault> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks();
    let expression = match cursor.peek() {
        None => return Err(ExpressionFault::new(0, "the expression is empty").help(EXAMPLES)),
        Some('\'' | '"') => Expression::Literal(Literal::Text(literal::text(&mut cursor)?.into())),
        Some('0'..='9' | '-' | '+' | '.') => literal::number(&mut cursor)?,
        Some(first) if cursor::begins_name(first) => path::named(&mut cursor)?,
        Some('(' | '[' | '{' | '!') => return Err(not_built(cursor.offset())),
        Some(other) => {
            let message = format!("`{other}` cannot begin an expression");
            return Err(ExpressionFault::new(cursor.offset(), message).help(EXAMPLES));
        }
    };
    cursor.skip_blanks();
    if cursor.peek().is_none() {
        return Ok(expression);
    }
    Err(trailing(&mut cursor))
}

/// How a text holds the quote that it is written in.
const INNER_QUOTE: &str = "inside a text a quote is written `\\'` or `\\\"`";

/// What follows a complete expression: an operator, or something that was meant otherwise.
fn trailing(cursor: &mut Cursor<'_>) -> ExpressionFault {
    let offset = cursor.offset();
    let rest = cursor.rest();
    if rest.starts_with([
        '+', '-', '*', '/', '%', '<', '>', '!', '&', '|', '?', ':', '(',
    ]) {
        return not_built(offset);
    }
    if rest.starts_with("==") || rest.split_whitespace().next() == Some("in") {
        return not_built(offset);
    }
    if rest.starts_with('=') {
        return ExpressionFault::new(offset, "`=` is no operator")
            .help("an expression gives a value; it assigns nothing");
    }
    if rest.starts_with(['\'', '"']) {
        return ExpressionFault::new(offset, "the text ended before this quote").help(INNER_QUOTE);
    }
    let word: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
    ExpressionFault::new(
        offset,
        format!("`{word}` stands behind the end of the expression"),
    )
    .help(EXAMPLES)
}

/// The fault of an expression that needs more than plain paths and literals.
fn not_built(offset: usize) -> ExpressionFault {
    ExpressionFault::new(offset, "CEL expressions are not built yet")
        .help("this build has plain paths such as `event.user_id`, and literals")
}
