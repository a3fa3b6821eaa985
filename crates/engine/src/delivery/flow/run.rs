//! One run of a flow: takes from the source, feeds, and settles what comes out.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use futures::Stream;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::flow::GivenBack;
use projectionist_core::{BoxError, Error, FlowContexts, FlowFeed, SourceItem};

use super::FlowConfig;
use super::drain::Ending;
use super::in_flight::InFlight;
use super::lost::Lost;
use super::stall::{Stall, Turn};
use crate::ProjectionStatus;
use crate::delivery::feed::Fill;
use crate::delivery::incarnation::{Incarnation, RunResult, unplaced};
use crate::delivery::save::Saver;
use crate::signals::Interruption;

/// What comes out of a flow.
pub(super) type Output = Result<FlowContexts, BoxError>;

/// One run of a flow.
pub(super) struct FlowRun<'r, 'a, P: SourceProvider, S, O> {
    pub(super) run: &'r mut Incarnation<'a, P, S>,
    pub(super) saver: Saver<'a, S>,
    pub(super) feed: FlowFeed<P::Envelope>,
    pub(super) flow: Pin<Box<O>>,
    pub(super) in_flight: InFlight<P::Position>,
    /// What the source delivered and there was no room for.
    pub(super) buffer: VecDeque<SourceItem<P::Envelope, P::Position>>,
    pub(super) config: FlowConfig,
    /// What was given back without coming out; the buffer is used again.
    pub(super) given_back: Vec<GivenBack>,
    /// Contexts that are lost are no fault any more: the run is interrupted.
    pub(super) may_lose: bool,
    pub(super) lost: Option<Lost<P::Position>>,
    stall: Stall,
}

/// What a look at everything found that needs more than to be settled.
pub(super) enum Step {
    /// There are items in the buffer, and room for them.
    Items,
    /// The source has ended, or why it failed.
    SourceEnded(Result<(), Error>),
    /// The output has ended.
    FlowEnded,
    Interrupted(Interruption),
    /// Nothing is in flight any more.
    Settled,
}

