//! Functions of lists. Nulls are passed over where SQL passes over them.

use std::cmp::Ordering;

use cel::common::types::{CelDouble, CelInt, CelList, CelNull, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::super::budget::{charge, charge_value};
use super::arguments::{any, elements};
use super::either;

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    let list = [LIST_TYPE];
    either(environment, "sum", &list, sum)?;
    either(environment, "min", &list, |arguments| {
        extreme(&arguments, Ordering::Less)
    })?;
    either(environment, "max", &list, |arguments| {
        extreme(&arguments, Ordering::Greater)
    })?;
    either(environment, "first", &list, |arguments| {
        Ok(or_null(elements(&arguments, 0)?.first().copied()))
    })?;
    either(environment, "last", &list, |arguments| {
        Ok(or_null(elements(&arguments, 0)?.last().copied()))
    })?;
    either(environment, "distinct", &list, distinct)?;
    either(environment, "sort", &list, sort)
}

fn is_null(value: &dyn Val) -> bool {
    value.downcast_ref::<CelNull>().is_some()
}

fn or_null<'b, 'v>(value: Option<&(dyn Val + 'v)>) -> CowVal<'b, 'v> {
    match value {
        Some(value) => CowVal::Owned(value.clone_as_boxed()),
        None => CowVal::owned(CelNull),
    }
}

/// All integers, or all doubles; 0 for none.
fn sum<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    charge_value(any(&arguments, 0)?)?;
    let wrong = |message: &str| Err(ExecutionError::function_error("sum", message));
    let (mut whole, mut fraction) = (0_i64, None);
    let mut has_integer = false;
    for element in elements(&arguments, 0)? {
        if let Some(number) = element.downcast_ref::<CelInt>() {
            has_integer = true;
            match whole.checked_add(*number.inner()) {
                Some(total) => whole = total,
                None => return wrong("the result is beyond the integers of 64 bits"),
            }
        } else if let Some(number) = element.downcast_ref::<CelDouble>() {
            fraction = Some(fraction.unwrap_or(0.0) + *number.inner());
        } else if !is_null(element) {
            return wrong("the list holds something that is no number");
        }
    }
    Ok(match fraction {
        Some(_) if has_integer => {
            return wrong("the list holds integers and doubles; convert them with `double()`");
        }
        Some(total) => CowVal::owned(CelDouble::from(total)),
        None => CowVal::owned(CelInt::from(whole)),
    })
}

/// The element that is `wanted` of all others; null for none.
fn extreme<'b, 'v>(arguments: &Arguments<'b, 'v>, wanted: Ordering) -> Answer<'b, 'v> {
    charge_value(any(arguments, 0)?)?;
    let mut best: Option<&(dyn Val + 'v)> = None;
    for element in elements(arguments, 0)? {
        let better = match best {
            _ if is_null(element) => false,
            None => true,
            Some(best) => compare(element, best)? == wanted,
        };
        if better {
            best = Some(element);
        }
    }
    Ok(or_null(best))
}

fn compare(left: &dyn Val, right: &dyn Val) -> Result<Ordering, ExecutionError> {
    let comparer = left.as_comparer().ok_or_else(|| {
        let name = left.get_type().name().to_owned();
        ExecutionError::no_such_overload("<", vec![name])
    })?;
    comparer.compare(right)
}

/// Each value once, in the order of their first appearance.
fn distinct<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    charge_value(any(&arguments, 0)?)?;
    let mut kept: Vec<&(dyn Val + 'v)> = Vec::new();
    for element in elements(&arguments, 0)? {
        charge(kept.len() as u64 * 4)?;
        if !kept.iter().any(|known| known.equals(element)) {
            kept.push(element);
        }
    }
    let kept: Vec<_> = kept.into_iter().map(Val::clone_as_boxed).collect();
    Ok(CowVal::owned(CelList::from(kept)))
}

/// In ascending order; equal ones keep theirs.
fn sort<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    charge_value(any(&arguments, 0)?)?;
    let mut sorted = elements(&arguments, 0)?;
    let mut fault = None;
    sorted.sort_by(|left, right| {
        compare(*left, *right).unwrap_or_else(|error| {
            fault.get_or_insert(error);
            Ordering::Equal
        })
    });
    if let Some(error) = fault {
        return Err(error);
    }
    let sorted: Vec<_> = sorted.into_iter().map(Val::clone_as_boxed).collect();
    Ok(CowVal::owned(CelList::from(sorted)))
}
