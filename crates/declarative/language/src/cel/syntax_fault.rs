//! What is wrong with a text that is no CEL, in the words of its writer instead of the parser's.

use cel::{ParseError, ParseErrors};

use crate::expression::ExpressionFault;

/// Words and signs of other languages, and what CEL has instead.
const ELSEWHERE: [(&str, &str); 15] = [
    ("=", "an equality is written `==`"),
    ("<>", "write `!=`"),
    ("and", "write `&&`"),
    ("AND", "write `&&`"),
    ("or", "write `||`"),
    ("OR", "write `||`"),
    ("not", "write `!`"),
    ("NOT", "write `!`"),
    ("is", "write `== null`, or ask with `has()`"),
    ("IS", "write `== null`, or ask with `has()`"),
    (
        "like",
        "write `.contains('…')`, `.startsWith('…')` or `.matches('…')`",
    ),
    (
        "LIKE",
        "write `.contains('…')`, `.startsWith('…')` or `.matches('…')`",
    ),
    ("if", "write `condition ? one : other`"),
    ("&", "write `&&`"),
    ("|", "write `||`; texts are joined by `+`"),
];

/// The fault of the first error of the parser.
pub(super) fn of(errors: &ParseErrors, text: &str) -> ExpressionFault {
    let of_text = |error: &&ParseError| error.msg.starts_with("Syntax error: ");
    let errors = &errors.errors;
    let Some(error) = errors.iter().find(of_text).or(errors.first()) else {
        return ExpressionFault::new(0, "this cannot be read as CEL");
    };
    let message = error.msg.trim_start_matches("Syntax error: ");
    // The end has no place of its own.
    let offset = if message.contains("<EOF>'") && !message.contains("expecting <EOF>") {
        text.trim_end().chars().count()
    } else {
        offset_of(error.pos, text)
    };
    let fault = ExpressionFault::new(offset, sentence(message));
    let rest: String = text.chars().skip(offset).collect();
    match help(message, &rest, text, offset) {
        Some(help) => fault.help(help),
        None => fault,
    }
}

fn sentence(message: &str) -> String {
    if message.contains("'<EOF>'") && !message.starts_with("missing") {
        return "the expression ends where more is wanted".to_owned();
    }
    if let Some(rest) = message.strip_prefix("missing ") {
        return match rest.split_once(" at ") {
            Some((wanted, "'<EOF>'")) => format!("{} is wanted at the end", ticked(wanted)),
            Some((wanted, at)) => format!("{} is wanted before {}", ticked(wanted), ticked(at)),
            None => "something is missing here".to_owned(),
        };
    }
    if let Some(found) = message.strip_prefix("token recognition error at: ") {
        if found.contains('\\') {
            return "the text is not closed, or has an escape that CEL does not know".to_owned();
        }
        return match found.trim_matches('\'').chars().next() {
            Some('"') | None => "the text that begins here is not closed".to_owned(),
            Some(_) if found.starts_with("''") => {
                "the text that begins here is not closed".to_owned()
            }
            Some(_) => format!("{} means nothing in CEL", ticked(found)),
        };
    }
    for prefix in ["extraneous input ", "mismatched input "] {
        if let Some(rest) = message.strip_prefix(prefix) {
            let found = rest.split(" expecting ").next().unwrap_or_default();
            return format!("{} cannot stand here", ticked(found));
        }
    }
    if message.starts_with("no viable alternative") {
        return "this is not complete".to_owned();
    }
    if message.contains("Recursion limit") {
        return "the expression is nested too deep".to_owned();
    }
    if let Some(word) = message.strip_prefix("reserved identifier: ") {
        return format!("`{word}` is a reserved word of CEL");
    }
    match message {
        "invalid int literal" => "the number is beyond the integers of 64 bits".to_owned(),
        "invalid uint literal" => {
            "the number is beyond the unsigned integers of 64 bits".to_owned()
        }
        "invalid double literal" => "this is no number".to_owned(),
        "invalid argument to has() macro" => {
            "`has()` asks for a key, such as `has(event.user.name)`".to_owned()
        }
        "argument must be a simple name" => {
            "the first argument of a loop is a name of your own for the element".to_owned()
        }
        _ if message.starts_with("invalid string literal") => {
            "the text has an escape that CEL does not know".to_owned()
        }
        _ if message.starts_with("unsupported syntax") => {
            "optional values are no part of expressions here".to_owned()
        }
        _ => "this cannot be read as CEL".to_owned(),
    }
}

fn help(message: &str, rest: &str, text: &str, offset: usize) -> Option<String> {
    if message.starts_with("unsupported syntax") {
        return Some("write `has(event.a) ? event.a : …`, or `coalesce(event.a, …)`".to_owned());
    }
    if message.contains("string literal") || message.contains('\\') {
        return Some("a backslash is written `\\\\`".to_owned());
    }
    if message == "argument must be a simple name" {
        return Some("write `event.lines.exists(line, line.qty > 0)`".to_owned());
    }
    let before: String = text.chars().take(offset).collect();
    if rest.starts_with('>') && before.ends_with('<') {
        return Some("write `!=`".to_owned());
    }
    let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
    let word: String = rest.chars().take_while(is_word).collect();
    let sign = rest.chars().next().map(String::from).unwrap_or_default();
    let found = if word.is_empty() { &sign } else { &word };
    let known = ELSEWHERE.iter().find(|(elsewhere, _)| elsewhere == found);
    known.map(|(_, instead)| (*instead).to_owned())
}

/// What the parser puts in quotes, as everything is shown here.
fn ticked(quoted: &str) -> String {
    let inside = quoted.strip_prefix('\'').and_then(|q| q.strip_suffix('\''));
    format!("`{}`", inside.unwrap_or(quoted).trim())
}

/// The offset of a line and a column, both from 1, in characters.
fn offset_of((line, column): (isize, isize), text: &str) -> usize {
    let line = usize::try_from(line - 1).unwrap_or_default();
    let column = usize::try_from(column - 1).unwrap_or_default();
    let before = text.split_inclusive('\n').take(line);
    let before: usize = before.map(|line| line.chars().count()).sum();
    (before + column).min(text.chars().count())
}