impl<'r, 'a, P, S, O> FlowRun<'r, 'a, P, S, O>
where
    P: SourceProvider,
    S: OffsetStore,
    O: Stream<Item = Output> + Send,
{
    pub(super) fn new(
        run: &'r mut Incarnation<'a, P, S>,
        saver: Saver<'a, S>,
        feed: FlowFeed<P::Envelope>,
        flow: O,
        config: FlowConfig,
    ) -> Self {
        Self {
            run,
            saver,
            feed,
            flow: Box::pin(flow),
            in_flight: InFlight::new(),
            buffer: VecDeque::new(),
            config,
            given_back: Vec::new(),
            may_lose: false,
            lost: None,
            stall: Stall::new(config.stalled_after),
        }
    }

    /// Drops the flow; gives what outlives it.
    pub(super) fn end(self) -> (&'r mut Incarnation<'a, P, S>, Saver<'a, S>) {
        (self.run, self.saver)
    }

    /// Handles what the source delivers until it ends, an interruption or a failure.
    pub(super) async fn deliver(&mut self) -> RunResult<P> {
        loop {
            let interruption = match self.step().await? {
                Step::Items => self.take_items().await?,
                Step::Interrupted(interruption) => Some(interruption),
                Step::Settled => None,
                Step::FlowEnded => return Err(self.ended_early()),
                Step::SourceEnded(Ok(())) => {
                    let ending = match self.run.source_ended() {
                        Ok(end) => Ending::SourceEnded(end),
                        Err(failed) => Ending::SourceFailed(failed),
                    };
                    return self.drain(ending).await;
                }
                Step::SourceEnded(Err(error)) => {
                    return self.drain(Ending::SourceFailed(unplaced(error))).await;
                }
            };
            if let Some(interruption) = interruption {
                return self.drain(Ending::Interrupted(interruption)).await;
            }
            // A source that is always ready must leave the worker to others now and then.
            tokio::task::consume_budget().await;
        }
    }

    /// Waits for something that needs more than to be settled.
    async fn step(&mut self) -> RunResult<P, Step> {
        let (signals, shared) = (self.run.signals, self.run.shared);
        if let Some(interruption) = signals.current() {
            return Ok(Step::Interrupted(interruption));
        }
        // The first look is made bare: to set up a wait costs more than most looks.
        if let Some(step) = poll_fn(|cx| Poll::Ready(self.look(cx))).await? {
            return Ok(step);
        }
        let was_busy = !self.in_flight.is_empty();
        let _quiet = (!was_busy && self.buffer.is_empty()).then(|| shared.quiet());
        let mut raised = pin!(signals.raised());
        poll_fn(|cx| match self.look(cx).transpose() {
            Some(step) => Poll::Ready(step),
            // So that the projection is seen to be idle.
            None if was_busy && self.in_flight.is_empty() => Poll::Ready(Ok(Step::Settled)),
            None => raised
                .as_mut()
                .poll(cx)
                .map(|interruption| Ok(Step::Interrupted(interruption))),
        })
        .await
    }

    /// Looks at everything once: saves, the flow, and the source where there is room.
    fn look(&mut self, cx: &mut Context<'_>) -> RunResult<P, Option<Step>> {
        if self.look_at_flow(cx)? {
            return Ok(Some(Step::FlowEnded));
        }
        if !self.has_room() {
            return Ok(None);
        }
        if !self.buffer.is_empty() {
            return Ok(Some(Step::Items));
        }
        Ok(match self.run.feed.poll_fill(cx, &mut self.buffer) {
            Poll::Pending => None,
            Poll::Ready(Err(error)) => Some(Step::SourceEnded(Err(error))),
            Poll::Ready(Ok(Fill::Ended)) => Some(Step::SourceEnded(Ok(()))),
            Poll::Ready(Ok(Fill::Items)) => {
                self.run.saw(&self.buffer);
                Some(Step::Items)
            }
        })
    }

    /// Lets saves and the flow go on, and settles what came out; `true` when the output has ended.
    pub(super) fn look_at_flow(&mut self, cx: &mut Context<'_>) -> RunResult<P, bool> {
        let ended = self.poll_flow(cx)?;
        self.meet_loss(cx, ended)?;
        let Self { run, saver, .. } = self;
        // Behind the flow: what came out just now may be what a save is due for.
        saver.tend(cx, &mut run.progress);
        saver.take_failure().map_err(unplaced)?;
        match self.stall.look(cx, &self.in_flight) {
            Turn::None => {}
            Turn::Stalled => {
                // What came out before may be all that keeps the flow from filling a batch.
                self.saver.urge(&self.run.progress);
                cx.waker().wake_by_ref();
                self.publish_stall();
            }
            Turn::GoesOn => {
                let epoch = self.run.claim.epoch;
                self.run.shared.publish(ProjectionStatus::Running { epoch });
            }
        }
        Ok(ended)
    }

    /// Whether the flow may get another envelope.
    pub(super) fn has_room(&self) -> bool {
        let progress = &self.run.progress;
        let in_flight = self.in_flight.len() as u64;
        self.lost.is_none()
            && progress.window().reached(&self.config.limits).is_none()
            && self.saver.has_room(progress, in_flight)
    }

    fn publish_stall(&self) {
        let Some((_, first)) = self.in_flight.first() else {
            return;
        };
        let (in_flight, after) = (self.in_flight.len(), self.config.stalled_after);
        let more = if self.has_room() {
            ""
        } else {
            "; it gets no more before some come out"
        };
        let reason = format!(
            "the flow has not given back its first envelope for {after:?}, with {in_flight} in flight{more}"
        );
        let offset = projectionist_core::Offset::of(first);
        self.run
            .shared
            .publish(ProjectionStatus::Blocked { reason, offset });
    }
}
