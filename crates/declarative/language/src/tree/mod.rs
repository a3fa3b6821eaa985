//! A file as a small tree: scalars, lists and mappings, each with its place.
//!
//! What YAML allows and this language does not (anchors, tags, several documents, doubled keys) is
//! a fault here already, so nobody who reads the tree has to think of it.

mod build;
mod columns;
mod meant;
mod scan_fault;
mod schema;
mod surrogates;

pub(crate) use build::build;
pub(crate) use meant::at as meant_at;
pub(crate) use schema::{Plain, Unusual, resolve};

use crate::report::Report;
use crate::source::Place;

/// One value of the file.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Value {
    Scalar(Scalar),
    List(Vec<Node>),
    Mapping(Mapping),
    /// Something that is reported already and about which nothing more is to be said.
    Broken,
}

/// A text, number, truth value or null, as it stands in the file.
#[derive(Debug)]
pub(crate) struct Scalar {
    pub(crate) text: String,
    pub(crate) style: Style,
    /// Whether it begins and ends in one line.
    pub(crate) one_line: bool,
}

/// How a scalar is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Block,
}

/// Keys and values in the order of the file, no key twice.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    pub(crate) entries: Vec<Entry>,
    /// Whether something stood here that is reported and may have been any of the keys.
    pub(crate) broken: bool,
}

/// A key and its value.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) value: Node,
}

impl Mapping {
    /// The entry of that key.
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

impl Node {
    /// Whether nothing stands here: an empty value, `null` or `~`.
    pub(crate) fn is_null(&self) -> bool {
        match &self.value {
            Value::Scalar(scalar) => scalar.resolved() == Plain::Null,
            _ => false,
        }
    }

    /// Whether nothing is written here, not even `null`.
    pub(crate) fn is_left_out(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar)
            if scalar.style == Style::Plain && scalar.text.is_empty())
    }

    /// What a person would call this value.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) => match scalar.resolved() {
                Plain::Null => "nothing",
                Plain::Bool(_) => "a truth value",
                Plain::Number(_) | Plain::Unusual(_) => "a number",
                Plain::Text => "a text",
            },
            Value::List(_) => "a list",
            Value::Mapping(_) => "a mapping",
            Value::Broken => "something else",
        }
    }

    /// Where the character at `offset` of this scalar's text stands in the file; where the scalar
    /// begins when that cannot be told.
    pub(crate) fn place_of(&self, offset: usize, report: &Report<'_>) -> Place {
        match &self.value {
            Value::Scalar(scalar) => columns::place_of(self.place, scalar, offset, report.source()),
            _ => self.place,
        }
    }
}

impl Scalar {
    /// Whether this is `key:value` in one piece, which YAML reads as a text.
    pub(crate) fn is_key_without_blank(&self) -> bool {
        self.style == Style::Plain && lacks_blank_after_colon(&self.text)
    }

    /// What the scalar means: text when it is quoted, otherwise what the core schema says.
    pub(crate) fn resolved(&self) -> Plain {
        match self.style {
            Style::Plain => resolve(&self.text),
            _ => Plain::Text,
        }
    }
}

/// Whether the text is a name, a colon, and what was meant as the value; no address such as `a://b`.
fn lacks_blank_after_colon(text: &str) -> bool {
    text.split_once(':').is_some_and(|(key, value)| {
        let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        !key.is_empty() && key.chars().all(name) && !value.starts_with("//")
    })
}
