//! Functions of texts.

use cel::common::types::{CelInt, CelList, CelString, INT_TYPE, LIST_TYPE, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::super::budget::{charge, charge_text, charge_value};
use super::super::encode::write_json;
use super::arguments::{any, argument, elements};
use super::{ANY, either};

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn declare(environment: &mut Env) -> Result<(), DeclarationError> {
    either(environment, "lower", &[STRING_TYPE], lower)?;
    either(environment, "upper", &[STRING_TYPE], upper)?;
    either(environment, "trim", &[STRING_TYPE], trim)?;
    either(environment, "substr", &[STRING_TYPE, INT_TYPE], substr)?;
    either(
        environment,
        "substr",
        &[STRING_TYPE, INT_TYPE, INT_TYPE],
        substr,
    )?;
    either(environment, "split", &[STRING_TYPE, STRING_TYPE], split)?;
    either(environment, "join", &[LIST_TYPE], join)?;
    either(environment, "join", &[LIST_TYPE, STRING_TYPE], join)?;
    either(
        environment,
        "replace",
        &[STRING_TYPE, STRING_TYPE, STRING_TYPE],
        replace,
    )?;
    either(
        environment,
        "indexOf",
        &[STRING_TYPE, STRING_TYPE],
        index_of,
    )?;
    either(environment, "json", &[ANY], json)
}

fn answer<'b, 'v>(text: String) -> Answer<'b, 'v> {
    Ok(CowVal::owned(CelString::from(text)))
}

fn lower<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    charge_text(text.len())?;
    answer(text.to_lowercase())
}

fn upper<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    charge_text(text.len())?;
    answer(text.to_uppercase())
}

fn trim<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    charge_text(text.len())?;
    answer(text.trim().to_owned())
}

/// As in SQL: the first character is 1, and what lies outside of the text is left out.
fn substr<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    let start: &CelInt = argument(&arguments, 1)?;
    let start = *start.inner();
    charge_text(text.len())?;
    let end = if arguments.len() > 2 {
        let length: &CelInt = argument(&arguments, 2)?;
        if *length.inner() < 0 {
            let message = "the length is below 0";
            return Err(ExecutionError::function_error("substr", message));
        }
        start.saturating_add(*length.inner())
    } else {
        i64::MAX
    };
    let skipped = usize::try_from(start.saturating_sub(1)).unwrap_or_default();
    let taken = usize::try_from(end.saturating_sub(start.max(1))).unwrap_or_default();
    answer(text.chars().skip(skipped).take(taken).collect())
}

/// The parts between the separators; the characters when the separator is empty.
fn split<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    let separator: &CelString<'_> = argument(&arguments, 1)?;
    charge_text(text.len().saturating_mul(16))?;
    let part = |part: String| Box::new(CelString::from(part)) as Box<dyn Val + 'v>;
    let parts: Vec<Box<dyn Val + 'v>> = if separator.is_empty() {
        text.chars().map(|c| part(c.to_string())).collect()
    } else {
        let parts = text.split(separator.inner());
        parts.map(|found| part(found.to_owned())).collect()
    };
    Ok(CowVal::owned(CelList::from(parts)))
}

fn join<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let separator = match arguments.get(1) {
        Some(_) => argument::<CelString<'_>>(&arguments, 1)?.inner(),
        None => "",
    };
    let mut joined = String::new();
    for (index, element) in elements(&arguments, 0)?.into_iter().enumerate() {
        let Some(text) = element.downcast_ref::<CelString>() else {
            let name = element.get_type().name();
            let message = format!("the list holds a {name}; convert it with `string()`");
            return Err(ExecutionError::function_error("join", message));
        };
        charge_text(text.len().saturating_add(separator.len()))?;
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(text);
    }
    answer(joined)
}

/// Replaces each `from` by `to`.
fn replace<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    let from: &CelString<'_> = argument(&arguments, 1)?;
    let to: &CelString<'_> = argument(&arguments, 2)?;
    charge_text(text.len())?;
    if from.is_empty() {
        return answer(text.inner().to_owned());
    }
    // A short text can become a very long one: ask before it is built.
    let found = text.matches(from.inner()).count() as u64;
    charge(found.saturating_mul(to.len() as u64))?;
    answer(text.replace(from.inner(), to))
}

/// The number of the first character where the other text begins; 0 when it is not there.
fn index_of<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let text: &CelString<'_> = argument(&arguments, 0)?;
    let wanted: &CelString<'_> = argument(&arguments, 1)?;
    charge_text(text.len())?;
    let before = text.find(wanted.inner()).and_then(|at| text.get(..at));
    let number = before.map_or(0, |before| before.chars().count() + 1);
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    Ok(CowVal::owned(CelInt::from(number)))
}

fn json<'b, 'v>(arguments: Arguments<'b, 'v>) -> Answer<'b, 'v> {
    let value = any(&arguments, 0)?;
    charge_value(value)?;
    let mut text = String::new();
    write_json(value, &mut text).map_err(|_| {
        let name = value.get_type().name();
        ExecutionError::function_error("json", format!("a {name} is no JSON value"))
    })?;
    answer(text)
}
