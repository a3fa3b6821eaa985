//! The variables that stand for places of the event while an expression is evaluated.

use super::path_text;
use crate::model::Path;

/// Begins the names of variables. No name of an expression begins so.
const PREFIX: &str = "@v";

/// Begins the names of compiled patterns.
const PATTERN_PREFIX: &str = "@p";

/// How an expression uses a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Its value; that it is missing is an error.
    Value,
    /// Its value, or null when it is missing: an argument of `coalesce`.
    ValueOrNull,
    /// Whether it is missing or null.
    IsNull,
    /// The place itself, because it becomes the result unchanged; missing is an error.
    Passed,
    /// The place itself, or null when it is missing.
    PassedOrNull,
    /// Its JSON text.
    Text,
    /// Whether it is there. The other place is the object that should hold it, when that can be
    /// missing itself.
    Has {
        /// Index of the object's place.
        parent: Option<usize>,
    },
}

/// A variable: a place, and how it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// Index into the places of the program.
    pub(super) place: usize,
    pub(super) usage: Use,
}

/// The places that an expression reads, and the variables that stand for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// Every place once.
    pub(super) places: Vec<Path>,
    list: Vec<Variable>,
}

impl Variables {
    /// The index of the place.
    pub(super) fn place(&mut self, path: Path) -> usize {
        let known = self.places.iter().position(|known| *known == path);
        known.unwrap_or_else(|| {
            self.places.push(path);
            self.places.len() - 1
        })
    }

    /// The name of the variable that uses a place so.
    pub(super) fn name(&mut self, place: usize, usage: Use) -> String {
        let variable = Variable { place, usage };
        let known = self.list.iter().position(|known| *known == variable);
        let index = known.unwrap_or_else(|| {
            self.list.push(variable);
            self.list.len() - 1
        });
        format!("{PREFIX}{index}")
    }

    /// The variable of that name.
    pub(super) fn get(&self, name: &str) -> Option<Variable> {
        let index = name.strip_prefix(PREFIX)?.parse::<usize>().ok()?;
        self.list.get(index).copied()
    }

    /// A place as it is written in an expression.
    pub(super) fn text_of(&self, place: usize) -> String {
        self.places
            .get(place)
            .map(path_text::of)
            .unwrap_or_default()
    }
}

/// The name of a compiled pattern.
pub(super) fn pattern_name(index: usize) -> String {
    format!("{PATTERN_PREFIX}{index}")
}

/// The index of the compiled pattern of that name.
pub(super) fn pattern_index(name: &str) -> Option<usize> {
    name.strip_prefix(PATTERN_PREFIX)?.parse().ok()
}
