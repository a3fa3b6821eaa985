//! What each event type does: the mapping `mutations`.

use super::events::{self, SourceEvents};
use super::operations::{self, Act, Scene};
use super::{keys, when};
use crate::model::{Mutation, Operation};
use crate::report::Report;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Entry, Mapping};
use crate::vocabulary::{MUTATION, OPERATIONS, OperationWord, called_here, operation};

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
            let body = body?;
            let when = when::read(report, entry, body);
            let operation = act(report, entry, body, &mut scene)?;
            Some(Mutation {
                event_type: entry.key.as_str().into(),
                when: when?,
                operation,
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

fn act(
    report: &mut Report<'_>,
    entry: &Entry,
    body: &Mapping,
    scene: &mut Scene<'_, '_>,
) -> Option<Operation> {
    let Some(known) = known(report, entry, body) else {
        keys::check(report, body, &MUTATION);
        return None;
    };
    keys_of(report, body, known);
    let act = Act {
        name: known.name,
        event: entry,
        body,
    };
    match known.name {
        "insert" => operations::row(report, act, scene).map(|values| Operation::Insert { values }),
        "patch" => operations::patch(report, act, scene),
        "delete" => operations::delete(report, act, scene),
        "replace" => operations::replace(report, act, scene),
        "increment" => operations::increment(report, act, scene),
        "ignore" => Some(Operation::Ignore),
        _ => operations::row(report, act, scene).map(|values| Operation::Upsert { values }),
    }
}

/// The operation that `op` names.
fn known(report: &mut Report<'_>, entry: &Entry, body: &Mapping) -> Option<&'static OperationWord> {
    let owner = format!("the mutation of `{}`", entry.key);
    let op = keys::required(report, body, "op", entry.place, &owner, "op: upsert")?;
    let name = keys::text(report, &op.value, "`op`")?;
    let known = operation(name);
    if known.is_none() {
        let names = || OPERATIONS.iter().map(|known| known.name);
        let slip = match called_here(name, names()) {
            Some(here) => format!("; did you mean `{here}`?"),
            None => did_you_mean(name, names()),
        };
        let message = format!("unknown operation `{name}`{slip}");
        let help = format!("the operations are {}", list(names()));
        report.fault_with_help(op.value.place, message, help);
    }
    known
}

/// Reports keys that the operation does not take.
fn keys_of(report: &mut Report<'_>, body: &Mapping, operation: &OperationWord) {
    for entry in &body.entries {
        let key = entry.key.as_str();
        if operation.has(key) {
            continue;
        }
        let owners = OPERATIONS.iter().filter(|other| other.has(key));
        let owners = list(owners.map(|owner| owner.name));
        if owners.is_empty() {
            keys::check_one(report, entry, &MUTATION);
        } else {
            let message = format!("`{}` takes no `{key}`", operation.name);
            report.fault_with_help(
                entry.place,
                message,
                format!("take it out; `{key}` belongs to {owners}"),
            );
        }
    }
}
