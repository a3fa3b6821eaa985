//! From the tree to the model: every name resolves, every type fits, every key is complete.
//!
//! Each check goes on after a fault as far as it makes sense, so that one run shows all faults. A
//! part that is broken counts as present: it is reported once and not missed a second time.

mod assignments;
mod choice;
mod column_type;
mod columns;
mod debezium;
pub(crate) mod default;
mod envelope;
mod events;
mod fit;
mod indexes;
pub(crate) mod keys;
mod mutations;
mod names;
mod operations;
mod outside_payload;
mod own_value;
mod projection;
mod rules;
mod settings;
mod target;
mod when;
mod zone;

use std::collections::HashMap;

use self::settings::Settings;
use crate::model::{Envelope, Program};
use crate::report::Report;
use crate::source::Place;
use crate::tree::Node;
use crate::vocabulary::FILE;
use crate::vocabulary::limits::MAX_PROJECTIONS;

/// Checks a file. `None` when something is wrong with it; that is reported.
pub(crate) fn program(report: &mut Report<'_>, root: &Node) -> Option<Program> {
    let file = keys::mapping(
        report,
        root,
        "the file",
        "`projections` and, below it, the projections",
    )?;
    keys::check(report, file, &FILE);
    let settings = Settings::default().overridden(report, file, &FILE);
    let envelope = envelope::read(report, file);
    let example = "projections: { orders: … }";
    let entry = keys::required(
        report,
        file,
        "projections",
        Place::START,
        "the file",
        example,
    )?;
    let declared = keys::filled_mapping(
        report,
        &entry.value,
        "`projections`",
        "names and, below each, its projection",
    )?;
    if declared.entries.len() > MAX_PROJECTIONS {
        let message = format!(
            "the file has {} projections; at most {MAX_PROJECTIONS} are allowed",
            declared.entries.len()
        );
        report.fault_with_help(entry.place, message, "split it into several files");
        return None;
    }
    if matches!(envelope, Some(Envelope::Debezium { .. })) {
        debezium::check_events(report, declared);
    }
    if let Some(envelope) = &envelope {
        outside_payload::check(report, envelope, declared);
    }
    let mut tables = HashMap::new();
    let projections: Vec<_> = declared
        .entries
        .iter()
        .map(|entry| projection::projection(report, entry, settings, &mut tables))
        .collect();
    let projections = projections.into_iter().collect::<Option<_>>()?;
    Some(Program {
        envelope: envelope?,
        projections,
    })
}
