//! What parking is in exactly-once.
//!
//! To park is a commit with the offset and the envelope. To try again is a transaction in which the
//! envelope is handled and let go; the offset stays where it is. A group is one envelope.

use std::task::Context;

use projectionist_core::contract::{GroupContext, OffsetStore, SourceProvider};
use projectionist_core::{BoxError, ParkedEnvelope, Result};

use super::group_call::GroupCall;
use super::groups::Groups;
use super::incarnation::{Incarnation, RunResult, unplaced};
use super::observe;
use super::parking_loop::{Parked, ParkingLoop, Tried};
use super::unit_of_work::UnitOfWork;
use crate::parking::{Lot, ParkRule};
use crate::recovery::drive::{Call, drive};
use crate::signals::Interruption;

impl<'a, 'l, P, S, U, F, H, R> ParkingLoop<'a, 'l, P, S, R> for Groups<'_, 'a, 'l, P, S, U, F, H, R>
where
    P: SourceProvider,
    S: OffsetStore,
    U: UnitOfWork<S>,
    F: Fn() -> H + Sync,
    H: GroupCall<P::Envelope, U::Tx>,
    R: ParkRule<P, S>,
{
    fn parts(&mut self) -> (&mut Incarnation<'a, P, S>, &mut Lot<'l, P, R>) {
        (self.run, &mut self.lot)
    }

    fn tend(&mut self, _: &mut Context<'_>) -> Result<()> {
        Ok(())
    }

    /// Each is stored in the transaction that handles it.
    fn max_unsaved(&self) -> u64 {
        u64::MAX
    }

    async fn settle_parked(&mut self, position: P::Position) -> RunResult<P, Option<Interruption>> {
        self.run.progress.count(|counters| {
            counters.read += 1;
            counters.parked_total += 1;
        });
        let committed = self.commit_staged(None, Some(position)).await;
        committed.map_err(unplaced)
    }

    async fn store_staged(&mut self) -> RunResult<P, Option<Interruption>> {
        if !self.run.progress.has_unsaved() {
            return Ok(None);
        }
        self.commit_staged(None, None).await.map_err(unplaced)
    }

    async fn call_parked(
        &mut self,
        parked: &ParkedEnvelope,
        envelope: &P::Envelope,
        position: &P::Position,
    ) -> RunResult<P, Tried> {
        let Self {
            run, slot, step, ..
        } = self;
        let timeout = run.settings.stop_timeout;
        let begun = U::begin(run.store, run.claim, run.progress.stored().as_ref());
        let mut tx = match run.signals.within(timeout, begun).await {
            Ok(begun) => begun.map_err(unplaced)?,
            Err(interruption) => return Ok(Tried::Interrupted(interruption)),
        };
        let lane = &run.claim.lane;
        let observer = run.settings.observer.as_ref();
        observe(|| observer.before_process(lane, position, 1));
        step.report.clear();
        let context = GroupContext {
            lane,
            position,
            attempt: parked.attempts.saturating_add(1),
            replay: parked.replay,
            report: &mut step.report,
        };
        let envelopes = std::slice::from_ref(envelope);
        // Called within the future, so that a panic of the call itself is met as well.
        let call = async { slot.handler().call(&mut tx, envelopes, context).await };
        let called = drive(call, run.signals, run.limits(), |_| ()).await;
        let vouches = match called {
            Call::Returned(Ok(())) if run.verifies => run.vouches(position).await,
            _ => Ok(Ok(true)),
        };
        let vouches = match vouches.map_err(unplaced)? {
            Ok(vouches) => vouches,
            Err(interruption) => return Ok(Tried::Interrupted(interruption)),
        };
        let undone = match called {
            Call::Returned(Ok(())) if !vouches => Tried::NotVouchedFor,
            Call::Returned(Ok(())) => {
                run.unpark(parked, |counters| counters.applied += 1);
                let committed = self.commit_staged(Some(tx), None).await;
                if let Some(interruption) = committed.map_err(unplaced)? {
                    return Ok(Tried::Interrupted(interruption));
                }
                observe(|| observer.after_process(lane, position, 1));
                return Ok(Tried::Handled);
            }
            Call::Returned(Err(error)) => Tried::Failed {
                error,
                broken: false,
            },
            Call::Broken(error) => {
                slot.discard();
                Tried::Failed {
                    error,
                    broken: true,
                }
            }
            Call::Abandoned(interruption) => return Ok(Tried::Interrupted(interruption)),
        };
        let rolled_back = self.roll_back(tx).await.map_err(unplaced)?;
        Ok(rolled_back.map_or(undone, Tried::Interrupted))
    }

    fn replace_broken(
        &mut self,
    ) -> impl Future<Output = RunResult<P, Option<Interruption>>> + Send {
        self.replace_handler()
    }
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
    /// Parks the envelope of the group if its key is parked.
    pub(super) async fn group_waits_behind(&mut self) -> RunResult<P, Parked> {
        let Some(envelope) = self.group.envelopes.pop() else {
            return Ok(Parked::Again);
        };
        let position = self.run.provider.position(&envelope);
        let parked = self.waits_behind(&envelope, &position).await;
        self.group.envelopes.push(envelope);
        parked
    }

    /// Parks the envelope of the group, which could not be handled.
    pub(super) async fn park_group_or_wait(
        &mut self,
        number: u32,
        error: BoxError,
        broken: bool,
    ) -> RunResult<P, Parked> {
        let Some(envelope) = self.group.envelopes.pop() else {
            return Err(self.run.hook_failed(error));
        };
        let position = self.run.provider.position(&envelope);
        let parked = self.park_or_wait(&envelope, &position, number, error, broken);
        let parked = parked.await;
        self.group.envelopes.push(envelope);
        parked
    }

    /// Commits what is parked, let go, counted and answered, in `tx` where there is one, and what
    /// that settles: everything up to `position`, or nothing new.
    async fn commit_staged(
        &mut self,
        tx: Option<U::Tx>,
        position: Option<P::Position>,
    ) -> Result<Option<Interruption>> {
        let Self {
            run, group, step, ..
        } = self;
        step.report.clear();
        step.stage(run, group, &(0..0), position.as_ref(), 0);
        let (store, claim, commit) = (run.store, run.claim, &step.commit);
        let committed = async {
            match tx {
                Some(tx) => U::commit(store, tx, claim, commit).await,
                None => store.commit(claim, commit).await,
            }
        };
        let timeout = run.settings.stop_timeout;
        match run.signals.within(timeout, committed).await {
            Ok(committed) => committed?,
            // Committed or not: the next run reads the row before it goes on.
            Err(interruption) => return Ok(Some(interruption)),
        }
        if let Some(offset) = &step.commit.offset {
            observe(|| run.observer().progress(&run.claim.lane, offset));
        }
        run.progress.advance(position, &mut step.commit);
        run.waiters.passed(run.progress.low());
        run.shared.committed(&step.commit);
        Ok(None)
    }
}
