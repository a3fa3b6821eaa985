//! One run of a projection between a start and a restart.

use std::sync::Arc;

use projectionist_core::contract::{FailureAction, Mode, Observer, OffsetStore, SourceProvider};
use projectionist_core::{
    BoxError, Claim, Clock, Commit, Error, LaneState, Offset, OffsetText, Position, ProjectionId,
    Result,
};
use projectionist_telemetry::{FailureStreak, HandlerTimedOut};
use tokio::time::Instant;

use super::Delivery;
use super::feed::{Feed, live_source_ended};
use super::letters::class_of;
use super::observe;
use crate::management::order::{Order, SkipOrder};
use crate::management::waiters::Waiters;
use crate::progress::LaneProgress;
use crate::recovery::FailedAttempt;
use crate::recovery::drive::{Limits, TimedOut};
use crate::recovery::failed_attempt::FailureHook;
use crate::restart::ladder::Failure;
use crate::restart::shared::Shared;
use crate::signals::{Interruption, Signals};
use crate::{ProjectionStatus, Settings};

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The source ended.
    Completed,
    /// It was interrupted.
    Interrupted(Interruption),
}

/// How a run failed.
#[derive(Debug)]
pub struct RunFailure<Position> {
    pub(crate) error: Error,
    /// The position of the envelope that could not be handled, where one is to blame.
    pub(crate) at: Option<Position>,
    /// Recovery has nothing more to try.
    pub(crate) exhausted: bool,
}

impl<Position> RunFailure<Position> {
    /// The failure of the run that began then and settled everything up to `low`.
    fn of_a_run(self, low: Option<Position>, began: Instant) -> Failure<Position> {
        let Self {
            error,
            at,
            exhausted,
        } = self;
        Failure {
            error,
            at,
            low,
            exhausted,
            began,
        }
    }
}

/// A failure, boxed: every envelope passes where it would be moved.
pub(crate) type Failed<P> = Box<RunFailure<<P as SourceProvider>::Position>>;

/// How a run, or a step of it, ended.
pub(crate) type RunResult<P, T = End> = std::result::Result<T, Failed<P>>;

/// A failure that no envelope is to blame for.
pub(crate) fn unplaced<Position>(error: Error) -> Box<RunFailure<Position>> {
    Box::new(RunFailure {
        error,
        at: None,
        exhausted: false,
    })
}

/// What a run needs besides its delivery.
pub(crate) struct RunContext<'a, P: SourceProvider, S> {
    pub(crate) provider: &'a P,
    pub(crate) store: &'a S,
    pub(crate) settings: &'a Settings,
    pub(crate) claim: &'a Arc<Claim>,
    pub(crate) shared: &'a Shared,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) streak: &'a mut FailureStreak,
    pub(crate) hook: &'a FailureHook<P::Envelope>,
    pub(crate) waiters: &'a Waiters<P::Position>,
    pub(crate) skip: &'a mut Vec<SkipOrder<P::Position>>,
    pub(crate) retry_parked: &'a mut Vec<Order>,
}

/// One run of a projection, as its delivery sees it.
pub struct Incarnation<'a, P: SourceProvider, S> {
    pub(crate) provider: &'a P,
    pub(crate) store: &'a S,
    pub(crate) settings: &'a Settings,
    pub(crate) claim: &'a Arc<Claim>,
    pub(crate) signals: &'a Signals,
    pub(crate) shared: &'a Shared,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) streak: &'a mut FailureStreak,
    pub(crate) hook: &'a FailureHook<P::Envelope>,
    pub(crate) waiters: &'a Waiters<P::Position>,
    /// The envelopes that are to be passed over when they come, in the order of the lane.
    pub(crate) skip: &'a mut Vec<SkipOrder<P::Position>>,
    /// Orders to try parked envelopes now.
    pub(crate) retry_parked: &'a mut Vec<Order>,
    /// Whether the source wants to be asked about every envelope.
    pub(crate) verifies: bool,
    pub(crate) feed: Feed<P>,
    pub(crate) progress: LaneProgress<P::Position>,
}

