//! Reads a record whose parts stand at places: of a mapping that the file names, or of CloudEvents.

use projectionist_language::model::{EnvelopePlaces, Metadata, Step};

use super::Trie;
use super::at_place::Numbers;
use super::metadata::Names;
use super::record::{self, Parts};
use crate::span::Span;

/// Where the parts of an event stand in a record.
#[derive(Debug)]
pub(super) struct Places {
    trie: Trie,
    event_type: Place,
    /// The first that is there counts.
    entity: Vec<Place>,
    sequence: Option<Place>,
    ts: Option<Place>,
    tenant: Option<Place>,
    fork: Option<Place>,
    /// The whole record when `None`.
    payload: Option<Place>,
    /// Stands in the place of a payload that is no JSON.
    binary: Option<Place>,
}

/// A place, and how it is called in a message.
#[derive(Debug)]
struct Place {
    slot: usize,
    shown: Box<str>,
}

impl Places {
    /// The places of a mapping.
    pub(super) fn new(places: &EnvelopePlaces) -> Self {
        let mut trie = Trie::new(0);
        let mut at = |steps: &Vec<Step>| Place {
            slot: trie.want(steps),
            shown: shown(steps),
        };
        Self {
            event_type: at(&places.event_type),
            entity: vec![at(&places.entity)],
            sequence: places.sequence.as_ref().map(&mut at),
            ts: places.ts.as_ref().map(&mut at),
            tenant: places.tenant.as_ref().map(&mut at),
            fork: places.fork.as_ref().map(&mut at),
            payload: places.payload.as_ref().map(&mut at),
            binary: None,
            trie,
        }
    }

    /// The attributes of CloudEvents 1.0 in the JSON format.
    pub(super) fn cloud_events() -> Self {
        let mut trie = Trie::new(0);
        let mut at = |name: &str| Place {
            slot: trie.want(&[Step::Key(name.into())]),
            shown: name.into(),
        };
        Self {
            event_type: at("type"),
            entity: vec![at("subject"), at("source")],
            sequence: Some(at("sequence")),
            ts: Some(at("time")),
            tenant: None,
            fork: None,
            payload: Some(at("data")),
            binary: Some(at("data_base64")),
            trie,
        }
    }

    pub(super) fn read<'a>(
        &self,
        names: &mut Names<'a>,
        outer: &mut Vec<Span>,
        payload: &Trie,
    ) -> Result<Parts, String> {
        record::read(names.record, &self.trie, outer)?;
        let value = |place: &Place| record::value(names.record, outer, place.slot);
        let (event_type, payload_value) = match &self.payload {
            Some(place) => (value(&self.event_type), value(place)),
            None => (value(&self.event_type), Some(names.record.trim_ascii())),
        };
        let is_binary = self.binary.as_ref().and_then(value).is_some_and(is_there)
            && !payload_value.is_some_and(is_there);
        if let Some(value) = payload_value {
            record::descend(payload, value, names.record, names.spans)?;
        }
        names.required_at(
            Metadata::EventType,
            &self.event_type.shown,
            event_type,
            Numbers::Refused,
        )?;
        self.read_entity(names, outer)?;
        for (name, place) in [
            (Metadata::TenantSchema, &self.tenant),
            (Metadata::ForkId, &self.fork),
        ] {
            if let Some(place) = place {
                let value = record::value(names.record, outer, place.slot);
                names.optional_at(name, &place.shown, value)?;
            }
        }
        let find = |place: &Place| record::value(names.record, outer, place.slot);
        let sequence = self.sequence.as_ref().map(|place| (place, find(place)));
        let ts = self.ts.as_ref().map(|place| (place, find(place)));
        Ok(Parts {
            sequence: match sequence {
                Some((place, value)) => names.sequence_at(&place.shown, value)?,
                None => None,
            },
            ts: match ts {
                Some((place, value)) => names.moment_at(&place.shown, value)?,
                None => None,
            },
            is_binary,
        })
    }

    fn read_entity(&self, names: &mut Names<'_>, outer: &[Span]) -> Result<(), String> {
        let there = self.entity.iter().find_map(|place| {
            let value = record::value(names.record, outer, place.slot);
            value
                .filter(|value| is_there(value))
                .map(|value| (place, value))
        });
        let name = Metadata::EntityId;
        match (there, self.entity.as_slice()) {
            (Some((place, value)), [_]) => {
                names.required_at(name, &place.shown, Some(value), Numbers::Taken)
            }
            (Some((place, value)), _) => {
                names.required_at(name, &place.shown, Some(value), Numbers::Refused)
            }
            (None, [only]) => {
                let value = record::value(names.record, outer, only.slot);
                names.required_at(name, &only.shown, value, Numbers::Taken)
            }
            (None, all) => {
                let shown: Vec<&str> = all.iter().map(|place| &*place.shown).collect();
                Err(format!("{} are missing", shown.join(" and ")))
            }
        }
    }
}

fn is_there(value: &str) -> bool {
    value != "null"
}

/// The place as the file spells it.
fn shown(steps: &[Step]) -> Box<str> {
    let mut text = String::from("$");
    for step in steps {
        match step {
            Step::Key(key) if is_name(key) => {
                text.push('.');
                text.push_str(key);
            }
            Step::Key(key) => {
                text.push_str("['");
                text.push_str(&key.replace('\\', r"\\").replace('\'', r"\'"));
                text.push_str("']");
            }
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text.into()
}

fn is_name(key: &str) -> bool {
    !key.starts_with(|c: char| c.is_ascii_digit())
        && !key.is_empty()
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
