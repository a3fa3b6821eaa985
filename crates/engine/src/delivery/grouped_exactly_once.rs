//! Grouped exactly-once: a group, its offset and its counters in one transaction.

use std::marker::PhantomData;
use std::ops::Range;

use projectionist_core::contract::{
    GroupContext, GroupedTransactionalHandler, HandlerResult, SourceProvider,
    TransactionalOffsetStore,
};
use projectionist_core::{BoxError, Defect, Error, ErrorClass, OffsetText, Result};

use super::group::{Closed, Group, GroupConfig};
use super::group_step::GroupStep;
use super::handler_slot::{HandlerSlot, Hooks, hook_ended, hook_failed};
use super::incarnation::{End, Incarnation, RunResult};
use super::{Delivery, observe};
use crate::recovery::attempts::{Attempts, Next, report_failure};
use crate::recovery::drive::{Call, drive};
use crate::signals::Interruption;

/// Grouped exactly-once: a group is handled in the transaction that also moves the lane.
#[derive(Clone, Debug)]
pub struct GroupedExactlyOnce<F> {
    pub(crate) factory: F,
    pub(crate) group: GroupConfig,
    pub(crate) isolate_data_errors: bool,
}

/// A [`GroupedTransactionalHandler`] under the hooks of the slot.
struct Grouped<H, E, Tx> {
    handler: H,
    types: PhantomData<fn(&E, &mut Tx)>,
}

impl<E, Tx, H> Hooks for Grouped<H, E, Tx>
where
    E: Sync + 'static,
    Tx: Send + 'static,
    H: GroupedTransactionalHandler<E, Tx>,
{
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<P, S, F, H> Delivery<P, S> for GroupedExactlyOnce<F>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Grouped {
            handler: (self.factory)(),
            types: PhantomData,
        };
        let (signals, stop_timeout) = (run.signals, run.settings.stop_timeout);
        let slot = HandlerSlot::build(&factory);
        let mut slot = slot.map_err(|error| hook_failed(run, error))?;
        let started = drive(slot.run_start(), signals, stop_timeout, |_| ()).await;
        if let Some(interruption) = hook_ended(run, started)? {
            return Ok(End::Interrupted(interruption));
        }
        observe(|| run.observer().started(run.lane()));
        let (group, step) = (Group::new(), GroupStep::default());
        let mut groups = Groups {
            run,
            slot,
            group,
            step,
            isolate: self.isolate_data_errors,
        };
        let ended = groups.deliver(&self.group).await;
        let Groups { run, slot, .. } = groups;
        let stopped = drive(slot.stop(), signals, stop_timeout, |_| ()).await;
        let end = ended?;
        hook_ended(run, stopped)?;
        Ok(end)
    }
}

/// What a step gives that cannot be mended within the run.
type Failed<P> = (Error, Option<<P as SourceProvider>::Position>);

/// The groups of one run.
struct Groups<'r, 'a, 'f, P: SourceProvider, S: TransactionalOffsetStore, F, H> {
    run: &'r mut Incarnation<'a, P, S>,
    slot: HandlerSlot<'f, F, Grouped<H, P::Envelope, S::Tx>>,
    group: Group<P>,
    step: GroupStep,
    isolate: bool,
}

/// How an attempt at a part of a group ended.
enum Attempt {
    Committed,
    Failed { error: BoxError, panicked: bool },
    Interrupted(Interruption),
}

