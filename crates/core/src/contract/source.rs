//! Opens a stream of single items and knows where each one stands.

use std::future::Future;

pub use futures::Stream;

use bytes::Bytes;

use crate::{Error, Offset, Position, Result, SourceItem, Timestamp};

/// Whether a stream ends at the present end of its source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The stream waits for what comes; that it ends is a failure.
    #[default]
    Live,
    /// The stream ends where the source ended when it was opened, or later.
    Current,
}

/// Where a lane begins that has no stored offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StartPosition {
    /// With the first record that the source still has.
    #[default]
    Earliest,
    /// Behind the last record that the source has now.
    Latest,
    /// Behind this offset.
    After(Offset),
    /// With the first record of this time or later, by the source's own times.
    Timestamp(Timestamp),
}

/// Opens a stream of single items and knows where each one stands.
///
/// # Contract
/// A provider can be opened any number of times; every run of a projection opens a fresh stream.
/// The stream delivers **single items**: the engine does the batching, so a source that reads
/// pages flattens them.
///
/// The provider owns the position type, its text and manifest, and the codec: the way an envelope
/// becomes bytes and back, for dead letters and for envelopes that are parked.
/// [`decode`](Self::decode) of what [`encode`](Self::encode) wrote gives an equal envelope.
///
/// # Ordering
/// Positions of a stream strictly increase. After `open(Some(position))` the stream begins behind
/// `position`; its first item may be that position again (an inclusive boundary), which the
/// engine filters. Any other position that is not later than the last one is [`Error::PositionRegressed`], never a
/// silent drop.
///
/// # Durability
/// What the stream delivered stays readable from its position on for as long as the source keeps
/// it; a position that the source no longer has must be an error at `open`, never a gap.
///
/// # Cancellation
/// A stream may be dropped between two items and while it is pending. Nothing that was not
/// delivered may be lost by that for the next `open`.
///
/// # Errors
/// [`Error::Source`], with `retryable` decided by the provider: a retryable error restarts the
/// projection with backoff, any other stops it. A stream is not polled again after an error.
///
/// # Example
/// ```
/// use bytes::Bytes;
/// use futures::stream::{self, BoxStream, StreamExt};
/// use projectionist_core::contract::{Mode, SourceProvider};
/// use projectionist_core::{Position, Result, SourceItem};
///
/// #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
/// struct Index(usize);
///
/// impl Position for Index {
///     const MANIFEST: &'static str = "index";
///     fn write_to(&self, out: &mut String) {
///         out.push_str(&self.0.to_string());
///     }
///     fn parse(text: &str) -> Result<Self> {
///         text.parse().map(Index).map_err(|_| projectionist_core::Error::OffsetCodec {
///             manifest: Self::MANIFEST,
///             text: text.to_owned(),
///             reason: "not a number".to_owned(),
///         })
///     }
/// }
///
/// /// Words, each known by its index.
/// struct Words(Vec<String>);
///
/// impl SourceProvider for Words {
///     type Envelope = (Index, String);
///     type Position = Index;
///     type Stream = BoxStream<'static, Result<SourceItem<(Index, String), Index>>>;
///
///     async fn open(&self, from: Option<Index>, _: Mode) -> Result<Self::Stream> {
///         let first = from.map_or(0, |last| last.0 + 1);
///         let words: Vec<_> = self.0.iter().cloned().enumerate().skip(first).collect();
///         let items = words.into_iter().map(|(at, word)| Ok(SourceItem::Envelope((Index(at), word))));
///         Ok(stream::iter(items).boxed())
///     }
///     fn position(&self, envelope: &(Index, String)) -> Index {
///         envelope.0.clone()
///     }
///     fn encode(&self, envelope: &(Index, String), out: &mut Vec<u8>) {
///         out.extend_from_slice(envelope.1.as_bytes());
///     }
///     fn decode(&self, position: Index, event: &Bytes) -> Result<(Index, String), String> {
///         let word = std::str::from_utf8(event).map_err(|error| error.to_string())?;
///         Ok((position, word.to_owned()))
///     }
/// }
/// ```
pub trait SourceProvider: Send + Sync + 'static {
    /// One delivered element: an event with its coordinates.
    type Envelope: Send + Sync + 'static;
    /// A comparable place in the lane.
    type Position: Position;
    /// What [`SourceProvider::open`] gives; a boxed stream costs nothing that matters.
    type Stream: Stream<Item = Result<SourceItem<Self::Envelope, Self::Position>>> + Send + 'static;

    /// Opens a fresh stream that begins behind `from`, or with the first record.
    fn open(
        &self,
        from: Option<Self::Position>,
        mode: Mode,
    ) -> impl Future<Output = Result<Self::Stream>> + Send;

    /// The position of an envelope.
    fn position(&self, envelope: &Self::Envelope) -> Self::Position;

    /// Appends the envelope as bytes, for a dead letter or to be parked. The position is kept
    /// beside them.
    fn encode(&self, envelope: &Self::Envelope, out: &mut Vec<u8>);

    /// Makes the envelope again that [`encode`](Self::encode) wrote down.
    ///
    /// # Errors
    /// Why the bytes are no envelope, as a sentence: they come from a store, and another version
    /// of the program may have written them.
    fn decode(&self, position: Self::Position, event: &Bytes) -> Result<Self::Envelope, String>;

    /// When the event happened, where it says so.
    fn created_at(&self, envelope: &Self::Envelope) -> Option<Timestamp> {
        let _ = envelope;
        None
    }

    /// Whether envelopes are to be verified. Asked once a run; the default, `false`, costs nothing.
    fn verifies(&self) -> bool {
        false
    }

    /// Whether this source still vouches for `position`: asked before the handler, and in
    /// exactly-once once more before its transaction is committed. An envelope that is not
    /// vouched for is passed over, counted as skipped and told.
    ///
    /// # Errors
    /// [`Error::Source`] when it cannot be told.
    fn verify(&self, position: &Self::Position) -> impl Future<Output = Result<bool>> + Send {
        let _ = position;
        std::future::ready(Ok(true))
    }

    /// How many records the source has behind `low` now, where it can tell that cheaply. `None`
    /// for `low` counts from the first record. Asked when the status is.
    fn remaining(
        &self,
        low: Option<&Self::Position>,
    ) -> impl Future<Output = Result<Option<u64>>> + Send {
        let _ = low;
        std::future::ready(Ok(None))
    }

    /// How many bytes of records the source has behind `low` now, where it can tell that cheaply, as
    /// [`remaining`](Self::remaining) does for their number.
    fn remaining_bytes(
        &self,
        low: Option<&Self::Position>,
    ) -> impl Future<Output = Result<Option<u64>>> + Send {
        let _ = low;
        std::future::ready(Ok(None))
    }

    /// What the source waits for, other than new records, as a phrase: a file that is not there
    /// yet. `None`, the default, when for nothing.
    fn waiting_for(&self) -> Option<String> {
        None
    }

    /// The bytes that the envelope keeps in memory, for the bounds on what is buffered. The
    /// default counts an envelope as nothing, which leaves the bound on their number.
    fn size_bytes(&self, envelope: &Self::Envelope) -> usize {
        let _ = envelope;
        0
    }

    /// The position behind which a lane without an offset begins; `None` for the first record.
    /// The engine stores it before the first delivery.
    ///
    /// # Errors
    /// [`Error::Configuration`] for a start that this source does not know; the default knows
    /// [`StartPosition::Earliest`] and [`StartPosition::After`].
    fn resolve_start(
        &self,
        start: &StartPosition,
    ) -> impl Future<Output = Result<Option<Self::Position>>> + Send {
        let resolved = match start {
            StartPosition::Earliest => Ok(None),
            StartPosition::After(offset) => start_after(offset).map(Some),
            StartPosition::Latest => Err(unknown_start(
                "start `latest`",
                "this source cannot tell its end; start at `earliest`",
            )),
            StartPosition::Timestamp(_) => Err(unknown_start(
                "start at a time",
                "this source cannot find a time; start at `earliest`",
            )),
        };
        std::future::ready(resolved)
    }
}

fn unknown_start(subject: &str, reason: &str) -> Error {
    Error::Configuration {
        subject: subject.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The position behind which a lane begins that starts after `offset`.
///
/// # Errors
/// [`Error::Configuration`] when another kind of source wrote it, [`Error::OffsetCodec`] when the
/// text is damaged.
pub fn start_after<P: Position>(offset: &Offset) -> Result<P> {
    if offset.manifest == P::MANIFEST {
        return P::parse(&offset.text);
    }
    Err(Error::Configuration {
        subject: format!("start after `{offset}`"),
        reason: format!(
            "its format is `{}`, this source writes `{}`",
            offset.manifest,
            P::MANIFEST
        ),
    })
}
