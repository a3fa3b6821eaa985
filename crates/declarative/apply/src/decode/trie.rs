//! The wanted places of a JSON value, shaped like the value.

use std::fmt;

use projectionist_language::model::Step;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

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
struct Node {
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
                Step::Key(key) => child_at(&mut node.keys, key, next),
                Step::Index(index) => child_at(&mut node.elements, index, next),
            };
            self.slots = self.slots.max(child.slot + 1 - self.first_slot);
            slot = child.slot;
            node = &mut child.below;
        }
        slot
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
    pub(crate) fn object<'a>(
        &'a self,
        record: &'a str,
        spans: &'a mut [Span],
    ) -> impl for<'de> DeserializeSeed<'de, Value = ()> + 'a {
        Object {
            node: &self.root,
            record,
            spans,
        }
    }

    /// Reads what lies below the keys that [`Self::object`] has read.
    pub(crate) fn descend(&self, record: &str, spans: &mut [Span]) -> serde_json::Result<()> {
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

fn child_at<'a, K, Q>(
    children: &'a mut Vec<(K, Child)>,
    key: &Q,
    next_slot: usize,
) -> &'a mut Child
where
    K: Ord + Clone + std::borrow::Borrow<Q>,
    Q: Ord + ToOwned + ?Sized,
    K: for<'q> From<KeyOf<'q, Q>>,
{
    let at = match children.binary_search_by(|(known, _)| known.borrow().cmp(key)) {
        Ok(at) => at,
        Err(at) => {
            let child = Child {
                slot: next_slot,
                below: Node::default(),
            };
            children.insert(at, (K::from(KeyOf(key)), child));
            at
        }
    };
    &mut children[at].1
}
