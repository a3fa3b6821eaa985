//! The indexes of a table beside its key.

use std::collections::HashMap;

use super::columns::Columns;
use super::keys::{self, Name};
use crate::report::Report;
use crate::source::Place;
use crate::tree::{Mapping, Node, Value};
use crate::vocabulary::limits::{MAX_INDEX_COLUMNS, MAX_INDEXES};

const EXAMPLE: &str = "write `indexes: [[status, placed_at]]`, a list of lists of columns";

/// Reads `indexes`. What is wrong is reported and left out.
pub(super) fn read(
    report: &mut Report<'_>,
    target: &Mapping,
    columns: &Columns<'_>,
    key: &[usize],
) -> Vec<Vec<usize>> {
    let Some(entry) = target.get("indexes") else {
        return Vec::new();
    };
    let elements = match &entry.value.value {
        Value::List(elements) => elements,
        Value::Broken => return Vec::new(),
        _ => {
            let message = format!("`indexes` must be a list, not {}", entry.value.kind());
            let help = match &entry.value.value {
                Value::Scalar(column) if columns.find(&column.text).is_some() => {
                    format!("write `[[{}]]`, a list of lists of columns", column.text)
                }
                _ => EXAMPLE.to_owned(),
            };
            report.fault_with_help(entry.value.place, message, help);
            return Vec::new();
        }
    };
    if elements.len() > MAX_INDEXES {
        let message = format!(
            "`indexes` has {} indexes; at most {MAX_INDEXES} are allowed",
            elements.len()
        );
        report.fault_with_help(
            entry.place,
            message,
            "keep those that a filter or your queries need",
        );
        return Vec::new();
    }
    if let (Some(names), Some(first)) = (flat(elements), elements.first()) {
        report_flat(report, first, &names);
        return Vec::new();
    }
    let mut seen: HashMap<Vec<usize>, Place> = HashMap::new();
    let mut indexes = Vec::new();
    for element in elements {
        let Some(index) = one(report, element, columns) else {
            continue;
        };
        if index == key {
            report.fault_with_help(
                element.place,
                "these are the columns of the key, which has an index of its own",
                "take this index out",
            );
        } else if let Some(first) = seen.insert(index.clone(), element.place) {
            let message = format!("this index stands in line {} already", first.line);
            report.fault_with_help(element.place, message, "keep one of them");
        } else {
            indexes.push(index);
        }
    }
    indexes
}

/// The names of a list that holds columns where it should hold indexes.
fn flat(elements: &[Node]) -> Option<Vec<&str>> {
    let names = elements.iter().map(|node| match &node.value {
        Value::Scalar(scalar) if !node.is_null() => Some(scalar.text.as_str()),
        _ => None,
    });
    let names: Option<Vec<&str>> = names.collect();
    names.filter(|names| !names.is_empty())
}

/// Reports columns that stand directly under `indexes`.
fn report_flat(report: &mut Report<'_>, first: &Node, names: &[&str]) {
    let all = names.join(", ");
    let help = match names {
        [name] => format!("write `[[{name}]]`"),
        _ => format!(
            "write `[[{all}]]` for one index of all of them, or `[[{}]]` for one index each",
            names.join("], [")
        ),
    };
    let message = format!("an index must be a list of columns, not {}", first.kind());
    report.fault_with_help(first.place, message, help);
}

/// The columns of one index; `None` when something is wrong with them.
fn one(report: &mut Report<'_>, node: &Node, columns: &Columns<'_>) -> Option<Vec<usize>> {
    if let Value::Scalar(scalar) = &node.value
        && !node.is_null()
    {
        report.fault_with_help(
            node.place,
            format!("an index must be a list of columns, not {}", node.kind()),
            format!("write `[{}]`", scalar.text),
        );
        return None;
    }
    let (names, complete) = keys::names(report, node, "an index", "[status, placed_at]");
    if names.len() > MAX_INDEX_COLUMNS {
        let message = format!(
            "an index has {} columns; at most {MAX_INDEX_COLUMNS} are allowed",
            names.len()
        );
        report.fault_with_help(node.place, message, "keep those that a query begins with");
        return None;
    }
    let mut index = Vec::new();
    let mut fine = complete;
    for Name { text, place } in names {
        match columns.resolve(report, text, place) {
            Some(column) if index.contains(&column) => {
                let message = format!("`{text}` stands in this index twice");
                report.fault_with_help(place, message, "keep one of them");
                fine = false;
            }
            Some(column) => index.push(column),
            None => fine = false,
        }
    }
    fine.then_some(index)
}
