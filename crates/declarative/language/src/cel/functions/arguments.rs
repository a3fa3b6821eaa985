//! Takes arguments by their type.

use cel::ExecutionError;
use cel::common::value::{CowVal, FromVal, Val};

/// The argument at `index`, of the type for which the function was declared.
pub(super) fn argument<'a, 'v, T: FromVal<'a, 'v> + Val>(
    arguments: &'a [CowVal<'_, 'v>],
    index: usize,
) -> Result<&'a T, ExecutionError> {
    let value: &'a (dyn Val + 'v) = any(arguments, index)?;
    value
        .downcast_ref::<T>()
        .ok_or_else(|| ExecutionError::UnexpectedType {
            got: value.get_type().name().to_owned(),
            want: T::cel_type().name().to_owned(),
        })
}

/// The argument at `index`.
pub(super) fn any<'a, 'v>(
    arguments: &'a [CowVal<'_, 'v>],
    index: usize,
) -> Result<&'a (dyn Val + 'v), ExecutionError> {
    arguments
        .get(index)
        .map(|value| &**value)
        .ok_or(ExecutionError::MissingArgumentOrTarget)
}

/// The elements of the list at `index`.
pub(super) fn elements<'a, 'v>(
    arguments: &'a [CowVal<'_, 'v>],
    index: usize,
) -> Result<Vec<&'a (dyn Val + 'v)>, ExecutionError> {
    let value = any(arguments, index)?;
    let list = value
        .as_iterable()
        .ok_or_else(|| ExecutionError::UnexpectedType {
            got: value.get_type().name().to_owned(),
            want: "list".to_owned(),
        })?;
    let mut elements = list.iter();
    let mut found = Vec::new();
    while let Some(element) = elements.next() {
        found.push(element);
    }
    Ok(found)
}
