//! Fills a buffer from the stream of a source.

use std::any::Any;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::Stream;
use projectionist_core::contract::SourceProvider;
use projectionist_core::{Error, Result, SourceItem};

use super::incarnation::Incarnation;
use crate::recovery::drive::panic_message;
use crate::signals::Interruption;

/// How many items are taken from the stream in one go. More gains nothing; fewer costs a wait an
/// item.
const FILL: usize = 128;

type Item<P> = SourceItem<<P as SourceProvider>::Envelope, <P as SourceProvider>::Position>;

/// The open stream of a source.
///
/// Single items come in and are batched here, so that a source needs no batches of its own and
/// stays safe to cancel.
pub(crate) struct Feed<P: SourceProvider> {
    stream: Pin<Box<P::Stream>>,
    end: Option<Result<()>>,
}

/// What a fill found.
#[derive(Debug)]
pub(crate) enum Fill {
    /// There are items in the buffer.
    Items,
    /// The stream has ended and all its items were taken.
    Ended,
}

impl<P: SourceProvider> Feed<P> {
    pub(crate) fn new(stream: P::Stream) -> Self {
        Self {
            stream: Box::pin(stream),
            end: None,
        }
    }

    /// Appends what is ready to `buffer`. What the stream ended with is told only after the items
    /// before it.
    pub(crate) fn poll_fill(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut VecDeque<Item<P>>,
    ) -> Poll<Result<Fill>> {
        let taken = catch_unwind(AssertUnwindSafe(|| self.take_ready(cx, buffer)));
        if let Err(payload) = taken {
            self.end = Some(Err(source_panicked(payload.as_ref())));
        }
        if !buffer.is_empty() {
            return Poll::Ready(Ok(Fill::Items));
        }
        match self.end.take() {
            Some(Err(error)) => Poll::Ready(Err(error)),
            Some(Ok(())) => {
                self.end = Some(Ok(()));
                Poll::Ready(Ok(Fill::Ended))
            }
            None => Poll::Pending,
        }
    }

    /// Takes items until the stream has ended or has nothing more at hand.
    fn take_ready(&mut self, cx: &mut Context<'_>, buffer: &mut VecDeque<Item<P>>) {
        for _ in 0..FILL {
            if self.end.is_some() {
                return;
            }
            match self.stream.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(item))) => buffer.push_back(item),
                Poll::Ready(Some(Err(error))) => self.end = Some(Err(error)),
                Poll::Ready(None) => self.end = Some(Ok(())),
                Poll::Pending => return,
            }
        }
    }
}

impl<P: SourceProvider, S> Incarnation<'_, P, S> {
    /// Waits for items, with nothing else to do meanwhile.
    pub(super) async fn fill(
        &mut self,
        buffer: &mut VecDeque<Item<P>>,
    ) -> Result<Result<Fill, Interruption>> {
        if let Some(interruption) = self.signals.current() {
            return Ok(Err(interruption));
        }
        // The first look is made bare: to set up a wait costs more than most fills.
        let look = poll_fn(|cx| Poll::Ready(self.feed.poll_fill(cx, buffer)));
        if let Poll::Ready(filled) = look.await {
            return filled.map(Ok);
        }
        let _quiet = self.shared.quiet();
        let filled = poll_fn(|cx| self.feed.poll_fill(cx, buffer));
        tokio::select! {
            biased;
            filled = filled => filled.map(Ok),
            interruption = self.signals.raised() => Ok(Err(interruption)),
        }
    }

    /// Takes over when the last of these items happened.
    pub(super) fn saw(&self, items: &VecDeque<Item<P>>) {
        if let Some(SourceItem::Envelope(last)) = items.back()
            && let Some(time) = self.provider.created_at(last)
        {
            self.shared.saw_event_of(time);
        }
    }
}

/// The error of a source that panicked: a failure like any other, before which the items that it
/// delivered are handled and saved.
fn source_panicked(payload: &(dyn Any + Send)) -> Error {
    Error::Source {
        action: "read the source".to_owned(),
        retryable: true,
        source: panic_message("the source", payload).into(),
    }
}

/// The error of a followed source that ended.
pub(crate) fn live_source_ended() -> Error {
    Error::Source {
        action: "follow the source".to_owned(),
        retryable: true,
        source: "its stream ended although it was opened to be followed".into(),
    }
}
