//! Envelopes and positions of tests.

use projectionist_core::{Error, Position, Result, Timestamp};

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
    /// When the event happened; `None` where it does not say so.
    pub created_at: Option<Timestamp>,
    /// The event.
    pub event: E,
}

impl<E> TestEnvelope<E> {
    /// An envelope without a time.
    ///
    /// ```
    /// use projectionist_testkit::TestEnvelope;
    ///
    /// let envelope = TestEnvelope::new(7, "account-1", 3, "closed");
    /// assert_eq!(envelope.position.0, 7);
    /// assert_eq!((envelope.persistence_id.as_str(), envelope.sequence_number), ("account-1", 3));
    /// ```
    #[must_use]
    pub fn new(
        position: u64,
        persistence_id: impl Into<String>,
        sequence_number: u64,
        event: E,
    ) -> Self {
        Self {
            position: TestPosition(position),
            persistence_id: persistence_id.into(),
            sequence_number,
            created_at: None,
            event,
        }
    }

    /// The envelope at `position`, of the entity `entity`, with the position as sequence number
    /// and without a time.
    #[must_use]
    pub fn at(position: u64, event: E) -> Self {
        Self::new(position, "entity", position, event)
    }

    /// The same envelope, of an event that happened at `time`.
    #[must_use]
    pub fn with_created_at(mut self, time: Timestamp) -> Self {
        self.created_at = Some(time);
        self
    }
}
