//! A compiled expression.

use std::fmt;
use std::sync::Arc;

use cel::common::ast::IdedExpr;
use cel::{Context, Env, Value};

use super::compile::{Compiled, compile};
use super::encode::encode;
use super::functions::Pattern;
use super::lookup::Lookup;
use super::resolver::{Passed, Resolver};
use super::variable::Variables;
use super::{CelError, budget};
use crate::coerce::JsonValue;
use crate::model::Path;

/// A compiled expression.
pub struct Program {
    pub(super) expression: IdedExpr,
    pub(super) variables: Variables,
    pub(super) patterns: Vec<Pattern>,
    pub(super) environment: Arc<Env>,
}

/// What an expression gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// A computed value.
    Value(JsonValue<'a>),
    /// What stands at the place, an index into [`Program::places`], as it stands there. It is
    /// neither missing nor null.
    Place(usize),
}

impl Program {
    /// Compiles the text of an expression that [`crate::parse()`] gave as
    /// [`crate::Expression::Cel`].
    ///
    /// # Errors
    ///
    /// When the text is no such expression.
    pub fn compile(text: &str) -> Result<Self, CelError> {
        match compile(text) {
            Ok(Compiled::Program(program)) => Ok(program),
            Ok(Compiled::Path(_)) => Err(CelError::new("this is a path, which needs no CEL")),
            Err(fault) => Err(CelError::new(fault.message)),
        }
    }

    /// Every place that an evaluation may look at, each once; [`Lookup::find`] takes their indexes.
    #[must_use]
    pub fn places(&self) -> &[Path] {
        &self.variables.places
    }

    /// Evaluates the expression for one event. `buffer` is overwritten; it holds the text of a
    /// computed value.
    ///
    /// Numbers are computed as CEL does: integers of 64 bits and doubles, never one with the other.
    /// A place that becomes the result unchanged is given as [`Outcome::Place`], and so keeps every
    /// digit.
    ///
    /// # Errors
    ///
    /// When the event does not have what the expression wants, or the computation fails: a missing
    /// key, types that do not go together, division by zero, a result beyond 64 bits, too many
    /// steps. The same event always fails in the same way.
    pub fn evaluate<'a>(
        &self,
        lookup: &dyn Lookup,
        buffer: &'a mut String,
    ) -> Result<Outcome<'a>, CelError> {
        let resolver = Resolver::new(lookup, &self.variables, &self.patterns);
        let mut context = Context::with_env(Arc::clone(&self.environment));
        context.set_variable_resolver(&resolver);
        budget::start();
        let value = Value::resolve_val(&self.expression, &context)
            .map_err(|error| CelError::of_execution(&error, &resolver, &self.variables))?;
        if let Some(Passed { place }) = value.downcast_ref() {
            return Ok(Outcome::Place(*place));
        }
        encode(value.as_ref(), buffer)
            .map(Outcome::Value)
            .map_err(|fault| CelError::of_result(&fault))
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("places", &self.variables.places)
            .finish_non_exhaustive()
    }
}
