//! The envelope of Debezium: the columns that are the entity, and the event types that there are.

use super::keys;
use crate::report::Report;
use crate::suggest::nearest;
use crate::tree::{Entry, Mapping, Node, Value};
use crate::vocabulary::DEBEZIUM;
use crate::vocabulary::limits::MAX_INDEX_COLUMNS;

pub(super) const EXAMPLE: &str =
    "write `envelope: { debezium: { key: [id] } }` with the columns of the table's primary key";

/// What happens to a row: the ends of the event types.
const ENDS: [&str; 4] = ["create", "update", "delete", "read"];

/// Reads what stands under `debezium`: the columns that are the entity.
pub(super) fn key(report: &mut Report<'_>, entry: &Entry) -> Option<Vec<Box<str>>> {
    let node = &entry.value;
    if matches!(node.value, Value::List(_)) {
        let message = "`debezium` must be a mapping, not a list";
        report.fault_with_help(node.place, message, EXAMPLE);
        return None;
    }
    let mapping = keys::mapping(report, node, "`debezium`", "`key: [id]`")?;
    keys::check(report, mapping, &DEBEZIUM);
    let known = |entry: &Entry| DEBEZIUM.key(&entry.key).is_some();
    let sound = !mapping.broken && mapping.entries.iter().all(known);
    let entry = keys::required(
        report,
        mapping,
        "key",
        entry.place,
        "`debezium`",
        "key: [id]",
    )?;
    let (names, complete) = keys::names(report, &entry.value, "`key`", "key: [id]");
    if names.len() > MAX_INDEX_COLUMNS {
        let message = format!(
            "`key` has {} columns; at most {MAX_INDEX_COLUMNS} are allowed",
            names.len()
        );
        report.fault_with_help(entry.place, message, "keep those of the primary key");
        return None;
    }
    let mut key: Vec<Box<str>> = Vec::with_capacity(names.len());
    let mut fine = complete;
    for name in names {
        if name.text.is_empty() {
            let message = "a column of `key` is empty";
            report.fault_with_help(name.place, message, "write its name, or take it out");
        } else if key.iter().any(|known| &**known == name.text) {
            let message = format!("`{}` stands in `key` twice", name.text);
            report.fault_with_help(name.place, message, "keep one of them");
        } else {
            key.push(name.text.into());
            continue;
        }
        fine = false;
    }
    (sound && fine).then_some(key)
}

/// Reports event types that no record of Debezium ever has, and warns of rows that a snapshot
/// would leave out.
pub(super) fn check_events(report: &mut Report<'_>, projections: &Mapping) {
    for projection in &projections.entries {
        let Value::Mapping(body) = &projection.value.value else {
            continue;
        };
        let Some(events) = body.get("source_events") else {
            continue;
        };
        let Value::List(elements) = &events.value.value else {
            continue;
        };
        let names: Vec<&str> = elements.iter().filter_map(text).collect();
        for element in elements {
            if let Some(name) = text(element) {
                check_event(report, element, name);
                warn_of_snapshot(report, element, name, &names);
            }
        }
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar(scalar) if !scalar.text.trim().is_empty() => Some(&scalar.text),
        _ => None,
    }
}

fn check_event(report: &mut Report<'_>, node: &Node, name: &str) {
    let (table, end) = name.rsplit_once('.').unwrap_or((name, ""));
    if !table.is_empty() && ENDS.contains(&end) {
        return;
    }
    let types = format!(
        "the event types of a table are `{0}.create`, `{0}.update`, `{0}.delete` and `{0}.read`, \
         which is a row of a snapshot",
        if table.is_empty() { "orders" } else { table }
    );
    if end == "truncate" {
        let message = format!("`{name}` empties a table, and no operation does that");
        let help = "take it out; a truncated table becomes a dead letter, and `rebuild` is the way";
        return report.fault_with_help(node.place, message, help);
    }
    let meant = match end {
        "insert" | "inserted" | "c" => Some("create"),
        "u" => Some("update"),
        "d" => Some("delete"),
        "r" | "snapshot" => Some("read"),
        _ => nearest(end, ENDS),
    };
    match meant {
        Some(meant) if !table.is_empty() => {
            let message =
                format!("Debezium has no event type `{name}`; did you mean `{table}.{meant}`?");
            report.fault_with_help(node.place, message, types);
        }
        _ => {
            let message = format!("Debezium has no event type `{name}`");
            report.fault_with_help(node.place, message, types);
        }
    }
}

fn warn_of_snapshot(report: &mut Report<'_>, node: &Node, name: &str, names: &[&str]) {
    let Some(table) = name.strip_suffix(".create") else {
        return;
    };
    let read = format!("{table}.read");
    if !names.contains(&read.as_str()) {
        let message = format!("`{name}` is read and `{read}` is not");
        let help = format!(
            "rows that were there before Debezium began come as `{read}`, in its snapshot; give it \
             the mutation of `{name}`, or `{{ op: ignore }}`"
        );
        report.warning(node.place, message, help);
    }
}