/// Opens the source where the lane stands and runs the delivery to its end.
pub(crate) async fn run_incarnation<P, S, D>(
    delivery: &D,
    context: RunContext<'_, P, S>,
) -> std::result::Result<End, Failure<P::Position>>
where
    P: SourceProvider,
    S: OffsetStore,
    D: Delivery<P, S>,
{
    let began = Instant::now();
    let failure = |error| Failure::of(error, began);
    let RunContext {
        provider,
        store,
        settings,
        claim,
        shared,
        clock,
        streak,
        hook,
        waiters,
        skip,
        retry_parked,
    } = context;
    let signals = shared.signals.as_ref();
    let open = async {
        let mut progress = load_progress(provider, store, settings, claim).await?;
        if !store.capabilities().ahead {
            progress.stores_low_alone();
        }
        let from = progress.low().cloned();
        let stream = provider.open(from, settings.mode).await?;
        Ok((progress, Feed::new(stream)))
    };
    let (progress, feed) = tokio::select! {
        biased;
        interruption = signals.raised() => return Ok(End::Interrupted(interruption)),
        opened = open => opened.map_err(failure)?,
    };
    waiters.passed(progress.low());
    tell_passed_skips(skip, progress.low());
    let mut incarnation = Incarnation {
        provider,
        store,
        settings,
        claim,
        signals,
        shared,
        clock,
        streak,
        hook,
        waiters,
        skip,
        retry_parked,
        verifies: provider.verifies(),
        feed,
        progress,
    };
    let ended = delivery.run(&mut incarnation).await;
    let low = incarnation.progress.low().cloned();
    ended.map_err(|failed| failed.of_a_run(low, began))
}

/// Tells who asked for an envelope to be passed over which the lane has passed: the commit of an
/// earlier run took effect although the store's answer was lost.
fn tell_passed_skips<P: Position>(orders: &mut Vec<SkipOrder<P>>, low: Option<&P>) {
    let passed = orders.partition_point(|skip| low.is_some_and(|low| skip.position <= *low));
    for skip in orders.drain(..passed) {
        skip.order.asker.tell(Ok(()));
    }
}

/// Reads the lane, and gives it a position before the first delivery where it has none.
async fn load_progress<P: SourceProvider, S: OffsetStore>(
    provider: &P,
    store: &S,
    settings: &Settings,
    claim: &Claim,
) -> Result<LaneProgress<P::Position>> {
    let row = store.lane(&claim.lane).await?;
    if let Some(row) = &row
        && row.epoch > claim.epoch
    {
        return Err(Error::Fenced {
            lane: claim.lane.clone(),
            epoch: claim.epoch,
            current: row.epoch,
        });
    }
    let row = row.unwrap_or_default();
    // A lane that was cleared begins anew with everything, wherever it began the first time.
    let starts = row.offset.is_none() && row.ahead.is_empty() && row.replay_until.is_none();
    if !starts {
        return LaneProgress::load(&claim.lane, row);
    }
    let Some(start) = provider.resolve_start(&settings.start).await? else {
        return LaneProgress::load(&claim.lane, row);
    };
    let commit = Commit {
        offset: Some(Offset::of(&start)),
        ..Commit::default()
    };
    store.commit(claim, &commit).await?;
    let row = LaneState {
        offset: commit.offset,
        ..row
    };
    LaneProgress::load(&claim.lane, row)
}

