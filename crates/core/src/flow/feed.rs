//! The engine's end of a flow.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::task::Context;

use super::context::{FlowContext, Span};
use super::contexts::FlowContexts;
use super::input::{FlowInput, Queue};
use super::ledger::{GivenBack, Ledger};
use crate::ProjectionId;

/// The engine's end of a flow: feeds envelopes and hears what becomes of them.
///
/// Dropping it ends the run: the input ends, and what still happens to its contexts is told nobody.
///
/// ```
/// use futures::{FutureExt, StreamExt};
/// use projectionist_core::{FlowContexts, FlowFeed, ProjectionId};
///
/// # fn main() -> projectionist_core::Result<()> {
/// let lane = ProjectionId::new("orders", "all")?;
/// let (mut feed, mut input) = FlowFeed::new(lane);
/// feed.feed("placed", 7, false);
/// let (event, context) = input.next().now_or_never().flatten().unwrap_or_else(|| unreachable!());
/// assert_eq!(event, "placed");
/// let mut numbers = Vec::new();
/// let came_out = feed.came_out(FlowContexts::from(context), |range| numbers.extend(range));
/// assert_eq!((came_out, numbers), (Ok(()), vec![7]));
/// # Ok(())
/// # }
/// ```
pub struct FlowFeed<E> {
    queue: Arc<Queue<E>>,
    ledger: Arc<Ledger>,
}

/// Contexts came out of a flow that were fed into that of another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the contexts of {0} envelope(s) of another run came out of the flow")]
pub struct ForeignContexts(pub usize);

impl<E> FlowFeed<E> {
    /// The two ends of a run of `lane`.
    #[must_use]
    pub fn new(lane: ProjectionId) -> (Self, FlowInput<E>) {
        let (queue, input) = FlowInput::new();
        let ledger = Ledger::new(lane);
        (Self { queue, ledger }, input)
    }

    /// Feeds an envelope under a number that no other one has which is in flight. Contexts are
    /// merged the better, the more of the numbers follow each other.
    pub fn feed(&mut self, envelope: E, number: u64, is_replay: bool) {
        let span = Span::of_one(&self.ledger, number);
        self.queue.feed(envelope, FlowContext::new(span, is_replay));
    }

    /// Nothing more is fed: the input ends when the flow has taken what there is.
    pub fn end(&mut self) {
        self.queue.end();
    }

    /// Nothing more is fed, and what the flow has not taken is withdrawn, as if it had never been
    /// fed: calls `each` with its numbers.
    pub fn withdraw(&mut self, mut each: impl FnMut(Range<u64>)) {
        let withdrawn = self.queue.take_back();
        self.queue.end();
        for (_, context) in withdrawn {
            let mut span = context.into_span();
            each(span.take());
        }
    }

    /// Moves what was given back without coming out of the flow into `given_back`; wakes the task
    /// of `cx` when there is more.
    pub fn hear(&self, cx: &Context<'_>, given_back: &mut Vec<GivenBack>) {
        self.ledger.hear(cx, given_back);
    }

    /// Takes contexts that came out of the flow: calls `each` with numbers that follow each other.
    ///
    /// # Errors
    /// [`ForeignContexts`] when some were fed into another run; those of this one are taken.
    pub fn came_out(
        &self,
        contexts: FlowContexts,
        mut each: impl FnMut(Range<u64>),
    ) -> Result<(), ForeignContexts> {
        let mut foreign = 0;
        for mut span in contexts.into_spans() {
            if Arc::ptr_eq(&span.ledger, &self.ledger) {
                each(span.take());
            } else {
                foreign += span.len();
            }
        }
        if foreign > 0 {
            return Err(ForeignContexts(foreign));
        }
        Ok(())
    }
}

impl<E> Drop for FlowFeed<E> {
    fn drop(&mut self) {
        self.ledger.close();
        drop(self.queue.take_back());
        self.queue.end();
    }
}

impl<E> fmt::Debug for FlowFeed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowFeed")
            .field("ledger", &self.ledger)
            .finish_non_exhaustive()
    }
}
