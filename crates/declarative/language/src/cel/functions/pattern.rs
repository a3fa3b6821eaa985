//! Regular expressions. They match in time linear in the text, whatever the pattern.

use std::any::Any;

use cel::common::types::{CelBool, CelString, STRING_TYPE, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::{DeclarationError, Env, ExecutionError};
use regex::{Regex, RegexBuilder};

use super::super::budget::charge_text;
use super::arguments::argument;
use super::either;

/// The most memory of a compiled pattern, in bytes.
const MAX_BYTES: usize = 1 << 20;

static PATTERN: Type = Type::new_unspecified_type("pattern");

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles the pattern; an error says in one line why it is none.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let regex = RegexBuilder::new(text).size_limit(MAX_BYTES).build();
        regex.map(Self).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large".to_owned(),
            error => {
                let text = error.to_string();
                let last = text.lines().next_back().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
        })
    }
}

impl Val for Pattern {
    fn get_type(&self) -> &Type {
        &PATTERN
    }

    fn cel_type() -> &'static Type {
        &PATTERN
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Pattern {}

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    either(
        environment,
        "matches",
        &[STRING_TYPE, PATTERN.to_owned()],
        matches,
    )
}

fn matches<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    let pattern: &Pattern = argument(&arguments, 1)?;
    charge_text(text.len())?;
    Ok(CowVal::owned(CelBool::from(pattern.0.is_match(text))))
}
