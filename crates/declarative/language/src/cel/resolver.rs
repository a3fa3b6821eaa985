//! Gives an evaluation the values of its variables.

use std::any::Any;

use cel::common::types::{CelBool, CelNull, CelString, Type};
use cel::common::value::{CowVal, StaticVal, Val};
use cel::context::VariableResolver;

use super::budget;
use super::decode::{DecodeFault, Decoded, decode};
use super::functions::Pattern;
use super::lookup::{Found, Lookup};
use super::variable::{Use, Variable, Variables, pattern_index};

/// The steps of a byte that is decoded.
const DECODED: usize = 4;

static NULL: CelNull = CelNull;

/// Why a variable has no value. The interpreter only learns that there is none; what is said about
/// it is found again by [`Resolver::fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VariableFault {
    /// Nothing stands at the place.
    Missing(usize),
    /// `has()` asks for a part of what is missing.
    NoParent(usize),
    /// `has()` asks for a key of what is no object.
    NoObject(usize),
    /// What stands there is no value to compute with.
    Value(usize, DecodeFault),
}

/// Looks up what the variables of a program stand for.
pub(super) struct Resolver<'a> {
    lookup: &'a dyn Lookup,
    variables: &'a Variables,
    patterns: &'a [Pattern],
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
        lookup: &'a dyn Lookup,
        variables: &'a Variables,
        patterns: &'a [Pattern],
    ) -> Self {
        Self {
            lookup,
            variables,
            patterns,
        }
    }

    /// Why the variable of that name has no value.
    pub(super) fn fault(&self, name: &str) -> Option<VariableFault> {
        let variable = self.variables.get(name)?;
        self.value(variable).err()
    }

    fn value(&self, variable: Variable) -> Result<CowVal<'_, '_>, VariableFault> {
        let Variable { place, usage } = variable;
        let found = self.lookup.find(place);
        let null = CowVal::Borrowed(&NULL);
        match usage {
            Use::IsNull => Ok(truth(found.is_null())),
            Use::Has { parent } => self.has(found, parent),
            Use::ValueOrNull | Use::PassedOrNull if found.is_null() => Ok(null),
            Use::Value | Use::Passed | Use::Text if found == Found::Missing => {
                Err(VariableFault::Missing(place))
            }
            Use::Passed if found.is_null() => Ok(null),
            Use::Passed | Use::PassedOrNull => Ok(CowVal::owned(Passed { place })),
            Use::Text => Ok(json_text(found)),
            Use::Value | Use::ValueOrNull => {
                let value = to_value(found).map_err(|fault| VariableFault::Value(place, fault))?;
                Ok(CowVal::Owned(value))
            }
        }
    }

    fn has(
        &self,
        found: Found<'_>,
        parent: Option<usize>,
    ) -> Result<CowVal<'_, '_>, VariableFault> {
        if let Some(parent) = parent.filter(|_| found == Found::Missing) {
            match self.lookup.find(parent) {
                Found::Missing => return Err(VariableFault::NoParent(parent)),
                Found::Json(json) if json.starts_with('{') => {}
                _ => return Err(VariableFault::NoObject(parent)),
            }
        }
        Ok(truth(found != Found::Missing))
    }
}

impl VariableResolver for Resolver<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if let Some(variable) = self.variables.get(name) {
            let bytes = match self.lookup.find(variable.place) {
                Found::Missing => 0,
                Found::Text(text) => text.len(),
                Found::Json(text) => text.len().saturating_mul(DECODED),
            };
            budget::charge_text(bytes).ok()?;
            return self.value(variable).ok();
        }
        let pattern = self.patterns.get(pattern_index(name)?)?;
        Some(CowVal::Borrowed(pattern))
    }
}

fn truth<'b, 'v>(truth: bool) -> CowVal<'b, 'v> {
    CowVal::owned(CelBool::from(truth))
}

fn to_value(found: Found<'_>) -> Result<Decoded<'_>, DecodeFault> {
    match found {
        Found::Missing => Ok(Box::new(CelNull)),
        Found::Text(text) => Ok(Box::new(CelString::from(text))),
        Found::Json(json) => decode(json),
    }
}

fn json_text<'a>(found: Found<'a>) -> CowVal<'a, 'a> {
    match found {
        Found::Missing => CowVal::owned(CelString::from("null")),
        Found::Json(json) => CowVal::owned(CelString::from(json)),
        Found::Text(text) => {
            let mut quoted = String::new();
            crate::coerce::quote_json(text, &mut quoted);
            CowVal::owned(CelString::from(quoted))
        }
    }
}

/// The type of what only travels through an expression.
static PASSED: Type = Type::new_unspecified_type("value of the event");

/// A place whose value becomes the result as it stands, so that no digit of a number is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Passed {
    pub(super) place: usize,
}

impl Val for Passed {
    fn get_type(&self) -> &Type {
        &PASSED
    }

    fn cel_type() -> &'static Type {
        &PASSED
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>() == Some(self)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v> {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Passed {}
