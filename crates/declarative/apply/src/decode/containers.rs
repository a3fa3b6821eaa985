//! Reads the wanted values of one object or array as spans, and skips the others.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::trie::Node;
use crate::span::Span;

/// Reads one object. A key that stands there twice has its last value.
pub(super) struct Object<'a> {
    pub(super) node: &'a Node,
    pub(super) record: &'a str,
    pub(super) spans: &'a mut [Span],
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(slot) = object.next_key_seed(WantedKey(self.node))? {
            let Some(span) = slot.and_then(|slot| self.spans.get_mut(slot)) else {
                object.next_value::<IgnoredAny>()?;
                continue;
            };
            let value: &RawValue = object.next_value()?;
            *span = Span::of(value.get(), self.record);
        }
        Ok(())
    }
}

/// Tells the slot of a key, without keeping the key.
struct WantedKey<'a>(&'a Node);

impl<'de> DeserializeSeed<'de> for WantedKey<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for WantedKey<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.slot_of_key(key))
    }
}

/// Reads one array.
pub(super) struct Array<'a> {
    pub(super) node: &'a Node,
    pub(super) record: &'a str,
    pub(super) spans: &'a mut [Span],
}

impl<'de> DeserializeSeed<'de> for Array<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Array<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        let mut at = 0;
        for (index, slot) in self.node.slots_of_elements() {
            while at < index {
                if array.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(());
                }
                at += 1;
            }
            let Some(value) = array.next_element::<&RawValue>()? else {
                return Ok(());
            };
            at += 1;
            if let Some(span) = self.spans.get_mut(slot) {
                *span = Span::of(value.get(), self.record);
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}
