//! The keys that a mapping has, and mappings, lists and texts under them.

use crate::report::Report;
use crate::source::Place;
use crate::suggest::{list, nearest};
use crate::tree::{Entry, Mapping, Node, Plain, Value};
use crate::vocabulary::{Level, called_here, levels};

/// Reports every key that the mapping may not have.
pub(super) fn check(report: &mut Report<'_>, mapping: &Mapping, level: &Level) {
    for entry in &mapping.entries {
        check_one(report, entry, level);
    }
}

/// Reports a key that the mapping may not have.
pub(super) fn check_one(report: &mut Report<'_>, entry: &Entry, level: &Level) {
    let key = entry.key.as_str();
    if level.key(key).is_some() {
        return;
    }
    if let Some(refused) = level.refused(key) {
        return report.fault_with_help(entry.place, refused.why, refused.instead);
    }
    let called_here = called_here(key, level.names());
    if called_here.is_none()
        && let Some(other) = levels().iter().find(|other| other.key(key).is_some())
    {
        let message = format!("`{key}` does not belong here");
        let help = format!("it belongs {}", other.home);
        return report.fault_with_help(entry.place, message, help);
    }
    if key.starts_with(|c: char| c.is_ascii_digit()) && entry.value.is_null() {
        return report.fault_with_help(
            entry.place,
            format!("`{key}` stands alone: inside `{{ }}` a comma ends a value"),
            "take the comma out of a number, or put a text that holds one in quotes",
        );
    }
    match called_here.or_else(|| nearest(key, level.names())) {
        Some(meant) => {
            let message = format!("unknown key `{key}`; did you mean `{meant}`?");
            report.fault(entry.place, message);
        }
        None => report.fault_with_help(
            entry.place,
            format!("unknown key `{key}`"),
            format!("the keys here are {}", list(level.names())),
        ),
    }
}

/// The mapping that `node` is; `wanted` says what it holds.
pub(crate) fn mapping<'t>(
    report: &mut Report<'_>,
    node: &'t Node,
    subject: &str,
    wanted: &str,
) -> Option<&'t Mapping> {
    match &node.value {
        Value::Mapping(mapping) => return Some(mapping),
        Value::Broken => {}
        _ if node.is_null() => {
            report.fault_with_help(
                node.place,
                format!("{subject} is empty"),
                format!("it holds {wanted}"),
            );
        }
        Value::Scalar(scalar) if scalar.is_key_without_blank() => {
            let message = format!("{subject} must be a mapping; a blank is missing after the `:`");
            let help = format!("write `{}`", scalar.text.replacen(':', ": ", 1));
            report.fault_with_help(node.place, message, help);
        }
        Value::List(_) => report.fault_with_help(
            node.place,
            format!("{subject} must be a mapping, not a list"),
            format!("it holds {wanted}, without `-` and without `[ ]`"),
        ),
        _ => {
            let message = format!("{subject} must be a mapping, not {}", node.kind());
            report.fault_with_help(node.place, message, format!("it holds {wanted}"));
        }
    }
    None
}

/// As [`mapping`], and with at least one entry.
pub(crate) fn filled_mapping<'t>(
    report: &mut Report<'_>,
    node: &'t Node,
    subject: &str,
    wanted: &str,
) -> Option<&'t Mapping> {
    let mapping = mapping(report, node, subject, wanted)?;
    if mapping.entries.is_empty() && mapping.broken {
        return None;
    }
    if mapping.entries.is_empty() {
        report.fault_with_help(
            node.place,
            format!("{subject} is empty"),
            format!("it holds {wanted}"),
        );
        return None;
    }
    Some(mapping)
}

/// The entry of a key that must be there; reported when neither it nor a slip of it is.
pub(super) fn required<'t>(
    report: &mut Report<'_>,
    mapping: &'t Mapping,
    key: &str,
    place: Place,
    owner: &str,
    example: &str,
) -> Option<&'t Entry> {
    let entry = mapping.get(key);
    // A key that is only misspelt is reported as that.
    let misspelt = || {
        mapping.entries.iter().any(|entry| {
            nearest(&entry.key, [key]).is_some() || called_here(&entry.key, [key]).is_some()
        })
    };
    if entry.is_none() && !mapping.broken && !misspelt() {
        let message = format!("{owner} has no `{key}`");
        report.fault_with_help(place, message, format!("add `{example}`"));
    }
    entry
}

/// A text of a list, with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'t> {
    pub(super) text: &'t str,
    pub(super) place: Place,
}

/// The texts of a list. Elements that are none are reported and left out; the second value is
/// false when there were such, or no list at all.
pub(super) fn names<'t>(
    report: &mut Report<'_>,
    node: &'t Node,
    subject: &str,
    example: &str,
) -> (Vec<Name<'t>>, bool) {
    let elements = match &node.value {
        Value::List(elements) if !elements.is_empty() => elements,
        Value::Broken => return (Vec::new(), false),
        Value::List(_) => {
            let message = format!("{subject} is empty");
            report.fault_with_help(node.place, message, format!("write `{example}`"));
            return (Vec::new(), false);
        }
        Value::Scalar(scalar) if !node.is_null() => {
            let message = format!("{subject} must be a list of names, not {}", node.kind());
            let help = format!("put it in brackets: `[{}]`", scalar.text);
            report.fault_with_help(node.place, message, help);
            return (Vec::new(), false);
        }
        _ => {
            let message = format!("{subject} must be a list of names, not {}", node.kind());
            report.fault_with_help(node.place, message, format!("write `{example}`"));
            return (Vec::new(), false);
        }
    };
    let names: Vec<Name<'t>> = elements
        .iter()
        .filter_map(|element| {
            text(report, element, &format!("an element of {subject}")).map(|text| Name {
                text,
                place: element.place,
            })
        })
        .collect();
    let complete = names.len() == elements.len();
    (names, complete)
}

/// The text that `node` is.
pub(crate) fn text<'t>(report: &mut Report<'_>, node: &'t Node, subject: &str) -> Option<&'t str> {
    match &node.value {
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Text => return Some(&scalar.text),
            Plain::Null => {
                let message = format!("{subject} is empty");
                report.fault_with_help(node.place, message, "write a text, or take this out");
            }
            _ => {
                let message = format!("{subject} must be a text, not {}", node.kind());
                let help = format!("put it in quotes: `\"{}\"`", scalar.text);
                report.fault_with_help(node.place, message, help);
            }
        },
        Value::Broken => {}
        _ => report.fault_with_help(
            node.place,
            format!("{subject} must be a text, not {}", node.kind()),
            "write one text there",
        ),
    }
    None
}
