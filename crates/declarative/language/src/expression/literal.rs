//! Literals inside the text of an expression: numbers as JSON spells them, and quoted texts.

use super::cursor::Cursor;
use super::{ExpressionFault, Position, number_trap, text_trap};
use crate::model::{Expression, Literal};
use crate::tree::{Plain, resolve};

/// Reads a quoted text; the quote comes next.
pub(super) fn text(cursor: &mut Cursor<'_>) -> Result<String, ExpressionFault> {
    let start = cursor.offset();
    let quote = cursor.next();
    let mut text = String::new();
    loop {
        let offset = cursor.offset();
        match cursor.next() {
            None => {
                let message = "the text that begins here is not closed";
                return Err(ExpressionFault::new(start, message)
                    .help("close it with the quote that opened it"));
            }
            found if found == quote => return Ok(text),
            Some('\\') => text.push(escape(cursor, offset)?),
            Some(character) => text.push(character),
        }
    }
}

/// Reads what follows a backslash, which stands at `offset`.
fn escape(cursor: &mut Cursor<'_>, offset: usize) -> Result<char, ExpressionFault> {
    match cursor.next() {
        Some('n') => Ok('\n'),
        Some('r') => Ok('\r'),
        Some('t') => Ok('\t'),
        Some(character @ ('\\' | '\'' | '"')) => Ok(character),
        Some('u') => {
            let digits: String = (0..4).filter_map(|_| cursor.next()).collect();
            let hexadecimal = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let code = u32::from_str_radix(&digits, 16)
                .ok()
                .filter(|_| hexadecimal);
            code.and_then(char::from_u32).ok_or_else(|| {
                ExpressionFault::new(offset, "this escape names no character").help(
                    "`\\u` wants four hexadecimal digits of a whole character; any character can \
                     also stand for itself",
                )
            })
        }
        _ => Err(ExpressionFault::new(offset, "this escape is unknown")
            .help("the escapes are `\\\\`, `\\'`, `\\\"`, `\\n`, `\\r`, `\\t` and `\\uXXXX`")),
    }
}

/// Reads a number; a digit, sign or point comes next.
pub(super) fn number(cursor: &mut Cursor<'_>) -> Result<Expression, ExpressionFault> {
    let offset = cursor.offset();
    let signed = cursor.take_while(|c| matches!(c, '-' | '+'));
    if signed.len() > 1 || cursor.peek().is_none_or(|c| !matches!(c, '0'..='9' | '.')) {
        return Err(super::beyond_plain(offset));
    }
    let mut number = signed.to_owned();
    number.push_str(cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')));
    // The sign of an exponent ends the run above.
    if number.ends_with(['e', 'E']) && matches!(cursor.peek(), Some('-' | '+')) {
        number.extend(cursor.next());
        number.push_str(cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')));
    }
    match resolve(&number) {
        Plain::Number(json) => Ok(Expression::Literal(Literal::Number(json.into()))),
        Plain::Unusual(unusual) => {
            let (message, help) = number_trap(&number, &unusual, Position::Expression);
            Err(ExpressionFault::new(offset, message).help(help))
        }
        _ => {
            let fault = ExpressionFault::new(offset, format!("`{number}` is no number"));
            Err(match text_trap(&number, Position::Expression) {
                Some(help) => fault.help(help),
                None => fault.help(format!("write `\"'{number}'\"` if a text is meant")),
            })
        }
    }
}
