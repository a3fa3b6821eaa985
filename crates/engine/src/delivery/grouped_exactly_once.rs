//! Grouped exactly-once: a group, its offset and its counters in one transaction.

use std::ops::Range;

use projectionist_core::contract::{
    GroupContext, GroupReport, GroupedTransactionalHandler, HandlerResult, OffsetStore,
    SourceProvider, TransactionalOffsetStore,
};
use projectionist_core::{BoxError, Commit, Counters, Defect, Error, ErrorClass, Offset, Result};
use projectionist_telemetry::EventsDeadLettered;

use super::at_least_once::hook_failed;
use super::group::{Closed, Group, GroupConfig};
use super::handler_slot::{HandlerSlot, Hooks};
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
    types: std::marker::PhantomData<fn(&E, &mut Tx)>,
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

type Slot<'a, F, H, P, S> = HandlerSlot<
    'a,
    F,
    Grouped<H, <P as SourceProvider>::Envelope, <S as TransactionalOffsetStore>::Tx>,
>;

type Failed<P> = (Error, Option<<P as SourceProvider>::Position>);

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
            types: std::marker::PhantomData,
        };
        let mut slot = HandlerSlot::start(&factory)
            .await
            .map_err(|error| hook_failed(run, error))?;
        observe(|| run.observer().started(run.lane()));
        let mut step = Step {
            commit: Commit::default(),
            report: GroupReport::default(),
            isolate: self.isolate_data_errors,
        };
        let ended = deliver(run, &mut slot, &mut step, &self.group).await;
        let stopped = slot.stop().await;
        let end = ended?;
        stopped.map_err(|error| hook_failed(run, error))?;
        Ok(end)
    }
}

/// The buffers of a step, used again for each group.
struct Step {
    commit: Commit,
    report: GroupReport,
    isolate: bool,
}

async fn deliver<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: &mut Slot<'_, F, H, P, S>,
    step: &mut Step,
    config: &GroupConfig,
) -> RunResult<P>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> Grouped<H, P::Envelope, S::Tx>,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    let mut group = Group::new();
    loop {
        group.clear();
        let closed = group
            .collect(run, config)
            .await
            .map_err(|error| (error, None))?;
        if let Closed::Interrupted(interruption) = closed {
            return Ok(End::Interrupted(interruption));
        }
        if !group.is_empty()
            && let Some(interruption) = settle_group(run, slot, step, &mut group).await?
        {
            return Ok(End::Interrupted(interruption));
        }
        if closed == Closed::SourceEnded {
            return run.source_ended();
        }
        tokio::task::consume_budget().await;
    }
}

/// Settles a group: in one step, or in ever smaller parts while a data error is looked for.
async fn settle_group<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: &mut Slot<'_, F, H, P, S>,
    step: &mut Step,
    group: &mut Group<P>,
) -> Result<Option<Interruption>, Failed<P>>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> Grouped<H, P::Envelope, S::Tx>,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    let mut attempts = Attempts::new(run.settings.recovery);
    let mut parts = Vec::new();
    parts.push(0..group.envelopes.len());
    while let Some(part) = parts.pop() {
        let last = parts.is_empty();
        let outcome = attempt_part(run, slot, step, group, part.clone(), last, &attempts).await?;
        let (error, panicked) = match outcome {
            PartOutcome::Committed => continue,
            PartOutcome::Interrupted(interruption) => return Ok(Some(interruption)),
            PartOutcome::Failed { error, panicked } => (error, panicked),
        };
        let is_data = !panicked && class_of(&error) == ErrorClass::Data;
        if step.isolate && is_data {
            attempts.count_one();
            if part.len() > 1 {
                let middle = part.start + part.len() / 2;
                parts.push(middle..part.end);
                parts.push(part.start..middle);
            } else {
                let defect = Defect::new(ErrorClass::Data, error.to_string());
                step.report.clear();
                step.report.dead_letter(0, defect);
                let position = stage(run, step, group, &part, last, attempts.number() - 1);
                run.store
                    .commit(run.claim, &step.commit)
                    .await
                    .map_err(|error| (error, None))?;
                committed(run, step, group, &part, position);
            }
            continue;
        }
        let position = run.provider.position(&group.envelopes[part.end - 1]);
        match attempts.failed(run.signals).await {
            Next::Again => parts.push(part),
            Next::Interrupted(interruption) => return Ok(Some(interruption)),
            Next::Exhausted => {
                let error = run.handler_error(&position, attempts.number(), error);
                return Err((error, Some(position)));
            }
        }
        if panicked {
            let replaced = slot.replace().await;
            replaced.map_err(|error| (run.handler_error(&position, 1, error), None))?;
        }
    }
    Ok(None)
}

enum PartOutcome {
    Committed,
    Failed { error: BoxError, panicked: bool },
    Interrupted(Interruption),
}

/// The class of what a handler returned.
fn class_of(error: &BoxError) -> ErrorClass {
    error
        .downcast_ref::<Error>()
        .map_or(ErrorClass::Handler, Error::class)
}