impl<P, S, F, H> Groups<'_, '_, '_, P, S, F, H>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> Grouped<H, P::Envelope, S::Tx> + Sync,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    async fn deliver(&mut self, config: &GroupConfig) -> RunResult<P> {
        loop {
            self.group.clear();
            let closed = self
                .group
                .collect(self.run, config)
                .await
                .map_err(unplaced)?;
            if let Closed::Interrupted(interruption) = closed {
                return Ok(End::Interrupted(interruption));
            }
            if !self.group.is_empty()
                && let Some(interruption) = self.settle().await?
            {
                return Ok(End::Interrupted(interruption));
            }
            if closed == Closed::SourceEnded {
                return self.run.source_ended();
            }
            tokio::task::consume_budget().await;
        }
    }

    /// Settles the group: in one step, or in ever smaller parts while a data error is looked for.
    async fn settle(&mut self) -> Result<Option<Interruption>, Failed<P>> {
        let mut attempts = Attempts::new(self.run.settings.recovery);
        let mut parts = Vec::new();
        parts.push(0..self.group.envelopes.len());
        while let Some(part) = parts.pop() {
            let is_last = parts.is_empty();
            let attempt = self.attempt(part.clone(), is_last, attempts.number()).await;
            let (error, panicked) = match attempt.map_err(unplaced)? {
                Attempt::Committed => continue,
                Attempt::Interrupted(interruption) => return Ok(Some(interruption)),
                Attempt::Failed { error, panicked } => (error, panicked),
            };
            if self.isolates(&error, panicked) {
                if part.len() > 1 {
                    let middle = part.start + part.len() / 2;
                    parts.push(middle..part.end);
                    parts.push(part.start..middle);
                } else {
                    let number = attempts.number();
                    let kept = self.dead_letter(part, is_last, &error, number).await;
                    if let Attempt::Interrupted(interruption) = kept.map_err(unplaced)? {
                        return Ok(Some(interruption));
                    }
                }
                attempts.count_one();
                continue;
            }
            match attempts.failed(self.run.signals).await {
                Next::Again => {}
                Next::Interrupted(interruption) => return Ok(Some(interruption)),
                Next::Exhausted => return Err(self.exhausted(&part, &attempts, error)),
            }
            if panicked {
                let (signals, timeout) = (self.run.signals, self.run.settings.stop_timeout);
                let replaced = drive(self.slot.replace(), signals, timeout, |_| ()).await;
                if let Some(interruption) = hook_ended(self.run, replaced)? {
                    return Ok(Some(interruption));
                }
            }
            parts.push(part);
        }
        Ok(None)
    }

    /// One attempt at a part of the group: begin, handle, commit.
    async fn attempt(&mut self, part: Range<usize>, is_last: bool, number: u32) -> Result<Attempt> {
        self.step.report.clear();
        let Groups {
            run,
            slot,
            group,
            step,
            ..
        } = self;
        let timeout = run.settings.stop_timeout;
        let begun = run.store.begin(run.claim, run.progress.stored().as_ref());
        let mut tx = match run.signals.within(timeout, begun).await {
            Ok(begun) => begun?,
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        };
        let envelopes = &group.envelopes[part.clone()];
        let Some(end) = envelopes.last() else {
            return self.commit(part, is_last, tx, number).await;
        };
        let (lane, position) = (&run.claim.lane, run.provider.position(end));
        observe(|| {
            run.observer()
                .before_process(lane, &position, envelopes.len())
        });
        let context = GroupContext {
            lane,
            attempt: number,
            report: &mut step.report,
        };
        // Called within the future, so that a panic of the call itself is met as well.
        let call = async {
            slot.handler()
                .handler
                .process(&mut tx, envelopes, context)
                .await
        };
        let (error, panicked) = match drive(call, run.signals, timeout, |_| ()).await {
            Call::Returned(Ok(())) => return self.commit(part, is_last, tx, number).await,
            Call::Returned(Err(error)) => (error, false),
            Call::Panicked(error) => (error, true),
            Call::Abandoned(interruption) => return Ok(Attempt::Interrupted(interruption)),
        };
        if panicked {
            slot.discard();
        }
        self.report_failure(&position, number, &error, panicked);
        match self
            .run
            .signals
            .within(timeout, self.run.store.rollback(tx))
            .await
        {
            Ok(rolled_back) => rolled_back?,
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        }
        Ok(Attempt::Failed { error, panicked })
    }

    async fn commit(
        &mut self,
        part: Range<usize>,
        is_last: bool,
        tx: S::Tx,
        number: u32,
    ) -> Result<Attempt> {
        let Groups {
            run, group, step, ..
        } = self;
        let position = step.stage(run, group, &part, is_last, number);
        let committed = run.store.commit_in(tx, run.claim, &step.commit);
        match run
            .signals
            .within(run.settings.stop_timeout, committed)
            .await
        {
            Ok(committed) => committed?,
            // Committed or not: the next run reads the row before it goes on.
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        }
        step.committed(run, group, part, position);
        Ok(Attempt::Committed)
    }

    /// Passes over the one envelope of `part`, which cannot be applied.
    async fn dead_letter(
        &mut self,
        part: Range<usize>,
        is_last: bool,
        error: &BoxError,
        attempts: u32,
    ) -> Result<Attempt> {
        let Groups {
            run, group, step, ..
        } = self;
        step.report.clear();
        step.report
            .dead_letter(0, Defect::new(ErrorClass::Data, error.to_string()));
        let position = step.stage(run, group, &part, is_last, attempts);
        let committed = run.store.commit(run.claim, &step.commit);
        match run
            .signals
            .within(run.settings.stop_timeout, committed)
            .await
        {
            Ok(committed) => committed?,
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        }
        step.committed(run, group, part, position);
        Ok(Attempt::Committed)
    }

    /// Whether the envelope at fault is looked for.
    fn isolates(&self, error: &BoxError, panicked: bool) -> bool {
        self.isolate && !panicked && class_of(error) == ErrorClass::Data
    }

    fn report_failure(
        &mut self,
        position: &dyn OffsetText,
        attempt: u32,
        error: &BoxError,
        panicked: bool,
    ) {
        let (lane, observer) = (&self.run.claim.lane, self.run.settings.observer.as_ref());
        if self.isolates(error, panicked) {
            self.run
                .streak
                .isolating(&position.offset().text, attempt, error);
            observe(|| observer.error(lane, position, attempt, error.as_ref()));
        } else {
            report_failure(lane, observer, self.run.streak, position, attempt, error);
        }
    }

    fn exhausted(&self, part: &Range<usize>, attempts: &Attempts, error: BoxError) -> Failed<P> {
        let end = self.group.envelopes[part.clone()].last();
        match end.map(|end| self.run.provider.position(end)) {
            Some(position) => {
                let error = self.run.handler_error(&position, attempts.number(), error);
                (error, Some(position))
            }
            None => hook_failed(self.run, error),
        }
    }
}

/// An error that no envelope is to blame for.
fn unplaced<Position>(error: Error) -> (Error, Option<Position>) {
    (error, None)
}

/// The class of what a handler returned.
fn class_of(error: &BoxError) -> ErrorClass {
    error
        .downcast_ref::<Error>()
        .map_or(ErrorClass::Handler, Error::class)
}
