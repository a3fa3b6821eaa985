//! Expressions as they are spelt in a file, for messages.

use std::fmt;

use super::{Expression, Literal, Path, Step};
use crate::expression::metadata_name;

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Literal(literal) => literal.fmt(f),
            Self::Path(path) => path.fmt(f),
            Self::Cel(cel) => f.write_str(&cel.text),
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(truth) => truth.fmt(f),
            Self::Number(number) => f.write_str(number),
            Self::Text(text) => write!(f, "'{text}'"),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (head, steps) = match self {
            Self::Metadata(name) => return write!(f, "event.{}", metadata_name(*name)),
            // A first key could be a name of the envelope, so it is spelt in full.
            Self::Payload(steps) => ("event.payload", steps),
            Self::Item(steps) => ("item", steps),
        };
        f.write_str(head)?;
        steps.iter().try_for_each(|step| step.fmt(f))
    }
}

impl fmt::Display for Step {
    /// The step behind what it goes down from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) if is_name(key) => write!(f, ".{key}"),
            Self::Key(key) => write!(f, "['{key}']"),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn is_name(key: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !key.starts_with(|first: char| first.is_ascii_digit())
        && !key.is_empty()
        && key.bytes().all(is_part)
}
