//! The wanted places of a JSON value, shaped like the value.

use projectionist_language::model::Step;
use serde::de::DeserializeSeed;

use super::containers::{Array, Object};
use crate::span::Span;

/// Up to so many keys of one object are compared one by one, which beats a search.
const FEW_KEYS: usize = 8;

/// The wanted places of a JSON value. Each place, and each place on the way to one, has a slot:
/// an index into the spans of an event.
#[derive(Debug)]
pub(crate) struct Trie {
    first_slot: usize,
    slots: usize,
    whole_is_wanted: bool,
    root: Node,
}

#[derive(Debug, Default)]
pub(super) struct Node {
    /// Ordered by key.
    keys: Vec<(Box<str>, Child)>,
    /// Ordered by index.
    elements: Vec<(usize, Child)>,
}

#[derive(Debug)]
struct Child {
    slot: usize,
    below: Node,
}

impl Trie {
    /// An empty trie whose slots begin with `first_slot`, which is the whole value's.
    pub(crate) fn new(first_slot: usize) -> Self {
        Self {
            first_slot,
            slots: 1,
            whole_is_wanted: false,
            root: Node::default(),
        }
    }

    /// The slot of the place that `steps` lead to.
    pub(crate) fn want(&mut self, steps: &[Step]) -> usize {
        if steps.is_empty() {
            self.whole_is_wanted = true;
        }
        let mut slot = self.first_slot;
        let mut node = &mut self.root;
        for step in steps {
            let next = self.first_slot + self.slots;
            let child = match step {
                Step::Key(key) => child_at(&mut node.keys, key.clone(), next),
                Step::Index(index) => child_at(&mut node.elements, *index, next),
            };
            self.slots = self.slots.max(child.slot + 1 - self.first_slot);
            slot = child.slot;
            node = &mut child.below;
        }
        slot
    }

    /// The slot of a place that is wanted.
    pub(crate) fn slot(&self, steps: &[Step]) -> Option<usize> {
        let mut slot = self.first_slot;
        let mut node = &self.root;
        for step in steps {
            let child = match step {
                Step::Key(key) => child_of(&node.keys, key),
                Step::Index(index) => child_of(&node.elements, index),
            };
            let child = child?;
            slot = child.slot;
            node = &child.below;
        }
        Some(slot)
    }

    /// The slot of the whole value.
    pub(crate) fn whole(&self) -> usize {
        self.first_slot
    }

    /// Whether somebody wants the whole value, as it stands.
    pub(crate) fn whole_is_wanted(&self) -> bool {
        self.whole_is_wanted
    }

    /// One behind the last slot.
    pub(crate) fn end(&self) -> usize {
        self.first_slot + self.slots
    }

    /// The seed that reads the value when it is an object. Only its own keys are read: call
    /// [`Self::descend`] afterwards.
    pub(super) fn object<'a>(&'a self, record: &'a str, spans: &'a mut [Span]) -> Object<'a> {
        Object {
            node: &self.root,
            record,
            spans,
        }
    }

    /// Reads what lies below the keys that [`Self::object`] has read.
    pub(super) fn descend(&self, record: &str, spans: &mut [Span]) -> serde_json::Result<()> {
        self.root.descend(record, spans)
    }

    /// Reads `value`, which is a valid JSON value and a part of `record`.
    pub(crate) fn read(
        &self,
        value: &str,
        record: &str,
        spans: &mut [Span],
    ) -> serde_json::Result<()> {
        if let Some(span) = spans.get_mut(self.first_slot) {
            *span = Span::of(value, record);
        }
        self.root.read(value, record, spans)
    }
}

impl Node {
    fn is_leaf(&self) -> bool {
        self.keys.is_empty() && self.elements.is_empty()
    }

    /// The slot of the value at `key`, when something of it is wanted.
    pub(super) fn slot_of_key(&self, key: &str) -> Option<usize> {
        let found = if self.keys.len() <= FEW_KEYS {
            self.keys.iter().find(|(known, _)| known.as_ref() == key)
        } else {
            let at = self
                .keys
                .binary_search_by(|(known, _)| known.as_ref().cmp(key));
            at.ok().and_then(|at| self.keys.get(at))
        };
        found.map(|(_, child)| child.slot)
    }

    /// The wanted elements in their order, each with its slot.
    pub(super) fn slots_of_elements(&self) -> impl Iterator<Item = (usize, usize)> {
        self.elements
            .iter()
            .map(|(index, child)| (*index, child.slot))
    }

    fn descend(&self, record: &str, spans: &mut [Span]) -> serde_json::Result<()> {
        let keys = self.keys.iter().map(|(_, child)| child);
        let elements = self.elements.iter().map(|(_, child)| child);
        for child in keys.chain(elements).filter(|child| !child.below.is_leaf()) {
            let value = spans.get(child.slot).and_then(|span| span.within(record));
            if let Some(value) = value {
                child.below.read(value, record, spans)?;
            }
        }
        Ok(())
    }

    /// Reads a value of its own; one that cannot have what is wanted leaves it missing.
    fn read(&self, value: &str, record: &str, spans: &mut [Span]) -> serde_json::Result<()> {
        let mut json = serde_json::Deserializer::from_str(value);
        match value.as_bytes().first() {
            Some(b'{') if !self.keys.is_empty() => {
                let node = self;
                Object {
                    node,
                    record,
                    spans: &mut *spans,
                }
                .deserialize(&mut json)?;
            }
            Some(b'[') if !self.elements.is_empty() => {
                let node = self;
                Array {
                    node,
                    record,
                    spans: &mut *spans,
                }
                .deserialize(&mut json)?;
            }
            _ => return Ok(()),
        }
        self.descend(record, spans)
    }
}

fn child_of<'a, K: Ord>(children: &'a [(K, Child)], key: &K) -> Option<&'a Child> {
    let at = children.binary_search_by(|(known, _)| known.cmp(key));
    at.ok()
        .and_then(|at| children.get(at))
        .map(|(_, child)| child)
}

fn child_at<K: Ord>(children: &mut Vec<(K, Child)>, key: K, next_slot: usize) -> &mut Child {
    let at = match children.binary_search_by(|(known, _)| known.cmp(&key)) {
        Ok(at) => at,
        Err(at) => {
            let slot = next_slot;
            let below = Node::default();
            children.insert(at, (key, Child { slot, below }));
            at
        }
    };
    &mut children[at].1
}
