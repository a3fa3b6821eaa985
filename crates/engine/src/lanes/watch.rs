//! The watch over the lanes of a source: opened, followed, and opened again after a failure.

use std::any::Any;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use projectionist_core::contract::{LaneEvent, LaneSource, Mode};
use projectionist_core::{Error, Result};
use tokio::time::{Instant, sleep_until};

use crate::recovery::drive::panic_message;

/// The watch over the lanes of a source.
pub(super) enum Watch<L: LaneSource> {
    Opening(BoxFuture<'static, Result<L::Events>>),
    Open(Pin<Box<L::Events>>),
    /// It failed, and is opened again at this time.
    Waiting(Instant),
    /// Nothing more will be told. A stream that has ended is kept: to drop it would be to give up
    /// the lanes.
    Over(Option<Pin<Box<L::Events>>>),
}

/// What a watch tells.
pub(super) enum Told<P> {
    Opened,
    Event(LaneEvent<P>),
    /// No further lane will come.
    End,
    Failed(Error),
    /// The wait after a failure is over.
    Due,
}

impl<L: LaneSource> Watch<L> {
    pub(super) fn open(source: &Arc<L>, mode: Mode) -> Self {
        let source = Arc::clone(source);
        let opening = AssertUnwindSafe(async move { source.watch(mode).await }).catch_unwind();
        Self::Opening(Box::pin(async move {
            let opened = opening.await;
            opened.unwrap_or_else(|payload| Err(panicked(payload.as_ref())))
        }))
    }

    /// Waits after a failure.
    pub(super) fn wait(&mut self, delay: Duration) {
        *self = Self::Waiting(Instant::now() + delay);
    }

    /// Ends the watch. One that is open stays so until it is dropped.
    pub(super) fn end(&mut self) {
        *self = match std::mem::replace(self, Self::Over(None)) {
            Self::Open(events) => Self::Over(Some(events)),
            Self::Over(events) => Self::Over(events),
            Self::Opening(_) | Self::Waiting(_) => Self::Over(None),
        };
    }

    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Open(_))
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self, Self::Over(_))
    }

    /// What comes next; for ever pending when it is over. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Told<L::Provider> {
        match self {
            Self::Opening(opening) => match opening.await {
                Ok(events) => {
                    *self = Self::Open(Box::pin(events));
                    Told::Opened
                }
                Err(error) => self.fail(error),
            },
            Self::Open(events) => {
                let next = AssertUnwindSafe(events.next()).catch_unwind().await;
                match next.unwrap_or_else(|payload| Some(Err(panicked(payload.as_ref())))) {
                    Some(Ok(event)) => Told::Event(event),
                    Some(Err(error)) => self.fail(error),
                    None => {
                        self.end();
                        Told::End
                    }
                }
            }
            Self::Waiting(due) => {
                sleep_until(*due).await;
                Told::Due
            }
            Self::Over(_) => pending().await,
        }
    }

    fn fail(&mut self, error: Error) -> Told<L::Provider> {
        *self = Self::Over(None);
        Told::Failed(error)
    }
}

fn panicked(payload: &(dyn Any + Send)) -> Error {
    Error::Source {
        action: "watch the lanes of the source".to_owned(),
        retryable: true,
        source: panic_message("the source", payload).into(),
    }
}
