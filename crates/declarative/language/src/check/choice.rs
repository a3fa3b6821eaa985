//! Keys whose value is one of some words, or a count.

use crate::report::Report;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Mapping, Plain, Value};
use crate::vocabulary::{Level, Shape, Word};

/// The word that stands under `key`. `None` when there is none, or none that is taken; the latter
/// is reported.
pub(super) fn word<'t>(
    report: &mut Report<'_>,
    mapping: &'t Mapping,
    level: &Level,
    key: &str,
) -> Option<&'t str> {
    let entry = mapping.get(key)?;
    let Shape::Words { words, otherwise } = &level.key(key)?.shape else {
        return None;
    };
    let node = &entry.value;
    let told = match &node.value {
        Value::Broken => return None,
        Value::Scalar(_) if node.is_null() => None,
        Value::Scalar(scalar) => Some(scalar.text.as_str()),
        Value::List(_) | Value::Mapping(_) => None,
    };
    let found = told.and_then(|told| words.iter().find(|word| word.text == told));
    match found {
        Some(word) if !word.refused => return told,
        Some(word) => report.fault_with_help(node.place, word.doc, *otherwise),
        None => {
            let taken = || words.iter().filter(|word| !word.refused);
            let not = match told {
                Some(told) if taken().count() > 1 => {
                    let slip = did_you_mean(told, taken().map(|word| word.text));
                    format!(", not `{told}`{slip}")
                }
                _ => String::new(),
            };
            let message = format!("`{key}` can only be {}{not}", either(taken()));
            report.fault_with_help(node.place, message, *otherwise);
        }
    }
    None
}

/// The text that stands under `key`, whether it is a word of it or not.
pub(super) fn word_of<'t>(mapping: &'t Mapping, key: &str) -> Option<&'t str> {
    match &mapping.get(key)?.value.value {
        Value::Scalar(scalar) => Some(&scalar.text),
        _ => None,
    }
}

/// `a`, `b` or `c`, each in backticks.
fn either<'w>(words: impl Iterator<Item = &'w Word>) -> String {
    let words = list(words.map(|word| word.text));
    match words.rsplit_once(" and ") {
        Some((before, last)) => format!("{before} or {last}"),
        None => words,
    }
}

/// The whole number that stands under `key`.
pub(super) fn count(
    report: &mut Report<'_>,
    mapping: &Mapping,
    level: &Level,
    key: &str,
) -> Option<u32> {
    let node = &mapping.get(key)?.value;
    let Shape::Count(most) = level.key(key)?.shape else {
        return None;
    };
    let number = match &node.value {
        Value::Broken => return None,
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Number(number) => number.parse().ok(),
            _ => None,
        },
        Value::List(_) | Value::Mapping(_) => None,
    };
    let fitting = number.filter(|number| *number <= most);
    if fitting.is_none() {
        let message = format!("`{key}` must be a whole number from 0 to {most}");
        let help = format!("write a number such as `{key}: 5`, without quotes");
        report.fault_with_help(node.place, message, help);
    }
    fitting
}
