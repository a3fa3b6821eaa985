//! Expressions: plain paths into the event, literals, and CEL for everything else.
//!
//! A quoted value of the file is the text of an expression; an unquoted number, truth value or
//! null is that literal. Plain paths and literals are read here, because they are most of all
//! expressions, need no evaluation, and mean what they say without loss. A text that is neither is
//! handed to [`crate::cel`].

mod cursor;
mod literal;
mod path;
mod place;
mod traps;

pub(crate) use cursor::is_name;
pub(crate) use path::{MAX_STEPS, event_path, is_metadata, means_envelope, metadata_name};
pub(crate) use place::place;
pub(crate) use traps::{Position, number_trap, text_trap};

use self::cursor::Cursor;
use crate::cel::{self, Compiled};
use crate::model::{CelExpression, Expression, Literal};
use crate::report::Report;
use crate::tree::{Node, Plain, Style, Value, meant_at};

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExpressionFault {
    /// Where in the text, in characters.
    pub(crate) offset: usize,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// Whether the text only has more than a plain path or a literal.
    beyond_plain: bool,
    /// The name that it stumbled over, where a path should begin.
    unknown_root: Option<Box<str>>,
}

impl ExpressionFault {
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            message: message.into(),
            help: None,
            beyond_plain: false,
            unknown_root: None,
        }
    }

    /// The fault of a name that begins no path.
    pub(crate) fn of_root(self, name: &str) -> Self {
        Self {
            unknown_root: Some(name.into()),
            ..self
        }
    }

    /// The fault of an element that is counted from the end.
    pub(crate) fn from_end(offset: usize) -> Self {
        Self::new(offset, "elements are counted from 0")
            .help("an element cannot be counted from the end")
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self {
            help: Some(help.into()),
            ..self
        }
    }
}

/// Reads the expression that a value of the file is. `None` when it is none; that is reported.
pub(crate) fn read(report: &mut Report<'_>, node: &Node) -> Option<Expression> {
    read_beside(report, node, &|_, _| None)
}

/// As [`read`], where `explain` may know what to do about a name that begins no path; it is given
/// the name and the whole text.
pub(crate) fn read_beside(
    report: &mut Report<'_>,
    node: &Node,
    explain: &dyn Fn(&str, &str) -> Option<String>,
) -> Option<Expression> {
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
            Err(mut fault) => {
                if scalar.style == Style::Plain
                    && let Some(meant) = meant_at(report.source(), node.place, false)
                    && meant.text.len() > scalar.text.len()
                {
                    meant.report(report);
                    return None;
                }
                let root = fault.unknown_root.as_deref();
                if let Some(help) = root.and_then(|root| explain(root, &scalar.text)) {
                    fault.help = Some(help);
                }
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
    let plain_fault = match plain(text) {
        Ok(expression) => return Ok(expression),
        Err(fault) => fault,
    };
    if text_trap(text, Position::Expression).is_some() {
        // A date without quotes would be a subtraction.
        return Err(plain_fault);
    }
    match cel::compile(text) {
        Ok(Compiled::Path(path)) => Ok(Expression::Path(path)),
        Ok(Compiled::Program(program)) => Ok(Expression::Cel(CelExpression {
            text: text.trim().into(),
            reads: program.places().to_vec(),
        })),
        Err(fault) if plain_fault.beyond_plain => Err(fault),
        // A slip of the hand in a path is better explained as such.
        Err(_) => Err(plain_fault),
    }
}

/// Reads a plain path or a literal.
fn plain(text: &str) -> Result<Expression, ExpressionFault> {
    let mut cursor = Cursor::new(text);
    cursor.skip_blanks();
    let expression = match cursor.peek() {
        None => return Err(ExpressionFault::new(0, "the expression is empty").help(EXAMPLES)),
        Some('\'' | '"') => Expression::Literal(Literal::Text(literal::text(&mut cursor)?.into())),
        Some('0'..='9' | '-' | '+' | '.') => literal::number(&mut cursor)?,
        Some(first) if cursor::begins_name(first) => path::named(&mut cursor)?,
        Some('(' | '[' | '{' | '!') => return Err(beyond_plain(cursor.offset())),
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
        '+', '-', '*', '/', '%', '<', '>', '!', '&', '|', '?', ':', '(', '.', '[', '=',
    ]) {
        return beyond_plain(offset);
    }
    let operators = ["in", "and", "or", "is", "like", "AND", "OR", "IS", "LIKE"];
    let word = rest.split_whitespace().next();
    if word.is_some_and(|word| operators.contains(&word)) {
        return beyond_plain(offset);
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

/// The end of what is plain: the text is CEL, or nothing.
fn beyond_plain(offset: usize) -> ExpressionFault {
    ExpressionFault {
        beyond_plain: true,
        ..ExpressionFault::new(offset, "this is neither a path nor a literal")
    }
}
