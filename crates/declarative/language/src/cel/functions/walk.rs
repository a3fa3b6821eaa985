//! What bounds loops; see [`super::super::budget`].

use cel::common::types::{CelInt, CelList, CelMap, CelString, INT_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::super::budget::{charge, charge_value};
use super::super::encode::key_text;
use super::arguments::{any, argument};
use super::{ANY, RANGE, SIZED, global};

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    global(environment, SIZED, &[ANY], sized)?;
    global(environment, RANGE, &[ANY, INT_TYPE], range)
}

/// Charges for the value.
fn sized<'b, 'v>(mut arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    charge_value(any(&arguments, 0)?)?;
    arguments
        .pop()
        .ok_or(ExecutionError::MissingArgumentOrTarget)
}

/// Charges for the value, and for what each element costs. A map becomes the list of its keys in
/// their order, because the order of a map itself differs from run to run.
fn range<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let value = any(&arguments, 0)?;
    charge_value(value)?;
    let cost: &CelInt = argument(&arguments, 1)?;
    let cost = u64::try_from(*cost.inner()).unwrap_or(u64::MAX);
    let count = value.as_sizer().map_or(0, |sized| *sized.size().inner());
    charge(cost.saturating_mul(u64::try_from(count).unwrap_or_default()))?;
    if let Some(map) = value.downcast_ref::<CelMap>() {
        let mut keys: Vec<_> = map.inner().keys().collect();
        keys.sort_by_cached_key(|key| key_text(key));
        let keys = keys.into_iter().map(|key| -> Box<dyn Val + 'v> {
            match key.inner().downcast_ref::<CelString>() {
                Some(text) => Box::new(CelString::from(text.inner().to_owned())),
                None => key.inner().clone_as_boxed(),
            }
        });
        return Ok(CowVal::owned(CelList::from(keys.collect::<Vec<_>>())));
    }
    let mut arguments = arguments;
    Ok(arguments.swap_remove(0))
}
