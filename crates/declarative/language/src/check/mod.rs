//! From the tree to the model: every name resolves, every type fits, every key is complete.
//!
//! Each check goes on after a fault as far as it makes sense, so that one run shows all faults. A
//! part that is broken counts as present: it is reported once and not missed a second time.

mod assignments;
mod column_type;
mod columns;
mod default;
mod events;
mod fit;
mod keys;
mod mutations;
mod names;
mod operations;
mod projection;
mod target;

use std::collections::HashMap;

use self::keys::Keys;
use crate::model::Program;
use crate::report::Report;
use crate::source::Place;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Node, Value};

/// The most projections of a file.
const MAX_PROJECTIONS: usize = 1_000;

const FILE_KEYS: Keys = Keys {
    built: &["projections", "envelope"],
    later: &[
        "ir",
        "checkpoint",
        "data_retries",
        "max_retries",
        "max_parked",
        "max_tenants",
        "on_missing_relation",
    ],
};

/// The forms of envelope that the language knows but this build does not.
const LATER_ENVELOPES: [&str; 2] = ["cloudevents", "debezium"];

/// Checks a file. `None` when something is wrong with it; that is reported.
pub(crate) fn program(report: &mut Report<'_>, root: &Node) -> Option<Program> {
    let file = keys::mapping(
        report,
        root,
        "the file",
        "`projections` and, below it, the projections",
    )?;
    keys::check(report, file, &FILE_KEYS);
    if let Some(entry) = file.get("envelope") {
        envelope(report, &entry.value);
    }
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
    let mut tables = HashMap::new();
    let projections: Vec<_> = declared
        .entries
        .iter()
        .map(|entry| projection::projection(report, entry, &mut tables))
        .collect();
    let projections = projections.into_iter().collect::<Option<_>>()?;
    Some(Program { projections })
}

fn envelope(report: &mut Report<'_>, node: &Node) {
    let scalar = match &node.value {
        Value::Scalar(scalar) if !node.is_null() => scalar,
        Value::Mapping(_) => return report.not_built(node.place, "a mapping of the envelope"),
        Value::Broken => return,
        _ => {
            let message = format!("`envelope` is the name of one, not {}", node.kind());
            return report.fault_with_help(node.place, message, "write `envelope: causet`");
        }
    };
    let name = scalar.text.as_str();
    if LATER_ENVELOPES.contains(&name) {
        report.not_built(node.place, &format!("the envelope `{name}`"));
    } else if name != "causet" {
        let names = ["causet"].into_iter().chain(LATER_ENVELOPES);
        let message = format!(
            "unknown envelope `{name}`{}",
            did_you_mean(name, names.clone())
        );
        let help = format!("the envelopes are {}", list(names));
        report.fault_with_help(node.place, message, help);
    }
}
