//! The source of a stream of lines.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use projectionist_core::contract::{EventCodec, Mode, SourceProvider, StartPosition, Stream};
use projectionist_core::{Clock, Error, Result, SourceItem, Timestamp};
use tokio::io::{AsyncRead, Stdin};

use super::StreamPosition;
use super::blocks::{ReaderBlocks, Unread};
use crate::envelope::{LineEnvelope, StreamEnvelope};
use crate::lines::LineStream;
use crate::options::StreamOptions;

/// Events from a stream of lines that is read once, such as standard input; one lane.
///
/// Both modes read to the end of the stream, where a last line without line end counts as
/// complete.
///
/// Each source is a new stream: a position that another one left behind is passed over, and
/// positions are above it whatever the clock says. A stream cannot be resumed: once something was
/// read of it, [`open`](SourceProvider::open) fails. What is still to come is not known, so
/// [`remaining`](SourceProvider::remaining) never is.
///
/// # Errors
/// [`Error::Source`], never retryable: over [`Fault::Consumed`](crate::Fault::Consumed), or over
/// the [`std::io::Error`] of the stream.
#[derive(Debug)]
pub struct StreamSource<C, R> {
    unread: Arc<Unread<R>>,
    run: AtomicI64,
    codec: Arc<C>,
    options: StreamOptions,
}

impl<C: EventCodec> StreamSource<C, Stdin> {
    /// Standard input, its lines read by `codec`; its run is the time of `clock`.
    pub fn stdin(codec: C, clock: &impl Clock) -> Self {
        Self::new("standard input", tokio::io::stdin(), codec, clock)
    }
}

impl<C: EventCodec, R> StreamSource<C, R> {
    /// The stream that `reader` gives, called `name` in errors, its lines read by `codec`; its run
    /// is the time of `clock`.
    pub fn new(name: impl Into<String>, reader: R, codec: C, clock: &impl Clock) -> Self {
        Self {
            unread: Arc::new(Unread::new(name.into(), reader)),
            run: AtomicI64::new(clock.now().unix_millis),
            codec: Arc::new(codec),
            options: StreamOptions::default(),
        }
    }

    /// Sets what can be set.
    #[must_use]
    pub fn with_options(self, options: StreamOptions) -> Self {
        Self { options, ..self }
    }
}

impl<C, R> SourceProvider for StreamSource<C, R>
where
    C: EventCodec,
    R: AsyncRead + Unpin + Send + 'static,
{
    type Envelope = StreamEnvelope<C::Event>;
    type Position = StreamPosition;
    type Stream = ReaderStream<C, R>;

    async fn open(&self, from: Option<StreamPosition>, _: Mode) -> Result<ReaderStream<C, R>> {
        self.options.check()?;
        self.unread.check()?;
        // Nothing of this stream was read, so `from` is another one's. This one must be above it
        // also when the clock was set back in between.
        let above = from.map_or(i64::MIN, |from| from.run.saturating_add(1));
        let run = self.run.fetch_max(above, Ordering::Relaxed).max(above);
        let blocks = ReaderBlocks::new(Arc::clone(&self.unread), run, self.options.block_bytes);
        Ok(ReaderStream(LineStream::resume(
            Arc::clone(&self.codec),
            blocks,
            run,
            (0, 0),
            self.options.max_record_bytes,
        )))
    }

    fn position(&self, envelope: &Self::Envelope) -> StreamPosition {
        envelope.position()
    }

    fn encode(&self, envelope: &Self::Envelope, out: &mut Vec<u8>) {
        self.codec.encode(envelope.event(), out);
    }

    fn decode(&self, position: StreamPosition, event: &Bytes) -> Result<Self::Envelope, String> {
        LineEnvelope::decode(&*self.codec, position, event)
    }

    fn created_at(&self, envelope: &Self::Envelope) -> Option<Timestamp> {
        self.codec.created_at(envelope.event())
    }

    fn size_bytes(&self, envelope: &Self::Envelope) -> usize {
        envelope.bytes()
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<StreamPosition>> {
        let start = match start {
            StartPosition::Earliest => return Ok(None),
            StartPosition::Latest => "latest",
            StartPosition::After(_) => "after an offset",
            StartPosition::Timestamp(_) => "at a time",
        };
        Err(Error::Configuration {
            subject: format!("start {start} of {}", self.unread.name),
            reason: "each run reads a new stream from its beginning; start at `earliest`"
                .to_owned(),
        })
    }
}

/// The stream of a [`StreamSource`].
pub struct ReaderStream<C: EventCodec, R: AsyncRead + Unpin + Send + 'static>(
    LineStream<C, ReaderBlocks<R>>,
);

impl<C: EventCodec, R: AsyncRead + Unpin + Send + 'static> Stream for ReaderStream<C, R> {
    type Item = Result<SourceItem<StreamEnvelope<C::Event>, StreamPosition>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.get_mut().0).poll_next(cx)
    }
}