/// Makes one attempt at a part of a group: begin, handle, commit.
async fn attempt_part<P, S, F, H>(
    run: &mut Incarnation<'_, P, S>,
    slot: &mut Slot<'_, F, H, P, S>,
    step: &mut Step,
    group: &mut Group<P>,
    part: Range<usize>,
    last: bool,
    attempts: &Attempts,
) -> Result<PartOutcome, Failed<P>>
where
    P: SourceProvider,
    S: TransactionalOffsetStore,
    F: Fn() -> Grouped<H, P::Envelope, S::Tx>,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    let lost = |error| (error, None);
    step.report.clear();
    let begun = run.store.begin(run.claim, run.progress.stored()).await;
    let mut tx = begun.map_err(lost)?;
    if let Some(end) = group.envelopes[part.clone()].last() {
        let observer = run.settings.observer.as_ref();
        let position = run.provider.position(end);
        let lane = &run.claim.lane;
        observe(|| observer.before_process(lane, &position, part.len()));
        let attempt = attempts.number();
        let context = GroupContext {
            lane,
            attempt,
            report: &mut step.report,
        };
        let call = slot
            .handler()
            .handler
            .process(&mut tx, &group.envelopes[part.clone()], context);
        let (error, panicked) =
            match drive(call, run.signals, run.settings.stop_timeout, |_| ()).await {
                Call::Returned(Ok(())) => {
                    commit_part(run, step, group, &part, last, tx, attempt)
                        .await
                        .map_err(lost)?;
                    return Ok(PartOutcome::Committed);
                }
                Call::Returned(Err(error)) => (error, false),
                Call::Panicked(error) => (error, true),
                Call::Abandoned(interruption) => return Ok(PartOutcome::Interrupted(interruption)),
            };
        run.store.rollback(tx).await.map_err(lost)?;
        report_failure(lane, observer, run.streak, &position, attempt, &error);
        return Ok(PartOutcome::Failed { error, panicked });
    }
    commit_part(run, step, group, &part, last, tx, 1)
        .await
        .map_err(lost)?;
    Ok(PartOutcome::Committed)
}

async fn commit_part<P: SourceProvider, S: TransactionalOffsetStore>(
    run: &mut Incarnation<'_, P, S>,
    step: &mut Step,
    group: &mut Group<P>,
    part: &Range<usize>,
    last: bool,
    tx: S::Tx,
    attempt: u32,
) -> Result<()> {
    let position = stage(run, step, group, part, last, attempt);
    run.store.commit_in(tx, run.claim, &step.commit).await?;
    committed(run, step, group, part, position);
    Ok(())
}

/// Writes down what settling `part` commits: it also passes the malformed records before its end,
/// and with the last part those behind it.
fn stage<P: SourceProvider, S: OffsetStore>(
    run: &Incarnation<'_, P, S>,
    step: &mut Step,
    group: &mut Group<P>,
    part: &Range<usize>,
    last: bool,
    attempts: u32,
) -> Option<P::Position> {
    let end = group.envelopes[part.clone()]
        .last()
        .map(|end| run.provider.position(end));
    let position = if last { group.last.clone() } else { end };
    let commit = &mut step.commit;
    commit.expected.clone_from(&run.progress.stored().cloned());
    match (&position, &mut commit.offset) {
        (Some(position), Some(offset)) => offset.set(position),
        (position, offset) => *offset = position.as_ref().map(Offset::of),
    }
    commit.dead_letters.clear();
    for (index, defect) in step.report.defects() {
        if let Some(envelope) = group.envelopes.get(part.start + index) {
            commit
                .dead_letters
                .push(run.letter(envelope, defect.clone(), attempts));
        }
    }
    let passed = group
        .malformed
        .partition_point(|record| Some(&record.position) <= position.as_ref());
    let letters = group
        .malformed
        .drain(..passed)
        .map(|record| run.malformed_letter(record));
    commit.dead_letters.extend(letters);
    let read = part.len() as u64;
    commit.counters = Counters {
        read,
        malformed: passed as u64,
        ..*step.report.counters()
    };
    commit.counters.applied = read.saturating_sub(commit.counters.not_applied());
    position
}

/// Takes over what the store has committed, and tells it.
fn committed<P: SourceProvider, S>(
    run: &mut Incarnation<'_, P, S>,
    step: &mut Step,
    group: &Group<P>,
    part: &Range<usize>,
    position: Option<P::Position>,
) {
    run.streak.ended();
    let dead_letters = step.report.counters().dead_lettered;
    if let (Some((_, defect)), Some(letter)) = (
        step.report.defects().first(),
        step.commit.dead_letters.first(),
    ) {
        let (lane, first, error) = (run.lane(), &letter.offset.text, &defect.error);
        EventsDeadLettered {
            lane,
            events: dead_letters,
            first,
            error,
        }
        .emit();
    }
    let (lane, observer) = (&run.claim.lane, run.settings.observer.as_ref());
    if let Some(end) = group.envelopes[part.clone()].last() {
        let position = run.provider.position(end);
        observe(|| observer.after_process(lane, &position, part.len()));
    }
    if let Some(offset) = &step.commit.offset {
        observe(|| observer.progress(lane, offset));
    }
    run.progress.advance(position, &step.commit);
}