impl<P: SourceProvider, S> Incarnation<'_, P, S> {
    pub(crate) fn lane(&self) -> &ProjectionId {
        &self.claim.lane
    }

    pub(crate) fn observer(&self) -> &dyn Observer {
        self.settings.observer.as_ref()
    }

    /// How long a call that handles something may take.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            stop_timeout: self.settings.stop_timeout,
            handler_timeout: self.settings.handler_timeout,
        }
    }

    /// How long a hook may take.
    pub(crate) fn hook_limits(&self) -> Limits {
        Limits::of_a_hook(self.settings.stop_timeout)
    }

    /// Whether the source still vouches for `position`. After an interruption it is not waited for
    /// longer than the stop time-out.
    pub(crate) async fn vouches(
        &mut self,
        position: &P::Position,
    ) -> Result<std::result::Result<bool, Interruption>> {
        let (timeout, verify) = (self.settings.stop_timeout, self.provider.verify(position));
        match self.signals.within(timeout, verify).await {
            Ok(vouches) => vouches.map(Ok),
            Err(interruption) => Ok(Err(interruption)),
        }
    }

    /// What the end of the source means in this mode.
    pub(crate) fn source_ended(&self) -> RunResult<P> {
        match self.settings.mode {
            Mode::Current => Ok(End::Completed),
            Mode::Live if self.signals.may_end() => Ok(End::Completed),
            Mode::Live => Err(unplaced(live_source_ended())),
        }
    }

    /// Tells everyone about a failed attempt at `envelopes`, the last of which stands at
    /// `position`, and what follows it.
    pub(crate) fn attempt_failed(
        &mut self,
        envelopes: &[P::Envelope],
        position: &P::Position,
        attempt: u32,
        error: &BoxError,
        action: FailureAction,
    ) {
        let (class, text, now) = (class_of(error), error.to_string(), self.clock.now());
        let account = &self.shared.account;
        account.attempt_failed(position.offset(), attempt, &text, class, now);
        let offset = position.offset().text;
        if let Some(TimedOut(limit)) = error.downcast_ref() {
            HandlerTimedOut {
                lane: &self.claim.lane,
                offset: &offset,
                attempt,
                limit: *limit,
            }
            .emit();
        }
        match action {
            FailureAction::Isolate => self.streak.isolating(&offset, attempt, error),
            FailureAction::Park => self.streak.parking(&offset, attempt, error),
            _ => self.streak.failed(&offset, attempt, error),
        }
        let lane = &self.claim.lane;
        let error = error.as_ref();
        let observer = self.settings.observer.as_ref();
        observe(|| observer.error(lane, position, attempt, error, action));
        self.hook.call(&FailedAttempt {
            lane,
            envelopes,
            position,
            attempt,
            error,
            action,
        });
    }

    /// Publishes that another attempt at what stands at `position` follows after `delay`.
    pub(crate) fn retrying(
        &self,
        position: &P::Position,
        attempt: u32,
        delay: std::time::Duration,
        error: &BoxError,
    ) {
        self.shared.publish(ProjectionStatus::Retrying {
            offset: position.offset(),
            attempt,
            delay,
            error: error.to_string(),
        });
    }

    /// An attempt succeeded, or what failed is passed over.
    pub(crate) fn goes_on(&mut self) {
        if self.streak.is_open() {
            self.streak.ended();
            self.shared.account.mended();
            let epoch = self.claim.epoch;
            self.shared.publish(ProjectionStatus::Running { epoch });
        }
    }

    /// What follows an attempt that recovery gives up.
    pub(crate) fn given_up_action(&self) -> FailureAction {
        match self.settings.failures.when_exhausted {
            crate::WhenExhausted::Restart => FailureAction::Restart,
            crate::WhenExhausted::Stop => FailureAction::Stop,
        }
    }

    /// The failure of a handler that could not handle what ends at `position`.
    pub(crate) fn exhausted(
        &self,
        position: P::Position,
        attempts: u32,
        source: BoxError,
    ) -> Failed<P> {
        let error = Error::Handler {
            lane: self.lane().clone(),
            offset: position.offset().text,
            attempts,
            source,
        };
        Box::new(RunFailure {
            error,
            at: Some(position),
            exhausted: true,
        })
    }

    /// The failure of a hook.
    pub(crate) fn hook_failed(&self, source: BoxError) -> Failed<P> {
        let stored = self.progress.stored().as_ref();
        let low = stored.map_or("the beginning", |offset| offset.text.as_str());
        unplaced(Error::Handler {
            lane: self.lane().clone(),
            offset: low.to_owned(),
            attempts: 1,
            source,
        })
    }
}
