//! A source in memory whose envelopes are as heavy as real ones: 56 bytes, one of them shared.

use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Error, Position, Result, SourceItem, push_decimal};

/// An envelope as a journal would deliver it, without its bytes.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// Its place, from 1.
    pub index: u64,
    /// The sequence number within the entity.
    pub sequence: u64,
    /// When it happened, in Unix milliseconds.
    pub at: i64,
    /// The entity, shared by its envelopes.
    pub entity: Arc<str>,
    /// What happened.
    pub payload: [u64; 2],
}

const _: () = assert!(
    size_of::<Envelope>() == 56,
    "the size that the figures name"
);

/// The place of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index(u64);

impl Position for Index {
    const MANIFEST: &'static str = "benchmark-index";

    fn write_to(&self, out: &mut String) {
        push_decimal(self.0, out);
    }

    fn parse(text: &str) -> Result<Self> {
        let index = text.parse().map(Self);
        index.map_err(|error| Error::OffsetCodec {
            manifest: Self::MANIFEST,
            text: text.to_owned(),
            reason: error.to_string(),
        })
    }
}

/// A power of two, so that the low bits of an envelope's place tell its entity.
const ENTITIES: usize = 64;

/// Appends the key of an envelope: its entity.
pub fn append_key(envelope: &Envelope, key: &mut String) {
    key.push_str(&envelope.entity);
}

/// The source: so many envelopes of a few entities, made as they are asked for.
#[derive(Clone, Debug)]
pub struct Envelopes {
    count: u64,
    entities: Arc<[Arc<str>; ENTITIES]>,
    /// Which of the low bits are looked at.
    mask: u8,
}

impl Envelopes {
    /// A source of `count` envelopes.
    #[must_use]
    pub fn new(count: u64) -> Self {
        let entities = std::array::from_fn(|entity| format!("entity-{entity}").into());
        Self {
            count,
            entities: Arc::new(entities),
            mask: u8::MAX,
        }
    }

    /// A source of `count` envelopes of eight entities.
    #[must_use]
    pub fn of_eight(count: u64) -> Self {
        Self {
            mask: 8 - 1,
            ..Self::new(count)
        }
    }

    /// The stream behind `from`.
    pub fn stream(&self, from: u64) -> BoxStream<'static, Result<SourceItem<Envelope, Index>>> {
        let items = self.behind(from).map(|each| Ok(SourceItem::Envelope(each)));
        stream::iter(items).boxed()
    }

    /// All envelopes, for a loop that needs no stream.
    pub fn iter(&self) -> impl Iterator<Item = Envelope> + use<> {
        self.behind(0)
    }

    fn behind(&self, from: u64) -> impl Iterator<Item = Envelope> + Send + use<> {
        let source = self.clone();
        (from + 1..=self.count).map(move |index| source.envelope(index))
    }

    fn envelope(&self, index: u64) -> Envelope {
        let [low, ..] = index.to_le_bytes();
        Envelope {
            index,
            sequence: index,
            at: 1_719_331_200_000,
            entity: Arc::clone(&self.entities[usize::from(low & self.mask) % ENTITIES]),
            payload: [index, 0],
        }
    }
}

impl SourceProvider for Envelopes {
    type Envelope = Envelope;
    type Position = Index;
    type Stream = BoxStream<'static, Result<SourceItem<Envelope, Index>>>;

    async fn open(&self, from: Option<Index>, _: Mode) -> Result<Self::Stream> {
        Ok(self.stream(from.map_or(0, |index| index.0)))
    }

    fn position(&self, envelope: &Envelope) -> Index {
        Index(envelope.index)
    }

    fn encode(&self, envelope: &Envelope, out: &mut Vec<u8>) {
        out.extend_from_slice(&envelope.index.to_be_bytes());
    }

    fn decode(&self, position: Index, _: &Bytes) -> Result<Envelope, String> {
        Ok(self.envelope(position.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_written_as_the_number_that_it_is() {
        for index in [0, 7, 10, 1_234_567_890, u64::MAX] {
            let mut text = "behind ".to_owned();
            Index(index).write_to(&mut text);
            assert_eq!(text, format!("behind {index}"));
            assert_eq!(Index::parse(&index.to_string()).unwrap(), Index(index));
        }
    }
}
