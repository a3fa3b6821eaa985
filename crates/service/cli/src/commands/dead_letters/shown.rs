//! A dead letter as it is printed.

use serde_json::{Value, json};

use super::select::{EventHead, Letter};
pub(super) use crate::output::moment;
use crate::output::printable;

/// The headings of [`cells`].
pub(super) const HEADINGS: [&str; 5] = ["ID", "PROJECTION", "TYPE", "ENTITY", "SEQUENCE"];

/// What tells a letter from others, for people.
pub(super) fn cells(letter: &Letter) -> [String; 5] {
    let stored = &letter.stored;
    let of = |found: fn(&EventHead) -> String| letter.event.as_ref().map(found);
    [
        stored.id.to_string(),
        match stored.projection.as_str() {
            "" => "(no event)".to_owned(),
            name => name.to_owned(),
        },
        of(|event| printable(&event.event_type)).unwrap_or_default(),
        of(|event| printable(&event.entity)).unwrap_or_default(),
        of(|event| event.sequence.map_or(String::new(), |n| n.to_string())).unwrap_or_default(),
    ]
}

/// All of a letter but its event, by name.
pub(super) fn as_json(letter: &Letter) -> Value {
    let (stored, event) = (&letter.stored, letter.event.as_ref());
    let kept = &stored.letter;
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "id": stored.id.0,
        "projection": stored.projection,
        "key": stored.key,
        "offset": kept.offset.text,
        "manifest": kept.offset.manifest,
        "event_type": event.map(|event| &event.event_type),
        "entity": event.map(|event| &event.entity),
        "tenant": event.and_then(|event| some(&event.tenant)),
        "fork": event.and_then(|event| some(&event.fork)),
        "sequence": event.and_then(|event| event.sequence),
        "class": kept.defect.class.name(),
        "error": kept.defect.error,
        "field": kept.defect.field,
        "value": kept.defect.value,
        "attempts": kept.attempts,
        "first_failed_at": kept.first_failed_at.unix_millis,
        "failed_at": kept.failed_at.unix_millis,
    })
}
