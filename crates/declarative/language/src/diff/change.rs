//! One change and its class.

use std::fmt;

/// What a change asks of the tables that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// They are migrated as they are.
    Additive,
    /// What they hold would have been written otherwise: only building them anew from the events
    /// makes them right.
    NeedsRebuild,
    /// No rebuild in place can do it either: it needs other names, or another target.
    Incompatible,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Additive => "additive",
            Self::NeedsRebuild => "needs rebuild",
            Self::Incompatible => "incompatible",
        })
    }
}

/// One change of one projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the projection.
    pub projection: String,
    /// What is another.
    pub what: String,
    /// What it asks for.
    pub class: Class,
    /// Why, and what becomes of the rows that are there.
    pub why: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            projection,
            what,
            class,
            why,
        } = self;
        write!(f, "{projection}: {what}: {class}: {why}")
    }
}

/// Collects the changes of one projection.
#[derive(Debug)]
pub(super) struct Changes<'a> {
    pub(super) projection: &'a str,
    pub(super) list: Vec<Change>,
}

impl Changes<'_> {
    pub(super) fn push(&mut self, class: Class, what: impl Into<String>, why: impl Into<String>) {
        self.list.push(Change {
            projection: self.projection.to_owned(),
            what: what.into(),
            class,
            why: why.into(),
        });
    }
}
