//! Carries out what management wants, between two runs and under the claim.

use std::sync::Arc;

use projectionist_core::contract::{ManagementAction, OffsetStore, SourceProvider};
use projectionist_core::{
    Claim, Commit, Counters, Error, LaneState, ManagementCommand, Offset, Pause, RequestId, Result,
};
use projectionist_telemetry::{LanePaused, LaneResumed, ManagementDone, ManagementRefused};

use super::client::{foreign, unexpected};
use super::order::{Asker, Order, SkipOrder};
use crate::ProjectionStatus;
use crate::delivery::{Delivery, observe};
use crate::parking::ParkRule;
use crate::parking::rule::parked_behind;
use crate::restart::ladder::RestartLadder;
use crate::restart::supervisor::Supervisor;
use crate::signals::Interruption;

/// What follows a look at what management wants.
pub(crate) enum Obeyed {
    /// The projection runs.
    Run,
    /// It was interrupted while it was paused.
    Interrupted(Interruption),
}

/// What became of an order.
enum Carried<Position> {
    Done,
    Refused(String),
    /// The next run passes over the envelope at this position.
    Skips(Position),
    /// The next run tries parked envelopes.
    RetriesParked,
    /// It was answered or taken back since it was read of the store.
    NotAskedAnyMore,
}

