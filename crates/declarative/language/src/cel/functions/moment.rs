//! Moments from and to Unix milliseconds, which is how events hold them.

use cel::common::types::{CelInt, CelTimestamp, INT_TYPE, TIMESTAMP_TYPE};
use cel::common::value::CowVal;
use cel::{DeclarationError, Env, ExecutionError};
use chrono::DateTime;

use super::arguments::argument;
use super::{either, global};
use crate::coerce::is_moment;

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    global(environment, "timestampMs", &[INT_TYPE], from_millis)?;
    either(environment, "millis", &[TIMESTAMP_TYPE], to_millis)
}

fn from_millis<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let millis: &CelInt = argument(&arguments, 0)?;
    let moment = DateTime::from_timestamp_millis(*millis.inner());
    let moment = moment.filter(|_| is_moment(*millis.inner()));
    let moment = moment.ok_or_else(|| {
        let message = "the moment is not within the years 0001 to 9999";
        ExecutionError::function_error("timestampMs", message)
    })?;
    Ok(CowVal::owned(CelTimestamp::from(moment.fixed_offset())))
}

fn to_millis<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let moment: &CelTimestamp = argument(&arguments, 0)?;
    let millis = moment.inner().timestamp_millis();
    Ok(CowVal::owned(CelInt::from(millis)))
}
