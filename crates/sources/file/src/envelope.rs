//! What both sources deliver: an event and where its line ends.

use bytes::Bytes;
use projectionist_core::contract::EventCodec;

use crate::{FilePosition, StreamPosition};

/// An event with the coordinates of its line.
#[derive(Clone, Debug)]
pub struct LineEnvelope<E, P> {
    event: E,
    position: P,
    bytes: usize,
}

/// An event of a [`FileSource`](crate::FileSource).
pub type FileEnvelope<E> = LineEnvelope<E, FilePosition>;

/// An event of a [`StreamSource`](crate::StreamSource).
pub type StreamEnvelope<E> = LineEnvelope<E, StreamPosition>;

impl<E, P: Clone> LineEnvelope<E, P> {
    pub(crate) fn new(event: E, position: P, bytes: usize) -> Self {
        Self {
            event,
            position,
            bytes,
        }
    }

    /// The envelope at `position` that `codec` wrote as `record`, without the buffers of a reader.
    pub(crate) fn decode<C>(codec: &C, position: P, record: &Bytes) -> Result<Self, String>
    where
        C: EventCodec<Event = E>,
    {
        let event = codec.decode(&mut C::Scratch::default(), record.clone())?;
        Ok(Self::new(event, position, record.len()))
    }

    /// The event.
    #[must_use]
    pub fn event(&self) -> &E {
        &self.event
    }

    /// The event alone.
    #[must_use]
    pub fn into_event(self) -> E {
        self.event
    }

    /// Where the line ends: a source that resumes here has passed the event.
    #[must_use]
    pub fn position(&self) -> P {
        self.position.clone()
    }

    /// The length of the line in bytes, without its end; of an envelope that was written down
    /// meanwhile, as a dead letter is, the length of what was written.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl<E, P> AsRef<E> for LineEnvelope<E, P> {
    fn as_ref(&self) -> &E {
        &self.event
    }
}
