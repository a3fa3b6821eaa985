//! Functions of numbers.

use cel::common::types::{CelDouble, CelInt, DOUBLE_TYPE, INT_TYPE};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError};

use super::arguments::argument;
use super::either;

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    either(environment, "abs", &[INT_TYPE], abs_int)?;
    either(environment, "abs", &[DOUBLE_TYPE], |arguments| {
        of_double(&arguments, f64::abs)
    })?;
    either(environment, "round", &[DOUBLE_TYPE], |arguments| {
        of_double(&arguments, f64::round)
    })?;
    either(environment, "floor", &[DOUBLE_TYPE], |arguments| {
        of_double(&arguments, f64::floor)
    })?;
    either(environment, "ceil", &[DOUBLE_TYPE], |arguments| {
        of_double(&arguments, f64::ceil)
    })?;
    for name in ["round", "floor", "ceil"] {
        either(environment, name, &[INT_TYPE], itself)?;
    }
    Ok(())
}

fn of_double<'b, 'v>(arguments: &Arguments<'b, 'v>, function: fn(f64) -> f64) -> Answer<'b, 'v> {
    let number: &CelDouble = argument(arguments, 0)?;
    Ok(CowVal::owned(CelDouble::from(function(*number.inner()))))
}

fn abs_int<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let number: &CelInt = argument(&arguments, 0)?;
    let positive = number.inner().checked_abs();
    let positive = positive.ok_or_else(|| {
        ExecutionError::function_error("abs", "the result is beyond the integers of 64 bits")
    })?;
    Ok(CowVal::owned(CelInt::from(positive)))
}

/// An integer is whole already.
fn itself<'b, 'v>(mut arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    arguments
        .pop()
        .ok_or(ExecutionError::MissingArgumentOrTarget)
}
