//! Envelopes and positions of tests.

use projectionist_core::{Error, Position, Result};

/// A position of a test: a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestPosition(pub u64);

impl Position for TestPosition {
    const MANIFEST: &'static str = "test";

    fn write_to(&self, out: &mut String) {
        out.push_str(&self.0.to_string());
    }

    fn parse(text: &str) -> Result<Self> {
        text.parse().map(Self).map_err(|_| Error::OffsetCodec {
            manifest: Self::MANIFEST,
            text: text.to_owned(),
            reason: "it is no number".to_owned(),
        })
    }
}

/// An envelope of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestEnvelope<E> {
    /// Where it stands.
    pub position: TestPosition,
    /// The entity it belongs to.
    pub persistence_id: String,
    /// Its number within the entity, from 1.
    pub sequence_number: u64,
    /// The event.
    pub event: E,
}

impl<E> TestEnvelope<E> {
    /// The envelope at `position`, of the entity `entity`, with the position as sequence number.
    #[must_use]
    pub fn at(position: u64, event: E) -> Self {
        let position = TestPosition(position);
        let (persistence_id, sequence_number) = ("entity".to_owned(), position.0);
        Self {
            position,
            persistence_id,
            sequence_number,
            event,
        }
    }
}
