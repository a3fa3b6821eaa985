//! One projection of the file.

use std::collections::HashMap;

use super::assignments::{self, Assignments, Role};
use super::columns::{self, Columns};
use super::events::SourceEvents;
use super::operations::Scene;
use super::settings::Settings;
use super::target::Target;
use super::{choice, events, keys, mutations, names, target};
use crate::model::{OnGap, Projection, Sequence};
use crate::report::Report;
use crate::tree::{Entry, Mapping};
use crate::vocabulary::PROJECTION;

/// Checks one projection. `None` when something is wrong with it; that is reported.
pub(super) fn projection<'t>(
    report: &mut Report<'_>,
    entry: &'t Entry,
    settings: Settings,
    tables: &mut HashMap<String, &'t str>,
) -> Option<Projection> {
    let name = entry.key.as_str();
    names::check_projection(report, entry.place, name);
    let owner = format!("the projection `{name}`");
    let wanted = "`source_events`, `target`, `fields`, `derive` and `mutations`";
    let body = keys::filled_mapping(report, &entry.value, &owner, wanted)?;
    keys::check(report, body, &PROJECTION);
    let settings = settings.overridden(report, body, &PROJECTION);
    let sequence = sequence(report, body);
    choice::word(report, body, &PROJECTION, "on_dead_letter");

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
    let scene = Scene::new(&columns, &target, &derived, derive);
    let mutations = mutations.and_then(|entry| mutations::read(report, entry, &events, scene))?;
    let model_columns = columns.finish(&target.key)?;
    Some(Projection {
        name: name.into(),
        table: target.table?.into(),
        rules: columns.rules().into(),
        columns: model_columns.into(),
        key: target.key.into(),
        indexes: target.indexes.into_iter().map(Into::into).collect(),
        start: settings.start,
        // What a file says for all of its projections says nothing to one without numbers.
        on_gap: match sequence {
            Sequence::Guarded => settings.on_gap,
            Sequence::None => OnGap::Ignore,
        },
        retries: settings.retries,
        sequence,
        mutations,
    })
}

/// Reads `sequence`, and reports an `on_gap` that waits for numbers nobody looks at.
fn sequence(report: &mut Report<'_>, body: &Mapping) -> Sequence {
    if choice::word(report, body, &PROJECTION, "sequence").is_none() {
        return Sequence::Guarded;
    }
    let gap = body.get("on_gap");
    if let Some(gap) = gap
        && choice::word_of(body, "on_gap") == Some("warn")
    {
        report.fault_with_help(
            gap.place,
            "`on_gap: warn` looks at the sequence numbers that `sequence: none` ignores",
            "keep one of the two",
        );
    }
    Sequence::None
}
