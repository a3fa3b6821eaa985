//! The one loop of everything that is handled in groups, exactly-once one by one included.

use std::marker::PhantomData;
use std::ops::Range;
use std::task::Context;

use projectionist_core::contract::{FailureAction, GroupContext, OffsetStore, SourceProvider};
use projectionist_core::{BoxError, ErrorClass, Result};

use super::group::{Closed, Group, GroupConfig};
use super::group_call::GroupCall;
use super::group_step::GroupStep;
use super::handler_slot::{HandlerSlot, hook_ended};
use super::incarnation::{End, Incarnation, RunResult, unplaced};
use super::letters::{Blame, blame_of, class_of, defect_of};
use super::observe;
use super::parking_loop::{Parked, ParkingLoop};
use super::unit_of_work::UnitOfWork;
use crate::parking::{Lot, NoParking, ParkRule};
use crate::recovery::attempts::{Attempts, Decision, wait};
use crate::recovery::drive::{Call, drive};
use crate::signals::Interruption;

/// When a group is closed, and whether the envelope at fault is looked for when it fails.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GroupRules {
    pub(crate) group: GroupConfig,
    /// For data errors, before recovery is asked.
    pub(crate) isolates_data_errors: bool,
    /// How often an envelope with a data error is tried again, once it stands alone.
    pub(crate) data_retries: u32,
    /// Before a group is passed over.
    pub(crate) bisects: bool,
    /// Whether outages are waited out, and only envelopes that may be at fault are passed over.
    pub(crate) waits_out_outages: bool,
}

/// Runs a handler of groups from its start to its stop.
pub(super) async fn run_groups<P, S, U, F, H>(
    run: &mut Incarnation<'_, P, S>,
    factory: &F,
    rules: GroupRules,
    unit: U,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    U: UnitOfWork<S>,
    F: Fn() -> H + Sync,
    H: GroupCall<P::Envelope, U::Tx>,
{
    run_parking_groups(run, factory, rules, unit, &NoParking).await
}

/// As [`run_groups`], and parks what cannot be handled where `rule` says so: then a group is one
/// envelope.
pub(super) async fn run_parking_groups<P, S, U, F, H, R>(
    run: &mut Incarnation<'_, P, S>,
    factory: &F,
    rules: GroupRules,
    _: U,
    rule: &R,
) -> RunResult<P>
where
    P: SourceProvider,
    S: OffsetStore,
    U: UnitOfWork<S>,
    F: Fn() -> H + Sync,
    H: GroupCall<P::Envelope, U::Tx>,
    R: ParkRule<P, S>,
{
    let (signals, timeout) = (run.signals, run.settings.stop_timeout);
    let lot = match signals.within(timeout, Lot::load(rule, run)).await {
        Ok(lot) => lot.map_err(unplaced)?,
        Err(interruption) => return Ok(End::Interrupted(interruption)),
    };
    let (signals, limits) = (run.signals, run.hook_limits());
    let mut slot = HandlerSlot::build(factory).map_err(|error| run.hook_failed(error))?;
    let started = drive(slot.run_start(), signals, limits, |_| ()).await;
    if let Some(interruption) = hook_ended(run, started)? {
        return Ok(End::Interrupted(interruption));
    }
    observe(|| run.observer().started(run.lane()));
    let (group, step) = (Group::new(), GroupStep::default());
    let mut groups = Groups::<_, _, U, _, _, _> {
        run,
        slot,
        lot,
        group,
        step,
        rules,
        unit: PhantomData,
    };
    let ended = groups.deliver().await;
    let Groups {
        run, slot, group, ..
    } = groups;
    for skip in group.skipped {
        run.keep_skip(skip);
    }
    let stopped = drive(slot.stop(), signals, limits, |_| ()).await;
    let end = ended?;
    hook_ended(run, stopped)?;
    Ok(end)
}

/// The groups of one run.
pub(super) struct Groups<'r, 'a, 'f, P: SourceProvider, S, U, F, H, R> {
    pub(super) run: &'r mut Incarnation<'a, P, S>,
    pub(super) slot: HandlerSlot<'f, F, H>,
    pub(super) lot: Lot<'f, P, R>,
    pub(super) group: Group<P>,
    pub(super) step: GroupStep,
    rules: GroupRules,
    unit: PhantomData<U>,
}

