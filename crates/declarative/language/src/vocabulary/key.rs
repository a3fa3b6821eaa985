//! What a key is: its name, what may stand under it, and what it does.

use super::{COLUMN, DEBEZIUM, ENVELOPE, FILE, MUTATION, PROJECTION, TARGET};

/// One kind of mapping of a file, with the keys that it may have.
#[derive(Debug)]
pub(crate) struct Level {
    /// What one such mapping is called in the JSON Schema.
    pub(crate) name: &'static str,
    /// Where its keys belong, as in "it belongs under `target`".
    pub(crate) home: &'static str,
    /// What the mapping is.
    pub(crate) doc: &'static str,
    pub(crate) keys: &'static [Key],
    /// Keys that somebody may well write here and that this build does not take.
    pub(crate) refused: &'static [Refused],
}

/// A key of a mapping.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    pub(crate) required: bool,
    /// What holds without it, as JSON or as a word; `None` when that is nothing.
    pub(crate) default: Option<&'static str>,
    /// What it does.
    pub(crate) doc: &'static str,
}

/// A key that is refused with a sentence of its own.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) name: &'static str,
    pub(crate) why: &'static str,
    pub(crate) instead: &'static str,
}

/// What may stand under a key.
#[derive(Debug)]
pub(crate) enum Shape {
    /// One of some words.
    Words {
        words: &'static [Word],
        /// What to do instead of writing another word.
        otherwise: &'static str,
    },
    /// `true` or `false`.
    Truth,
    /// A whole number from 0 up to this.
    Count(u32),
    /// A name.
    Name,
    /// A list of different names, never empty.
    Names { most: usize },
    /// A list of lists of columns.
    Indexes,
    /// The name of a column type.
    ColumnType,
    /// Any value.
    Value,
    /// An expression that gives true or false.
    Condition,
    /// The path of an array.
    Path,
    /// A place in a record, such as `$.kind`.
    Place,
    /// Columns and an expression for each.
    Expressions { may_be_empty: bool },
    /// A mapping.
    Mapping(&'static Level),
    /// Names, and below each a mapping.
    Named { level: &'static Level, most: usize },
    /// Columns, each with a type or a mapping.
    Columns,
    /// The name of an envelope, or a mapping.
    Envelope,
}

/// A word that stands for a choice.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) text: &'static str,
    /// What it does, or, for one that is refused, why.
    pub(crate) doc: &'static str,
    pub(crate) refused: bool,
}

impl Word {
    pub(crate) const fn new(text: &'static str, doc: &'static str) -> Self {
        Self {
            text,
            doc,
            refused: false,
        }
    }

    /// A word of the language that this build cannot obey, and why.
    pub(crate) const fn refused(text: &'static str, why: &'static str) -> Self {
        Self {
            text,
            doc: why,
            refused: true,
        }
    }
}

impl Key {
    pub(crate) const fn required(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self {
            name,
            shape,
            required: true,
            default: None,
            doc,
        }
    }

    pub(crate) const fn optional(name: &'static str, shape: Shape, doc: &'static str) -> Self {
        Self {
            name,
            shape,
            required: false,
            default: None,
            doc,
        }
    }

    /// The same key with what holds without it.
    pub(crate) const fn or(self, default: &'static str) -> Self {
        Self {
            name: self.name,
            shape: self.shape,
            required: self.required,
            default: Some(default),
            doc: self.doc,
        }
    }
}

impl Level {
    /// The key of that name.
    pub(crate) fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The names of its keys.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }

    /// The refused key of that name.
    pub(crate) fn refused(&self, name: &str) -> Option<&'static Refused> {
        self.refused.iter().find(|refused| refused.name == name)
    }
}

/// All kinds of mapping, those first whose keys are more often meant.
pub(crate) fn levels() -> [&'static Level; 7] {
    [
        &TARGET,
        &PROJECTION,
        &COLUMN,
        &MUTATION,
        &FILE,
        &ENVELOPE,
        &DEBEZIUM,
    ]
}
