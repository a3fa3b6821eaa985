//! At-most-once: save, then handle.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::pin::pin;

use projectionist_core::contract::{Context, FailureAction, Handler, OffsetStore, SourceProvider};
use projectionist_core::{
    Commit, Counters, DeadLetter, Defect, Error, Malformed, Result, SourceItem,
};

use super::Delivery;
use super::feed::Fill;
use super::handler_slot::{HandlerSlot, hook_ended};
use super::incarnation::{End, Incarnation, RunResult, unplaced};
use super::letters::{defect_of, not_vouched_for, skipped_by_command};
use super::observe;
use super::single_call::{Single, SingleCall};
use crate::NoParking;
use crate::management::order::SkipOrder;
use crate::progress::Admission;
use crate::recovery::LossRecovery;
use crate::recovery::drive::{Call, called, drive};
use crate::restart::commit_tally::CommitTally;
use crate::signals::Interruption;

/// At-most-once: the position of every envelope is saved before it is handled.
///
/// A crash loses the envelope in flight, and repeats none. What was lost shows in the counters: it
/// is read, and stays [pending](projectionist_core::Counters::pending).
#[derive(Clone, Debug)]
pub struct AtMostOnce<F> {
    pub(crate) factory: F,
    pub(crate) recovery: LossRecovery,
}

impl<P, S, F, H> Delivery<P, S> for AtMostOnce<F>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: Handler<P::Envelope>,
{
    type Parks = NoParking;

    async fn run(&self, run: &mut Incarnation<'_, P, S>) -> RunResult<P> {
        let factory = || Single {
            handler: (self.factory)(),
            envelope: PhantomData,
        };
        let (signals, limits) = (run.signals, run.hook_limits());
        let mut slot = HandlerSlot::build(&factory).map_err(|error| run.hook_failed(error))?;
        let started = drive(slot.run_start(), signals, limits, |_| ()).await;
        if let Some(interruption) = hook_ended(run, started)? {
            return Ok(End::Interrupted(interruption));
        }
        observe(|| run.observer().started(run.lane()));
        let tally = CommitTally::new(run.progress.stored_counters());
        let mut losses = SavedFirst {
            run,
            slot,
            commit: Commit::default(),
            recovery: self.recovery,
            outcome: Outcome::default(),
            tally,
        };
        let mut ended = losses.deliver().await;
        if matches!(ended, Ok(End::Completed)) {
            // What was settled ahead is passed.
            match losses.save().await {
                Ok(None) => {}
                Ok(Some(interruption)) => ended = Ok(End::Interrupted(interruption)),
                Err(failed) => ended = Err(failed),
            }
        }
        // What became of the last envelope is not stored yet.
        let counted = losses.save_outcome().await;
        let SavedFirst {
            run,
            slot,
            mut tally,
            ..
        } = losses;
        tally.tell(run.progress.stored_counters(), run.shared);
        let stopped = drive(slot.stop(), signals, limits, |_| ()).await;
        let end = match (ended, &counted) {
            // Whatever else ended the run: another owner is at work, and this one must not go on.
            (Err(_), Err(Error::Fenced { .. })) => End::Interrupted(Interruption::ClaimLost),
            (ended, _) => ended?,
        };
        if end != End::Interrupted(Interruption::ClaimLost) {
            counted.map_err(unplaced)?;
        }
        hook_ended(run, stopped)?;
        Ok(end)
    }
}

/// The envelopes of one run.
struct SavedFirst<'r, 'a, 'f, P: SourceProvider, S, F, H> {
    run: &'r mut Incarnation<'a, P, S>,
    slot: HandlerSlot<'f, F, H>,
    commit: Commit,
    recovery: LossRecovery,
    outcome: Outcome,
    tally: CommitTally,
}

/// What became of the envelopes that were handled since the last save. It goes into the next one;
/// where that fails, into one of its own that moves nothing.
#[derive(Default)]
struct Outcome {
    applied: u64,
    /// What became of those that were not applied, where there are some.
    lost: Option<Counters>,
    letters: Vec<DeadLetter>,
    /// What the row counted before a save of its own whose end is not known.
    counted_before: Option<Counters>,
}

impl Outcome {
    /// What it counts.
    fn counters(&self) -> Counters {
        let mut counters = self.lost.unwrap_or_default();
        counters.applied = counters.applied.saturating_add(self.applied);
        counters
    }

    /// Counts what is lost.
    fn lose(&mut self, counters: &Counters, letter: Option<DeadLetter>) {
        self.lost.get_or_insert_default().add(counters);
        self.letters.extend(letter);
    }