impl<P, S, D> Supervisor<P, S, D>
where
    P: SourceProvider,
    S: OffsetStore,
    D: Delivery<P, S>,
{
    /// Carries out all orders, and waits while the lane is paused.
    pub(crate) async fn obey(&mut self, claim: &Claim) -> Result<Obeyed> {
        loop {
            self.shared.signals.attention_given();
            while let Some(order) = self.shared.wishes.next() {
                self.carry_out(claim, order).await?;
            }
            let pause = self.shared.wishes.pause();
            if pause.is_some() != self.paused {
                self.paused = pause.is_some();
                self.tell_pause(pause);
            }
            let Some(pause) = pause else {
                return Ok(Obeyed::Run);
            };
            let (scope, since) = (pause.scope, pause.since);
            self.publish(ProjectionStatus::Paused { scope, since });
            match self.shared.signals.raised().await {
                Interruption::Attention => {}
                interruption => return Ok(Obeyed::Interrupted(interruption)),
            }
        }
    }

    fn tell_pause(&self, pause: Option<Pause>) {
        let lane = &self.projection.id;
        let action = match pause {
            Some(Pause { scope, .. }) => {
                LanePaused { lane, scope }.emit();
                ManagementAction::Paused
            }
            None => {
                LaneResumed { lane }.emit();
                ManagementAction::Resumed
            }
        };
        observe(|| self.projection.settings.observer.managed(lane, &action));
    }

    async fn carry_out(&mut self, claim: &Claim, order: Order) -> Result<()> {
        let carried = match self.look_at(claim, &order).await {
            Ok(carried) => carried,
            Err(error) => {
                let reason = format!("it cannot be told whether it was carried out: {error}");
                order.asker.tell(Err(self.refused(reason)));
                return Err(error);
            }
        };
        match carried {
            Carried::Done => order.asker.tell(Ok(())),
            Carried::Refused(reason) => order.asker.tell(Err(self.refused(reason))),
            Carried::Skips(position) => SkipOrder { position, order }.put_among(&mut self.skip),
            Carried::RetriesParked => self.retry_parked.push(order),
            Carried::NotAskedAnyMore => {}
        }
        Ok(())
    }

    /// Carries out what is done between runs, and finds what the next run is to do.
    async fn look_at(&mut self, claim: &Claim, order: &Order) -> Result<Carried<P::Position>> {
        let store = self.projection.store.clone();
        if let Asker::Store(id) = order.asker {
            // What was read of the store may be older than an answer of this or another owner.
            let asked = store.management(&claim.lane).await?.requests;
            if !asked.iter().any(|request| request.id == id) {
                return Ok(Carried::NotAskedAnyMore);
            }
        }
        let row = store.lane(&claim.lane).await?.unwrap_or_default();
        let refusal = match &order.command {
            ManagementCommand::SetOffset { expected, to } => {
                match self.refuses_move(expected.as_ref(), to.as_ref(), &row) {
                    None => return self.move_lane(claim, row, order).await,
                    Some(reason) => reason,
                }
            }
            ManagementCommand::Skip { at } => match self.may_skip(at, &row) {
                Ok(position) => {
                    self.tell_done(&order.command);
                    return Ok(Carried::Skips(position));
                }
                Err(reason) => reason,
            },
            ManagementCommand::RetryParked { .. } if D::Parks::PARKS => {
                self.tell_done(&order.command);
                return Ok(Carried::RetriesParked);
            }
            ManagementCommand::RetryParked { .. } => "this projection parks nothing".to_owned(),
        };
        self.refuse(claim, row, order, refusal).await
    }

    /// Why the lane is not moved there.
    fn refuses_move(
        &self,
        expected: Option<&Option<Offset>>,
        to: Option<&Offset>,
        row: &LaneState,
    ) -> Option<String> {
        if let Some(reason) = unexpected(expected, row.offset.as_ref()) {
            return Some(reason);
        }
        let to = to?;
        match to.position::<P::Position>(&self.projection.id) {
            Ok(_) => None,
            Err(Error::ForeignOffset { provider, .. }) => Some(foreign(to, provider)),
            Err(error) => Some(error.to_string()),
        }
    }

    async fn move_lane(
        &mut self,
        claim: &Claim,
        row: LaneState,
        order: &Order,
    ) -> Result<Carried<P::Position>> {
        let ManagementCommand::SetOffset { to, .. } = &order.command else {
            return Ok(Carried::NotAskedAnyMore);
        };
        let moved = "the lane was moved meanwhile; look what fails now";
        let no_skips = self.skip.iter();
        let no_skips = no_skips.filter_map(|skip| skip.order.asker.answer(Some(moved.to_owned())));
        let answers = order.asker.answer(None).into_iter().chain(no_skips);
        let answers = answers.collect();
        let Self { projection, .. } = self;
        let position = to
            .as_ref()
            .map(|to| to.position(&projection.id))
            .transpose()?;
        let (store, lane) = (&projection.store, &claim.lane);
        let unparked = parked_behind::<P, S, D::Parks>(store, lane, position.as_ref()).await?;
        let commit = Commit {
            expected: row.offset,
            offset: to.clone(),
            reset: true,
            // They are read again, and counted again as what becomes of them then.
            counters: Counters {
                unparked_total: unparked.len() as u64,
                skipped: unparked.len() as u64,
                ..Counters::ZERO
            },
            unparked,
            answers,
            ..Commit::default()
        };
        projection.store.commit(claim, &commit).await?;
        self.shared.committed(&commit);
        self.ladder = RestartLadder::new(self.projection.settings.failures.restart);
        self.failing = None;
        for skip in std::mem::take(&mut self.skip) {
            skip.order.asker.tell(Err(self.refused(moved.to_owned())));
        }
        self.tell_done(&order.command);
        Ok(Carried::Done)
    }

    /// The position of the envelope that may be passed over, or why it may not.
    fn may_skip(&self, at: &Offset, row: &LaneState) -> Result<P::Position, String> {
        let lane = &self.projection.id;
        let position: P::Position = at.position(lane).map_err(|error| error.to_string())?;
        let low = row.offset.as_ref().map(|low| low.position(lane));
        let low: Option<P::Position> = low.transpose().map_err(|error| error.to_string())?;
        if low.is_some_and(|low| position <= low) {
            return Err(format!("the lane has passed `{at}` already"));
        }
        if self.skip.iter().any(|skip| skip.position == position) {
            return Err(format!("`{at}` is being passed over already"));
        }
        let Some(failing) = &self.failing else {
            return Err(format!(
                "nothing fails at `{at}`; the projection goes on by itself"
            ));
        };
        if position > *failing {
            let failing = Offset::of(failing);
            return Err(format!(
                "it is `{failing}` that cannot be handled now, not `{at}`"
            ));
        }
        Ok(position)
    }

    async fn refuse(
        &self,
        claim: &Claim,
        row: LaneState,
        order: &Order,
        reason: String,
    ) -> Result<Carried<P::Position>> {
        let lane = &self.projection.id;
        if let Some(answer) = order.asker.answer(Some(reason.clone())) {
            let commit = Commit {
                expected: row.offset,
                answers: vec![answer],
                ..Commit::default()
            };
            self.projection.store.commit(claim, &commit).await?;
        }
        let (command, because) = (&order.command, reason.as_str());
        ManagementRefused {
            lane,
            command,
            reason: because,
        }
        .emit();
        let action = ManagementAction::Refused(command.clone(), reason.clone());
        observe(|| self.projection.settings.observer.managed(lane, &action));
        Ok(Carried::Refused(reason))
    }

    fn refused(&self, reason: String) -> Arc<Error> {
        let lane = self.projection.id.clone();
        Arc::new(Error::Refused { lane, reason })
    }

    /// The requests of the store that the next run is to carry out.
    pub(crate) fn kept_requests(&self) -> Vec<RequestId> {
        let skips = self.skip.iter().map(|skip| &skip.order);
        let kept = skips.chain(&self.retry_parked);
        kept.filter_map(|order| order.asker.request()).collect()
    }

    fn tell_done(&self, command: &ManagementCommand) {
        let lane = &self.projection.id;
        ManagementDone { lane, command }.emit();
        let action = ManagementAction::Done(command.clone());
        observe(|| self.projection.settings.observer.managed(lane, &action));
    }

    /// Tells those who wait for orders that nobody is there any more to carry them out. Requests
    /// of the store wait there for the next owner.
    pub(crate) fn drop_orders(&mut self) {
        let skips = std::mem::take(&mut self.skip).into_iter();
        let skips = skips.map(|skip| skip.order);
        let orders = self.shared.wishes.take_all();
        let kept = std::mem::take(&mut self.retry_parked);
        for order in orders.into_iter().chain(skips).chain(kept) {
            let reason = "the lane is not held any more; ask again".to_owned();
            order.asker.tell(Err(self.refused(reason)));
        }
    }
}
