//! Paths of the payload that name a place which the envelope reads elsewhere in the record.

use crate::expression;
use crate::model::{Envelope, EnvelopePlaces, Expression, Path, Step};
use crate::report::Report;
use crate::tree::{Mapping, Node, Value};

/// Warns of each path such as `event.when` where the envelope reads `$.when`, and the payload is
/// another part of the record.
pub(super) fn check(report: &mut Report<'_>, envelope: &Envelope, declared: &Mapping) {
    let Envelope::Places(places) = envelope else {
        return;
    };
    let outside = outside(places);
    if outside.is_empty() {
        return;
    }
    for projection in &declared.entries {
        let Some(body) = below(&projection.value) else {
            continue;
        };
        let derive = body.get("derive").and_then(|entry| below(&entry.value));
        values(report, &outside, derive);
        let mutations = body.get("mutations").and_then(|entry| below(&entry.value));
        for mutation in mutations.iter().flat_map(|mutations| &mutations.entries) {
            let Some(parts) = below(&mutation.value) else {
                continue;
            };
            for part in &parts.entries {
                match part.key.as_str() {
                    "set" | "by" | "filter" => values(report, &outside, below(&part.value)),
                    "when" | "each" => value(report, &outside, &part.value),
                    _ => {}
                }
            }
        }
    }
}

/// The places that the envelope reads outside of the payload, each with the name it has in events.
fn outside(places: &EnvelopePlaces) -> Vec<(&[Step], &'static str)> {
    let Some(payload) = places.payload.as_deref() else {
        return Vec::new();
    };
    let all = [
        (Some(&places.event_type), "eventType"),
        (Some(&places.entity), "entityId"),
        (places.sequence.as_ref(), "sequenceNumber"),
        (places.ts.as_ref(), "ts"),
        (places.tenant.as_ref(), "tenantSchema"),
        (places.fork.as_ref(), "forkId"),
    ];
    let read = all
        .into_iter()
        .filter_map(|(steps, name)| Some((steps?.as_slice(), name)));
    read.filter(|(steps, _)| !steps.starts_with(payload))
        .collect()
}

fn below(node: &Node) -> Option<&Mapping> {
    match &node.value {
        Value::Mapping(mapping) => Some(mapping),
        _ => None,
    }
}

fn values(report: &mut Report<'_>, outside: &[(&[Step], &str)], mapping: Option<&Mapping>) {
    for entry in mapping.iter().flat_map(|mapping| &mapping.entries) {
        value(report, outside, &entry.value);
    }
}

fn value(report: &mut Report<'_>, outside: &[(&[Step], &str)], node: &Node) {
    let Value::Scalar(scalar) = &node.value else {
        return;
    };
    // Who writes `event.payload.when` knows what the payload is.
    if !scalar.text.contains("event") || scalar.text.contains("payload") {
        return;
    }
    let reads = match expression::parse(&scalar.text) {
        Ok(Expression::Path(path)) => vec![path],
        Ok(Expression::Cel(cel)) => cel.reads,
        Ok(Expression::Literal(_)) | Err(_) => return,
    };
    for path in &reads {
        let Path::Payload(steps) = path else {
            continue;
        };
        let Some((_, name)) = outside.iter().find(|(place, _)| place == steps) else {
            continue;
        };
        let place = spelt(steps);
        let message =
            format!("`event{place}` stands for a place of the payload, which `${place}` is not");
        let help = format!(
            "`${place}` is read as `event.{name}`; write `event.payload{place}` where the payload has \
             its own"
        );
        report.warning(node.place, message, help);
    }
}

/// The steps as they are written behind `event` and `$`.
fn spelt(steps: &[Step]) -> String {
    steps
        .iter()
        .map(|step| match step {
            Step::Key(key) if expression::is_name(key) => format!(".{key}"),
            Step::Key(key) => format!("['{key}']"),
            Step::Index(index) => format!("[{index}]"),
        })
        .collect()
}