/// How an attempt at a part of a group ended.
enum Attempt {
    Committed,
    /// `broken` when the handler is not to be called again.
    Failed {
        error: BoxError,
        broken: bool,
    },
    /// The source does not vouch for so many envelopes of the part any more: they are passed over by
    /// now, and the rest is to be tried again.
    Refused {
        envelopes: usize,
    },
    Interrupted(Interruption),
}

impl<P, S, U, F, H, R> Groups<'_, '_, '_, P, S, U, F, H, R>
where
    P: SourceProvider,
    S: OffsetStore,
    U: UnitOfWork<S>,
    F: Fn() -> H + Sync,
    H: GroupCall<P::Envelope, U::Tx>,
    R: ParkRule<P, S>,
{
    async fn deliver(&mut self) -> RunResult<P> {
        if R::PARKS
            && let Some(interruption) = self.take_up_orders().await?
        {
            return Ok(End::Interrupted(interruption));
        }
        loop {
            self.group.clear();
            if R::PARKS
                && let Some(interruption) = self.retry_due().await?
            {
                return Ok(End::Interrupted(interruption));
            }
            let Self {
                run, group, lot, ..
            } = self;
            let due = |cx: &mut Context<'_>| R::PARKS && lot.poll_due(cx, None);
            let collected = group.collect(run, &self.rules.group, due).await;
            let closed = collected.map_err(unplaced)?;
            if let Closed::Interrupted(interruption) = closed {
                return Ok(End::Interrupted(interruption));
            }
            if !self.group.is_empty()
                && let Some(interruption) = self.settle().await?
            {
                return Ok(End::Interrupted(interruption));
            }
            if closed == Closed::SourceEnded && R::PARKS {
                return self.finish().await;
            }
            if closed == Closed::SourceEnded {
                return self.run.source_ended();
            }
            tokio::task::consume_budget().await;
        }
    }

    /// Settles the group: in one step, or in ever smaller parts while an envelope at fault is
    /// looked for.
    async fn settle(&mut self) -> RunResult<P, Option<Interruption>> {
        if R::PARKS && !self.lot.is_empty() {
            match self.group_waits_behind().await? {
                Parked::Again => {}
                Parked::Settled => return Ok(None),
                Parked::Interrupted(interruption) => return Ok(Some(interruption)),
            }
        }
        if self.run.verifies {
            let all = 0..self.group.envelopes.len();
            let verified = self.group.verify(self.run, all, 0).await;
            if let Err(interruption) = verified.map_err(unplaced)? {
                return Ok(Some(interruption));
            }
        }
        self.handle_in_parts().await
    }

    /// Handles the group, with the attempts that recovery allows.
    async fn handle_in_parts(&mut self) -> RunResult<P, Option<Interruption>> {
        let recovery = self.lot.recovery(self.run);
        let mut attempts = Attempts::new(recovery);
        // Most groups stay whole, which needs no list.
        let mut whole = Some(0..self.group.envelopes.len());
        let mut parts = Vec::new();
        while let Some(part) = whole.take().or_else(|| parts.pop()) {
            let is_last = parts.is_empty();
            let attempt = self.attempt(part.clone(), is_last, attempts.number()).await;
            let (error, broken) = match attempt.map_err(unplaced)? {
                Attempt::Committed => {
                    attempts.part_settled();
                    continue;
                }
                Attempt::Interrupted(interruption) => return Ok(Some(interruption)),
                Attempt::Refused { envelopes } => {
                    // What follows has moved up.
                    for later in &mut parts {
                        *later = later.start - envelopes..later.end - envelopes;
                    }
                    parts.push(part.start..part.end - envelopes);
                    continue;
                }
                Attempt::Failed { error, broken } => (error, broken),
            };
            let number = attempts.number();
            let action = self.decide(&part, &error, broken, &mut attempts);
            if R::PARKS && matches!(action, Action::Fail) {
                match self.park_group_or_wait(number, error, broken).await? {
                    Parked::Settled => {}
                    Parked::Interrupted(interruption) => return Ok(Some(interruption)),
                    Parked::Again => {
                        attempts.count_one();
                        parts.push(part);
                    }
                }
                continue;
            }
            self.report(&part, number, &error, action);
            match action {
                Action::Retry(delay) => {
                    if let Some(end) = self.group.end_of(self.run, &part) {
                        self.run.retrying(&end, number, delay, &error);
                    }
                    if let Some(interruption) = wait(delay, self.run.signals).await {
                        return Ok(Some(interruption));
                    }
                    parts.push(part);
                }
                Action::Halve => {
                    let middle = part.start + part.len() / 2;
                    parts.push(middle..part.end);
                    parts.push(part.start..middle);
                    attempts.count_one();
                }
                Action::PassOver { keep, .. } => {
                    let passed = self.pass_over(part, is_last, &error, number, keep).await;
                    if let Some(interruption) = passed.map_err(unplaced)? {
                        return Ok(Some(interruption));
                    }
                    attempts = Attempts::after(recovery, number);
                }
                Action::Fail => return Err(self.failed(&part, number, error)),
            }
            if broken && let Some(interruption) = self.replace_handler().await? {
                return Ok(Some(interruption));
            }
        }
        Ok(None)
    }

    /// What follows a failed attempt at `part`.
    fn decide(
        &self,
        part: &Range<usize>,
        error: &BoxError,
        broken: bool,
        attempts: &mut Attempts,
    ) -> Action {
        let is_data_error = !broken && class_of(error) == ErrorClass::Data;
        if self.rules.isolates_data_errors && is_data_error {
            if part.len() > 1 {
                return Action::Halve;
            }
            return match attempts.retry_alone(self.rules.data_retries) {
                Some(delay) => Action::Retry(delay),
                None => Action::PassOver {
                    keep: true,
                    isolated: true,
                },
            };
        }
        if self.rules.waits_out_outages && !broken {
            match blame_of(error) {
                Blame::Outage => return Action::Retry(attempts.wait_out()),
                Blame::Run => return Action::Fail,
                Blame::Envelope => {}
            }
        }
        match attempts.decide(error) {
            Decision::Retry(delay) => Action::Retry(delay),
            Decision::Skip if self.rules.bisects && part.len() > 1 => Action::Halve,
            Decision::Skip => Action::PassOver {
                keep: self.run.settings.dead_letters,
                isolated: false,
            },
            Decision::Fail => Action::Fail,
        }
    }

    fn report(&mut self, part: &Range<usize>, attempt: u32, error: &BoxError, action: Action) {
        let Some(end) = self.group.end_of(self.run, part) else {
            return;
        };
        let action = match action {
            Action::Retry(_) => FailureAction::Retry,
            Action::Halve | Action::PassOver { isolated: true, .. } => FailureAction::Isolate,
            Action::PassOver { .. } => FailureAction::Skip,
            Action::Fail => self.run.given_up_action(),
        };
        let envelopes = &self.group.envelopes[part.clone()];
        self.run
            .attempt_failed(envelopes, &end, attempt, error, action);
    }

    /// One attempt at a part of the group: begin, handle, commit.
    async fn attempt(&mut self, part: Range<usize>, is_last: bool, number: u32) -> Result<Attempt> {
        self.step.report.clear();
        let Self {
            run,
            slot,
            group,
            step,
            ..
        } = self;
        let stop_timeout = run.settings.stop_timeout;
        let begun = U::begin(run.store, run.claim, run.progress.stored().as_ref());
        let mut tx = match run.signals.within(stop_timeout, begun).await {
            Ok(begun) => begun?,
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        };
        // The store may have kept it waiting: nothing is begun after a pause was told. Who asked for
        // an envelope of this group to be passed over is answered by its commit.
        if group.skipped.is_empty()
            && let Some(interruption) = run.signals.current()
        {
            self.roll_back(tx).await?;
            return Ok(Attempt::Interrupted(interruption));
        }
        let Some(position) = group.end_of(run, &part) else {
            return self.commit(part, is_last, tx, number).await;
        };
        let envelopes = &group.envelopes[part.clone()];
        let lane = &run.claim.lane;
        observe(|| {
            run.observer()
                .before_process(lane, &position, envelopes.len())
        });
        let context = GroupContext {
            lane,
            position: &position,
            attempt: number,
            replay: run.progress.is_replay(&position),
            report: &mut step.report,
        };
        // Called within the future, so that a panic of the call itself is met as well.
        let call = async { slot.handler().call(&mut tx, envelopes, context).await };
        let (error, broken) = match drive(call, run.signals, run.limits(), |_| ()).await {
            Call::Returned(Ok(())) if U::UNDOES && run.verifies => {
                return self.commit_verified(part, is_last, tx, number).await;
            }
            Call::Returned(Ok(())) => return self.commit(part, is_last, tx, number).await,
            Call::Returned(Err(error)) => (error, false),
            Call::Broken(error) => (error, true),
            Call::Abandoned(interruption) => {
                slot.discard();
                return Ok(Attempt::Interrupted(interruption));
            }
        };
        if broken {
            slot.discard();
        }
        if let Some(interruption) = self.roll_back(tx).await? {
            return Ok(Attempt::Interrupted(interruption));
        }
        Ok(Attempt::Failed { error, broken })
    }

    /// Commits `part`, unless its source does not vouch for all of it any more.
    async fn commit_verified(
        &mut self,
        part: Range<usize>,
        is_last: bool,
        tx: U::Tx,
        number: u32,
    ) -> Result<Attempt> {
        let verified = self.group.verify(self.run, part.clone(), number).await?;
        let envelopes = match verified {
            Ok(envelopes) => envelopes,
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        };
        if envelopes == 0 {
            return self.commit(part, is_last, tx, number).await;
        }
        let rolled_back = self.roll_back(tx).await?;
        let refused = Attempt::Refused { envelopes };
        Ok(rolled_back.map_or(refused, Attempt::Interrupted))
    }

    pub(super) async fn roll_back(&mut self, tx: U::Tx) -> Result<Option<Interruption>> {
        let (signals, timeout) = (self.run.signals, self.run.settings.stop_timeout);
        let rolled_back = U::rollback(self.run.store, tx);
        match signals.within(timeout, rolled_back).await {
            Ok(rolled_back) => rolled_back.map(|()| None),
            Err(interruption) => Ok(Some(interruption)),
        }
    }

    async fn commit(
        &mut self,
        part: Range<usize>,
        is_last: bool,
        tx: U::Tx,
        number: u32,
    ) -> Result<Attempt> {
        let Self {
            run, group, step, ..
        } = self;
        let position = group.reached_by(run, &part, is_last);
        step.stage(run, group, &part, position.as_ref(), number);
        let committed = U::commit(run.store, tx, run.claim, &step.commit);
        let timeout = run.settings.stop_timeout;
        match run.signals.within(timeout, committed).await {
            Ok(committed) => committed?,
            // Committed or not: the next run reads the row before it goes on.
            Err(interruption) => return Ok(Attempt::Interrupted(interruption)),
        }
        step.committed(run, group, part, position);
        Ok(Attempt::Committed)
    }

    /// Passes over the envelopes of `part`, which cannot be handled.
    async fn pass_over(
        &mut self,
        part: Range<usize>,
        is_last: bool,
        error: &BoxError,
        attempts: u32,
        keep: bool,
    ) -> Result<Option<Interruption>> {
        let Self {
            run, group, step, ..
        } = self;
        step.report.clear();
        let position = group.reached_by(run, &part, is_last);
        group.pass_over_part(run, &part, &defect_of(error), attempts, keep);
        let nothing = part.start..part.start;
        step.stage(run, group, &nothing, position.as_ref(), attempts);
        let committed = run.store.commit(run.claim, &step.commit);
        let timeout = run.settings.stop_timeout;
        match run.signals.within(timeout, committed).await {
            Ok(committed) => committed?,
            Err(interruption) => return Ok(Some(interruption)),
        }
        step.committed(run, group, nothing, position);
        Ok(None)
    }

    pub(super) async fn replace_handler(&mut self) -> RunResult<P, Option<Interruption>> {
        let (signals, limits) = (self.run.signals, self.run.hook_limits());
        let replaced = drive(self.slot.replace(), signals, limits, |_| ()).await;
        hook_ended(self.run, replaced)
    }

    fn failed(
        &self,
        part: &Range<usize>,
        attempts: u32,
        error: BoxError,
    ) -> super::incarnation::Failed<P> {
        match self.group.end_of(self.run, part) {
            Some(end) => self.run.exhausted(end, attempts, error),
            None => self.run.hook_failed(error),
        }
    }
}

/// What follows a failed attempt at a part of a group.
#[derive(Clone, Copy, Debug)]
enum Action {
    Retry(std::time::Duration),
    /// The envelope at fault is looked for in the halves.
    Halve,
    /// Kept as dead letters, or only counted.
    PassOver {
        keep: bool,
        /// As the result of isolation, not of recovery: it is no failure streak.
        isolated: bool,
    },
    Fail,
}
