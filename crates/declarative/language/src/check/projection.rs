//! One projection of the file.

use std::collections::HashMap;

use super::assignments::{self, Assignments, Role};
use super::columns::{self, Columns};
use super::events::SourceEvents;
use super::keys::{self, Keys};
use super::operations::Scene;
use super::target::Target;
use super::{events, mutations, names, target};
use crate::model::{Projection, Sequence};
use crate::report::Report;
use crate::tree::{Entry, Node, Value};

const PROJECTION_KEYS: Keys = Keys {
    built: &[
        "source_events",
        "target",
        "fields",
        "derive",
        "mutations",
        "sequence",
    ],
    later: &[
        "on_gap",
        "shared",
        "on_dead_letter",
        "start",
        "checkpoint",
        "data_retries",
        "max_retries",
        "max_parked",
        "on_missing_relation",
    ],
};

/// Checks one projection. `None` when something is wrong with it; that is reported.
pub(super) fn projection<'t>(
    report: &mut Report<'_>,
    entry: &'t Entry,
    tables: &mut HashMap<String, &'t str>,
) -> Option<Projection> {
    let name = entry.key.as_str();
    names::check(report, entry.place, "projection", name);
    let owner = format!("the projection `{name}`");
    let wanted = "`source_events`, `target`, `fields`, `derive` and `mutations`";
    let body = keys::filled_mapping(report, &entry.value, &owner, wanted)?;
    keys::check(report, body, &PROJECTION_KEYS);
    let sequence = match body.get("sequence") {
        Some(entry) => sequence(report, &entry.value),
        None => Sequence::Guarded,
    };

    let part = |report: &mut Report<'_>, key: &str, example: &str| {
        keys::required(report, body, key, entry.place, &owner, example)
    };
    let events = part(report, "source_events", "source_events: [ORDER_PLACED]");
    let target = part(
        report,
        "target",
        "target: { table: orders, primary_key: [order_id] }",
    );
    let fields = part(report, "fields", "fields: { order_id: TEXT }");
    let derive = part(report, "derive", "derive: { order_id: event.entityId }");
    let mutations = part(
        report,
        "mutations",
        "mutations: { ORDER_PLACED: { op: upsert } }",
    );

    let columns = fields.map_or_else(Columns::default, |entry| columns::read(report, entry));
    let target = target.map_or_else(Target::default, |entry| {
        target::read(report, entry, name, &columns, tables)
    });
    let derived = derive.map_or_else(Assignments::default, |entry| {
        assignments::read(report, entry, &columns, &target.key, Role::Row)
    });
    let events = events.map_or_else(SourceEvents::default, |entry| events::read(report, entry));
    let scene = Scene::new(&columns, &target.key, &derived, derive);
    let mutations = mutations.and_then(|entry| mutations::read(report, entry, &events, scene))?;
    Some(Projection {
        name: name.into(),
        table: target.table?.into(),
        columns: columns.finish(&target.key)?.into(),
        key: target.key.into(),
        sequence,
        mutations,
    })
}

fn sequence(report: &mut Report<'_>, node: &Node) -> Sequence {
    match &node.value {
        Value::Scalar(scalar) if scalar.text == "none" => return Sequence::None,
        Value::Broken => {}
        _ => report.fault_with_help(
            node.place,
            "`sequence` can only be `none`",
            "leave it out to skip events whose `sequenceNumber` was applied already",
        ),
    }
    Sequence::Guarded
}