    /// Puts it into `commit`, beside what stands there. Runs for every envelope, so it looks at
    /// what most of them have first.
    #[inline]
    fn add_to(&self, commit: &mut Commit) {
        commit.counters.applied = commit.counters.applied.saturating_add(self.applied);
        if let Some(lost) = &self.lost {
            commit.counters.add(lost);
            commit.dead_letters.extend_from_slice(&self.letters);
        }
    }

    fn is_empty(&self) -> bool {
        self.applied == 0 && self.lost.is_none()
    }

    /// It is stored, or is not to be stored again. The buffer is used again.
    #[inline]
    fn clear(&mut self) {
        self.applied = 0;
        self.counted_before = None;
        if self.lost.take().is_some() {
            self.letters.clear();
        }
    }
}

impl<P, S, F, H> SavedFirst<'_, '_, '_, P, S, F, H>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
{
    async fn deliver(&mut self) -> RunResult<P> {
        let mut buffer = VecDeque::new();
        loop {
            let filled = self.run.fill(&mut buffer).await.map_err(unplaced)?;
            match filled {
                Err(interruption) => return Ok(End::Interrupted(interruption)),
                Ok(Fill::Ended) => return self.run.source_ended(),
                Ok(Fill::Items) => {}
            }
            self.run.saw(&buffer);
            // In place: to move every envelope out of the buffer costs more than to look at it.
            for item in buffer.make_contiguous() {
                let mut interruption = self.run.signals.current();
                if interruption.is_none() {
                    interruption = match item {
                        SourceItem::Envelope(envelope) => self.lose_or_handle(envelope).await?,
                        SourceItem::Malformed(malformed) => self.pass_malformed(malformed).await?,
                    };
                }
                if let Some(interruption) = interruption {
                    return Ok(End::Interrupted(interruption));
                }
                self.run.waiters.passed(self.run.progress.low());
            }
            buffer.clear();
            let counted = self.run.progress.stored_counters();
            self.tally.tell(counted, self.run.shared);
            tokio::task::consume_budget().await;
        }
    }

    async fn pass_malformed(
        &mut self,
        malformed: &Malformed<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        let position = malformed.position.clone();
        let admission = self.run.progress.admit(&position).map_err(unplaced)?;
        if admission == Admission::Boundary {
            return Ok(None);
        }
        let letter = self.run.malformed_letter(malformed.clone());
        self.run.progress.keep(letter);
        self.run
            .progress
            .settle(position, |counters| counters.malformed += 1);
        self.save().await
    }

