//! Whose events must be followed to know what became of a few rows.

use std::collections::{HashMap, HashSet};

use projectionist_apply::DeclaredEvent;

/// Entities, each within its tenant and fork.
#[derive(Debug, Default)]
pub(super) struct Entities {
    known: HashSet<Box<str>>,
    name: String,
}

impl Entities {
    /// Adds the entity of an event.
    pub(super) fn add(&mut self, event: &DeclaredEvent) {
        if !self.contain(event) {
            self.known.insert(self.name.as_str().into());
        }
    }

    /// Whether the entity of an event is among them.
    pub(super) fn contain(&mut self, event: &DeclaredEvent) -> bool {
        write_name(&mut self.name, event);
        self.known.contains(self.name.as_str())
    }
}

/// The tenant, the fork and the entity. A text that holds the separator may take one entity for
/// another, which is then followed too and does no harm.
fn write_name(name: &mut String, event: &DeclaredEvent) {
    name.clear();
    for part in [event.tenant_schema(), event.fork_id(), event.entity_id()] {
        name.push_str(part);
        name.push('\u{1f}');
    }
}

/// The numbers of entities of which some events were applied without all rows that they depend on.
///
/// Such an event may be a dead letter in a run and not here, or the other way round. That makes a
/// difference for the rows that are asked about only when a later event of the same entity has no
/// higher number: whether that one is stale is not known then.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    /// By entity: the highest number that was surely applied, and that may have been.
    numbers: HashMap<Box<str>, (Option<i64>, Option<i64>)>,
    name: String,
}

impl Doubts {
    /// Whether it is not known if an event that is about the rows is stale.
    pub(super) fn of(&mut self, event: &DeclaredEvent) -> bool {
        write_name(&mut self.name, event);
        let numbers = self.numbers.get(self.name.as_str());
        let (sure, perhaps) = numbers.copied().unwrap_or_default();
        event
            .sequence_number()
            .is_some_and(|number| Some(number) > sure && Some(number) <= perhaps)
    }

    /// An event was applied; `surely` when a run does the same.
    pub(super) fn applied(&mut self, event: &DeclaredEvent, surely: bool) {
        let Some(number) = event.sequence_number() else {
            return;
        };
        write_name(&mut self.name, event);
        if !self.numbers.contains_key(self.name.as_str()) {
            self.numbers.insert(self.name.as_str().into(), (None, None));
        }
        if let Some((sure, perhaps)) = self.numbers.get_mut(self.name.as_str()) {
            let highest = if surely { sure } else { perhaps };
            *highest = (*highest).max(Some(number));
        }
    }
}
