//! Bounds what one evaluation may do.
//!
//! Most expressions are cheap by their length alone. Only loops (`map`, `filter`, `exists`, …) can
//! do much with little text, because an event decides how many elements there are, and because a
//! value that is named twice in a loop doubles each time. So an evaluation has a number of steps:
//! a step is about a byte looked at; reading a place, walking over a list, and everything that a
//! loop builds is charged before or as it is done.

use std::cell::Cell;

use cel::ExecutionError;
use cel::common::types::{CelBytes, CelMap, CelString};
use cel::common::value::Val;

/// The steps of one evaluation: some hundred thousand elements of a list, a fraction of a second.
pub(super) const STEPS: u64 = 1 << 25;

/// The steps of a value without length, and of a part of an expression in a loop.
pub(super) const NODE: u64 = 16;

/// The name under which a spent budget is reported.
pub(super) const NAME: &str = "@budget";

thread_local! {
    /// What the evaluation that runs on this thread may still do. The functions of an expression
    /// are plain functions, which have no other way to it.
    static LEFT: Cell<u64> = const { Cell::new(STEPS) };
}

/// Begins an evaluation.
pub(super) fn start() {
    LEFT.set(STEPS);
}

/// Whether the evaluation has done too much.
pub(super) fn is_spent() -> bool {
    LEFT.get() == 0
}

/// Takes steps. Once they do not suffice nothing does any more, so that an evaluation that passes
/// over the error in one place fails in the next.
pub(super) fn charge(steps: u64) -> Result<(), ExecutionError> {
    let left = LEFT.get().saturating_sub(steps);
    LEFT.set(left);
    if left == 0 {
        return Err(ExecutionError::function_error(NAME, "spent"));
    }
    Ok(())
}

/// Takes the steps of a text of so many bytes.
pub(super) fn charge_text(bytes: usize) -> Result<(), ExecutionError> {
    charge(NODE.saturating_add(bytes as u64))
}

/// Takes the steps of a value with all that it holds.
pub(super) fn charge_value(value: &dyn Val) -> Result<(), ExecutionError> {
    if let Some(text) = value.downcast_ref::<CelString>() {
        return charge_text(text.len());
    }
    if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        return charge_text(bytes.inner().len());
    }
    charge(NODE)?;
    if let Some(map) = value.downcast_ref::<CelMap>() {
        for (key, value) in map.inner() {
            charge_value(key.inner())?;
            charge_value(value.as_ref())?;
        }
    } else if let Some(list) = value.as_iterable() {
        let mut elements = list.iter();
        while let Some(element) = elements.next() {
            charge_value(element)?;
        }
    }
    Ok(())
}