    /// Saves the envelope's position and handles it, once.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn moves its arguments once more when it is first polled, which costs as \
                  much as many a handler"
    )]
    fn lose_or_handle(
        &mut self,
        envelope: &P::Envelope,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        async move {
            let position = self.run.provider.position(envelope);
            let admission = self.run.progress.admit(&position).map_err(unplaced)?;
            if admission == Admission::Boundary {
                return Ok(None);
            }
            if let Some(skip) = self.run.takes_skip(&position) {
                return self.skip(envelope, skip).await;
            }
            if self.run.verifies {
                match self.run.vouches(&position).await.map_err(unplaced)? {
                    Ok(true) => {}
                    Ok(false) => {
                        return self.pass_over(envelope, position, not_vouched_for()).await;
                    }
                    Err(interruption) => return Ok(Some(interruption)),
                }
            }
            // Until it is dropped: a save that panics leaves no envelope in flight.
            let waiters = self.run.waiters;
            let _in_flight = waiters.handling();
            let replay = self.run.progress.is_replay(&position);
            self.run
                .progress
                .settle(position.clone(), |counters| counters.read += 1);
            if let Some(interruption) = self.save().await? {
                return Ok(Some(interruption));
            }
            let lane = &self.run.claim.lane;
            let observer = self.run.settings.observer.as_ref();
            observe(|| observer.before_process(lane, &position, 1));
            let context = Context {
                lane,
                position: &position,
                attempt: 1,
                replay,
            };
            let Self {
                run, slot, tally, ..
            } = self;
            let shared = run.shared;
            let counted = run.progress.stored_counters();
            let called = {
                // Called within the future, so that a panic of the call itself is met as well.
                let call = pin!(async { slot.handler().call(envelope, &context).await });
                let called = called(call, run.signals, run.limits(), |_| {
                    tally.tell(counted, shared);
                    waiters.handling_waits(&position);
                });
                called.await
            };
            if let Err(trouble) = called {
                return self.lose(envelope, position, *trouble).await;
            }
            run.goes_on();
            observe(|| observer.after_process(lane, &position, 1));
            self.outcome.applied += 1;
            Ok(None)
        }
    }

    /// Passes over an envelope because someone asked for it.
    async fn skip(
        &mut self,
        envelope: &P::Envelope,
        skip: SkipOrder<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        let position = skip.position.clone();
        let passed = self
            .pass_over(envelope, position, skipped_by_command())
            .await;
        match passed {
            Ok(None) => skip.order.asker.tell(Ok(())),
            _ => self.run.keep_skip(skip),
        }
        passed
    }

    /// Passes over an envelope that its handler did not handle: its position is saved.
    async fn lose(
        &mut self,
        envelope: &P::Envelope,
        position: P::Position,
        trouble: Call,
    ) -> RunResult<P, Option<Interruption>> {
        let (error, broken) = match trouble {
            Call::Returned(Ok(())) => return Ok(None),
            Call::Returned(Err(error)) => (error, false),
            Call::Broken(error) => (error, true),
            Call::Abandoned(interruption) => {
                self.slot.discard();
                return Ok(Some(interruption));
            }
        };
        if broken {
            self.slot.discard();
        }
        let Self { run, .. } = self;
        let action = match self.recovery {
            LossRecovery::Skip => FailureAction::Skip,
            LossRecovery::Fail => run.given_up_action(),
        };
        run.attempt_failed(std::slice::from_ref(envelope), &position, 1, &error, action);
        let keep = run.settings.dead_letters;
        let (passed, letter) = run.passed_over(envelope, defect_of(&error), 1, keep);
        // It is read already, in the save before.
        self.outcome.lose(&Counters { read: 0, ..passed }, letter);
        if self.recovery == LossRecovery::Fail {
            return Err(run.exhausted(position, 1, error));
        }
        run.goes_on();
        if !self.outcome.letters.is_empty() {
            // The next save may be long in coming: a letter does not wait for it.
            self.save_outcome().await.map_err(unplaced)?;
        }
        let Self { run, slot, .. } = self;
        if broken {
            let (signals, limits) = (run.signals, run.hook_limits());
            let replaced = drive(slot.replace(), signals, limits, |_| ()).await;
            return hook_ended(run, replaced);
        }
        Ok(None)
    }

    /// Passes over an envelope that is not handled at all.
    async fn pass_over(
        &mut self,
        envelope: &P::Envelope,
        position: P::Position,
        defect: Defect,
    ) -> RunResult<P, Option<Interruption>> {
        self.run.settle_passed_over(envelope, position, defect, 0);
        self.save().await
    }

    /// Saves everything that is settled or counted.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn moves its arguments once more when it is first polled"
    )]
    fn save(&mut self) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        async move {
            let Self {
                run,
                commit,
                outcome,
                tally,
                ..
            } = self;
            if !run.progress.has_unsaved() {
                return Ok(None);
            }
            run.progress.fill(commit);
            outcome.add_to(commit);
            let (store, claim) = (run.store, run.claim);
            let saved = {
                // Boxed where it is born: to move the room for an error out of every wait costs as much
                // as most waits. And lent by its place, for the same reason.
                let saved = pin!(async {
                    match store.commit(claim, commit).await {
                        Ok(()) => Ok(()),
                        Err(error) => Err(unplaced(error)),
                    }
                });
                run.signals.within(run.settings.stop_timeout, saved).await
            };
            if !matches!(saved, Ok(Ok(()))) && commit.offset == commit.expected {
                // As with an outcome alone: it is not committed again.
                outcome.clear();
            }
            match saved {
                Ok(saved) => saved?,
                // Committed or not: the next run reads the row before it goes on.
                Err(interruption) => return Ok(Some(interruption)),
            }
            outcome.clear();
            if let Some(offset) = &commit.offset {
                observe(|| run.settings.observer.progress(&claim.lane, offset));
            }
            run.progress.committed(commit);
            tally.add(run.progress.stored_counters(), run.shared);
            Ok(None)
        }
    }

    /// Saves what became of the last envelopes, and moves nothing: a position whose save failed is
    /// not to be passed without being handled.
    async fn save_outcome(&mut self) -> Result<()> {
        if self.outcome.is_empty() {
            return Ok(());
        }
        let run = &mut *self.run;
        // It does not move the offset, so that only the counts tell whether it was made before.
        let row = run.store.lane(run.lane());
        let row = match run.signals.within(run.settings.stop_timeout, row).await {
            Ok(row) => row?.unwrap_or_default(),
            Err(_interrupted) => return Ok(()),
        };
        if (self.outcome.counted_before.take()).is_some_and(|before| before != row.counters) {
            self.outcome.clear();
            return Ok(());
        }
        self.outcome.counted_before = Some(row.counters);
        let commit = Commit {
            expected: run.progress.stored().clone(),
            counters: self.outcome.counters(),
            dead_letters: self.outcome.letters.clone(),
            ..Commit::default()
        };
        let (timeout, saved) = (
            run.settings.stop_timeout,
            run.store.commit(run.claim, &commit),
        );
        if let Ok(saved) = run.signals.within(timeout, saved).await {
            saved?;
            self.outcome.clear();
            run.shared.committed(&commit);
        }
        Ok(())
    }
}
