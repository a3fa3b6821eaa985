//! The keys that a mapping may have, and the kinds of value that stand under them.

use crate::report::Report;
use crate::source::Place;
use crate::suggest::{list, nearest};
use crate::tree::{Entry, Mapping, Node, Plain, Value};

/// The keys of one kind of mapping.
pub(super) struct Keys {
    /// Those that this build has.
    pub(super) built: &'static [&'static str],
    /// Those that the language names and this build does not have.
    pub(super) later: &'static [&'static str],
}

/// Where a key belongs that stands in the wrong mapping.
const HOMES: [(&str, &str); 20] = [
    ("table", "under `target`"),
    ("primary_key", "under `target`"),
    ("indexes", "under `target`"),
    ("source_events", "under the name of a projection"),
    ("target", "under the name of a projection"),
    ("fields", "under the name of a projection"),
    ("derive", "under the name of a projection"),
    ("mutations", "under the name of a projection"),
    ("sequence", "under the name of a projection"),
    ("type", "under a column of `fields`"),
    ("nullable", "under a column of `fields`"),
    ("default", "under a column of `fields`"),
    ("required", "under a column of `fields`"),
    ("op", "under an event type of `mutations`"),
    ("set", "under an event type of `mutations`"),
    ("by", "under an event type of `mutations`"),
    ("filter", "under an event type of `mutations`"),
    ("each", "under an event type of `mutations`"),
    ("projections", "at the top of the file"),
    ("envelope", "at the top of the file"),
];

/// Reports every key that the mapping may not have.
pub(super) fn check(report: &mut Report<'_>, mapping: &Mapping, keys: &Keys) {
    for entry in &mapping.entries {
        check_one(report, entry, keys);
    }
}

/// Reports a key that the mapping may not have.
pub(super) fn check_one(report: &mut Report<'_>, entry: &Entry, keys: &Keys) {
    let key = entry.key.as_str();
    if keys.built.contains(&key) {
        return;
    }
    if keys.later.contains(&key) {
        return report.not_built(entry.place, &format!("`{key}`"));
    }
    let here = || keys.built.iter().copied();
    if let Some((_, home)) = HOMES.iter().find(|(name, _)| *name == key) {
        let message = format!("`{key}` does not belong here");
        return report.fault_with_help(entry.place, message, format!("it belongs {home}"));
    }
    match nearest(key, here().chain(keys.later.iter().copied())) {
        Some(meant) => {
            let message = format!("unknown key `{key}`; did you mean `{meant}`?");
            report.fault(entry.place, message);
        }
        None => report.fault_with_help(
            entry.place,
            format!("unknown key `{key}`"),
            format!("the keys here are {}", list(here())),
        ),
    }
}

/// The mapping that `node` is; `wanted` says what it holds.
pub(super) fn mapping<'t>(
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
        _ => {
            let message = format!("{subject} must be a mapping, not {}", node.kind());
            report.fault_with_help(node.place, message, format!("it holds {wanted}"));
        }
    }
    None
}

/// As [`mapping`], and with at least one entry.
pub(super) fn filled_mapping<'t>(
    report: &mut Report<'_>,
    node: &'t Node,
    subject: &str,
    wanted: &str,
) -> Option<&'t Mapping> {
    let mapping = mapping(report, node, subject, wanted)?;
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
        mapping
            .entries
            .iter()
            .any(|entry| nearest(&entry.key, [key]).is_some())
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
pub(super) fn text<'t>(report: &mut Report<'_>, node: &'t Node, subject: &str) -> Option<&'t str> {
    match &node.value {
        Value::Scalar(scalar) => match scalar.resolved() {
            Plain::Text => return Some(&scalar.text),
            Plain::Null => {
                report.fault(node.place, format!("{subject} is empty"));
            }
            _ => {
                let message = format!("{subject} must be a text, not {}", node.kind());
                let help = format!("put it in quotes: `\"{}\"`", scalar.text);
                report.fault_with_help(node.place, message, help);
            }
        },
        Value::Broken => {}
        _ => report.fault(
            node.place,
            format!("{subject} must be a text, not {}", node.kind()),
        ),
    }
    None
}
