//! A source in memory whose envelopes are as heavy as real ones: 56 bytes, one of them shared.

use std::sync::Arc;

use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Error, Position, Result, SourceItem};

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
        use std::fmt::Write as _;
        // Writing to a `String` cannot fail.
        let _ = write!(out, "{}", self.0);
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

const ENTITIES: usize = 64;

/// The source: so many envelopes of a few entities, made as they are asked for.
#[derive(Clone, Debug)]
pub struct Envelopes {
    count: u64,
    entities: Arc<[Arc<str>; ENTITIES]>,
}

impl Envelopes {
    /// A source of `count` envelopes.
    #[must_use]
    pub fn new(count: u64) -> Self {
        let entities = std::array::from_fn(|entity| format!("entity-{entity}").into());
        Self {
            count,
            entities: Arc::new(entities),
        }
    }

    /// The stream behind `from`.
    pub fn stream(&self, from: u64) -> BoxStream<'static, Result<SourceItem<Envelope, Index>>> {
        let entities = Arc::clone(&self.entities);
        let mut turn = 0;
        let envelopes = (from + 1..=self.count).map(move |index| {
            turn = (turn + 1) % ENTITIES;
            Ok(SourceItem::Envelope(Envelope {
                index,
                sequence: index,
                at: 1_719_331_200_000,
                entity: Arc::clone(&entities[turn]),
                payload: [index, 0],
            }))
        });
        stream::iter(envelopes).boxed()
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
}
