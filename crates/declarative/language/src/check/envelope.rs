//! How a record is read as an event: the name of a preset, or places in the record.

use super::{debezium, keys};
use crate::expression;
use crate::model::{Envelope, EnvelopePlaces, Step};
use crate::report::Report;
use crate::source::Place;
use crate::suggest::{did_you_mean, list};
use crate::tree::{Mapping, Node, Value};
use crate::vocabulary::{ENVELOPE, PRESETS};

/// The preset that takes an option.
const DEBEZIUM: &str = "debezium";

/// Reads `envelope`. `None` when something is wrong with it; that is reported.
pub(super) fn read(report: &mut Report<'_>, file: &Mapping) -> Option<Envelope> {
    let Some(entry) = file.get("envelope") else {
        return Some(Envelope::default());
    };
    let node = &entry.value;
    match &node.value {
        Value::Scalar(scalar) if !node.is_null() => preset(report, node.place, &scalar.text),
        Value::Mapping(mapping) => of_mapping(report, node.place, mapping),
        Value::Broken => None,
        _ => {
            let message = format!(
                "`envelope` is a name or a mapping of places, not {}",
                node.kind()
            );
            let help = "write `envelope: causet`, or leave it out";
            report.fault_with_help(node.place, message, help);
            None
        }
    }
}

fn preset(report: &mut Report<'_>, place: Place, name: &str) -> Option<Envelope> {
    match name {
        "causet" => return Some(Envelope::Causet),
        "cloudevents" => return Some(Envelope::CloudEvents),
        DEBEZIUM => report.fault_with_help(
            place,
            "`debezium` needs the columns that tell one row from another",
            debezium::EXAMPLE,
        ),
        _ if name.starts_with('$') => report.fault_with_help(
            place,
            "an envelope of your own is a mapping of places, not one place",
            EXAMPLE,
        ),
        _ => {
            let slip = did_you_mean(name, names());
            let message = format!("unknown envelope `{name}`{slip}");
            let help = format!(
                "the envelopes are {}, or a mapping of places",
                list(names())
            );
            report.fault_with_help(place, message, help);
        }
    }
    None
}

const EXAMPLE: &str = "write `envelope: { type: $.kind, entity: $.id }`";

fn names() -> impl Iterator<Item = &'static str> + Clone {
    PRESETS.iter().map(|word| word.text).chain([DEBEZIUM])
}

fn of_mapping(report: &mut Report<'_>, place: Place, mapping: &Mapping) -> Option<Envelope> {
    if let Some(entry) = mapping.get(DEBEZIUM) {
        let alone = stands_alone(report, mapping, DEBEZIUM);
        let key = debezium::key(report, entry)?;
        return alone.then_some(Envelope::Debezium { key });
    }
    for word in &PRESETS {
        if let Some(entry) = mapping.get(word.text) {
            let name = word.text;
            let message = format!("`{name}` takes nothing below it");
            report.fault_with_help(entry.place, message, format!("write `envelope: {name}`"));
            return None;
        }
    }
    places(report, place, mapping).map(Envelope::Places)
}

/// Reports every key beside the name of a preset.
fn stands_alone(report: &mut Report<'_>, mapping: &Mapping, name: &str) -> bool {
    let others = || mapping.entries.iter().filter(|entry| entry.key != name);
    for other in others() {
        let message = format!("`{}` cannot stand beside `{name}`", other.key);
        let help = format!(
            "take it out: `{name}` says where everything stands; or take `{name}` out and name the \
             places yourself"
        );
        report.fault_with_help(other.place, message, help);
    }
    others().next().is_none() && !mapping.broken
}

fn places(report: &mut Report<'_>, place: Place, mapping: &Mapping) -> Option<EnvelopePlaces> {
    keys::check(report, mapping, &ENVELOPE);
    let sound = !mapping.broken
        && mapping
            .entries
            .iter()
            .all(|entry| ENVELOPE.key(&entry.key).is_some());
    let mut required = |key: &str, example: &str| {
        let found = keys::required(report, mapping, key, place, "the envelope", example);
        found.and_then(|entry| at(report, key, &entry.value))
    };
    let event_type = required("type", "type: $.kind");
    let entity = required("entity", "entity: $.id");
    let mut optional = |key: &str| match mapping.get(key) {
        None => Some(None),
        Some(entry) => at(report, key, &entry.value).map(Some),
    };
    let sequence = optional("sequence");
    let ts = optional("ts");
    let tenant = optional("tenant");
    let fork = optional("fork");
    let payload = optional("payload");
    let places = EnvelopePlaces {
        event_type: event_type?,
        entity: entity?,
        sequence: sequence?,
        ts: ts?,
        tenant: tenant?,
        fork: fork?,
        // The whole record is what a payload without a place is.
        payload: payload?.filter(|steps| !steps.is_empty()),
    };
    sound.then_some(places)
}

/// The place that a value of the mapping names.
fn at(report: &mut Report<'_>, key: &str, node: &Node) -> Option<Vec<Step>> {
    let text = keys::text(report, node, &format!("the place of `{key}`"))?;
    match expression::place(text) {
        Ok(steps) if steps.is_empty() && key != "payload" => {
            let message = format!("`$` is the whole record, which is no `{key}`");
            let help = format!("name a place in it, such as `{key}: $.{key}`");
            report.fault_with_help(node.place, message, help);
            None
        }
        Ok(steps) => Some(steps),
        Err(fault) => {
            let place = node.place_of(fault.offset, report);
            match fault.help {
                Some(help) => report.fault_with_help(place, fault.message, help),
                None => report.fault(place, fault.message),
            }
            None
        }
    }
}
