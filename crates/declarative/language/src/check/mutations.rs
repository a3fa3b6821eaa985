//! What each event type does: the mapping `mutations`.

use super::events::{self, SourceEvents};
use super::keys::{self, Keys};
use super::operations::{self, Act, Scene};
use crate::model::{Mutation, Operation};
use crate::report::Report;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Entry, Mapping};

const MUTATION_KEYS: Keys = Keys {
    built: &["op", "set", "filter", "each", "by"],
    later: &["when", "on_missing"],
};

/// The operations of this build, and the keys that each takes besides `op`.
const OPERATIONS: [(&str, &[&str]); 5] = [
    ("upsert", &["set"]),
    ("insert", &["set"]),
    ("delete", &[]),
    ("replace", &["filter", "each"]),
    ("increment", &["by", "set"]),
];

/// The operations that this build does not have.
const LATER_OPERATIONS: [&str; 2] = ["patch", "ignore"];

/// Reads `mutations`. `None` when something is wrong with one; that is reported.
pub(super) fn read<'t>(
    report: &mut Report<'_>,
    entry: &'t Entry,
    events: &SourceEvents<'_>,
    mut scene: Scene<'t, '_>,
) -> Option<Vec<Mutation>> {
    let wanted = "event types and what each does, such as `ORDER_PLACED: { op: upsert }`";
    let mutations = keys::filled_mapping(report, &entry.value, "`mutations`", wanted)?;
    events::check_matching(report, events, mutations);
    let parts: Vec<_> = mutations
        .entries
        .iter()
        .map(|mutation| (mutation, body(report, mutation)))
        .collect();
    scene.has_each = parts
        .iter()
        .any(|(_, body)| body.is_some_and(|body| body.get("each").is_some()));
    let read: Vec<Option<Mutation>> = parts
        .into_iter()
        .map(|(entry, body)| {
            Some(Mutation {
                event_type: entry.key.as_str().into(),
                operation: operation(report, entry, body?, &mut scene)?,
            })
        })
        .collect();
    scene.report_gaps(report);
    read.into_iter().collect()
}

fn body<'t>(report: &mut Report<'_>, entry: &'t Entry) -> Option<&'t Mapping> {
    let subject = format!("the mutation of `{}`", entry.key);
    let wanted = "what to do, such as `{ op: upsert }`";
    keys::filled_mapping(report, &entry.value, &subject, wanted)
}

fn operation(
    report: &mut Report<'_>,
    entry: &Entry,
    body: &Mapping,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let owner = format!("the mutation of `{}`", entry.key);
    let name = keys::required(report, body, "op", entry.place, &owner, "op: upsert")
        .and_then(|op| keys::text(report, &op.value, "`op`").map(|text| (op, text)));
    let Some((op, name)) = name else {
        keys::check(report, body, &MUTATION_KEYS);
        return None;
    };
    if LATER_OPERATIONS.contains(&name) {
        report.not_built(op.value.place, &format!("the operation `{name}`"));
        return None;
    }
    let Some((name, takes)) = OPERATIONS.iter().find(|(known, _)| *known == name) else {
        keys::check(report, body, &MUTATION_KEYS);
        let known = || OPERATIONS.iter().map(|(known, _)| *known);
        let slip = did_you_mean(name, known().chain(LATER_OPERATIONS));
        let help = format!("the operations are {}", list(known()));
        report.fault_with_help(
            op.value.place,
            format!("unknown operation `{name}`{slip}"),
            help,
        );
        return None;
    };
    keys_of(report, body, name, takes);
    let act = Act {
        name,
        event: entry,
        body,
    };
    match *name {
        "insert" => operations::row(report, act, scene).map(|values| Operation::Insert { values }),
        "delete" => operations::delete(report, act, scene),
        "replace" => operations::replace(report, act, scene),
        "increment" => operations::increment(report, act, scene),
        _ => operations::row(report, act, scene).map(|values| Operation::Upsert { values }),
    }
}

/// Reports keys that the operation does not take.
fn keys_of(report: &mut Report<'_>, body: &Mapping, operation: &str, takes: &[&str]) {
    for entry in &body.entries {
        let key = entry.key.as_str();
        if key == "op" || takes.contains(&key) {
            continue;
        }
        let owners = OPERATIONS
            .iter()
            .filter(|(_, takes)| takes.contains(&key))
            .map(|(owner, _)| *owner);
        let owners = list(owners);
        if owners.is_empty() {
            keys::check_one(report, entry, &MUTATION_KEYS);
        } else {
            let message = format!("`{operation}` takes no `{key}`");
            report.fault_with_help(entry.place, message, format!("`{key}` belongs to {owners}"));
        }
    }
}
