//! The task that owns a projection: claims the lane, runs, restarts, gives the lane back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Claim, Clock, Error, Offset, Owner, Result};
use projectionist_telemetry::{
    ClaimGranted, FailureStreak, ProjectionEnded, ProjectionFailed, RestartScheduled,
};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::ladder::{Failure, RestartLadder};
use super::reporting::{Reporting, last_word};
use super::shared::Shared;
use crate::claim::WhenHeld;
use crate::claim::acquire::acquire;
use crate::claim::renewal::Renewal;
use crate::delivery::{Delivery, End, RunContext, observe, run_incarnation};
use crate::management::desk::{Call, Desk, beside};
use crate::management::obey::Obeyed;
use crate::management::order::{Order, SkipOrder};
use crate::management::waiters::Waiters;
use crate::recovery::attempts::wait;
use crate::recovery::drive::panic_message;
use crate::signals::Interruption;
use crate::{Completion, Projection, ProjectionStatus, WhenExhausted};

/// What a runtime gives to every projection.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) owner: Owner,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Owns one projection from its spawn to its end.
pub(crate) struct Supervisor<P: SourceProvider, S, D> {
    pub(crate) projection: Projection<P, S, D>,
    environment: Environment,
    pub(crate) shared: Arc<Shared>,
    waiters: Arc<Waiters<P::Position>>,
    pub(crate) ladder: RestartLadder<P::Position>,
    streak: FailureStreak,
    /// The position that could not be handled when the last run ended.
    pub(crate) failing: Option<P::Position>,
    /// The envelopes that the next run passes over, in the order of the lane.
    pub(crate) skip: Vec<SkipOrder<P::Position>>,
    /// Orders to try parked envelopes now, for the next run.
    pub(crate) retry_parked: Vec<Order>,
    /// Whether it was told last that the lane is paused.
    pub(crate) paused: bool,
    /// A claim was held and lost.
    lost_claim: bool,
}

/// The status of a projection that ended in good order.
fn ended_as(completion: Completion) -> ProjectionStatus {
    match completion {
        Completion::Completed => ProjectionStatus::Completed,
        Completion::Stopped => ProjectionStatus::Stopped,
    }
}

/// How the projection ends, when it does.
fn ending(then: &Result<Then, Arc<Error>>) -> Option<ProjectionStatus> {
    match then {
        Ok(Then::Finish(completion)) => Some(ended_as(*completion)),
        Ok(Then::Reclaim | Then::RunAgain) => None,
        Err(error) => Some(ProjectionStatus::Failed {
            error: Arc::clone(error),
        }),
    }
}

/// What follows a run.
enum Then {
    Finish(Completion),
    /// The claim is lost: it has to be granted again.
    Reclaim,
    RunAgain,
}

impl<P, S, D> Supervisor<P, S, D>
where
    P: SourceProvider,
    S: OffsetStore,
    D: Delivery<P, S>,
{
    pub(crate) fn new(
        projection: Projection<P, S, D>,
        environment: Environment,
        shared: Arc<Shared>,
    ) -> Self {
        let ladder = RestartLadder::new(projection.settings.failures.restart);
        let streak = FailureStreak::new(projection.id.clone());
        Self {
            projection,
            environment,
            shared,
            waiters: Arc::default(),
            ladder,
            streak,
            failing: None,
            skip: Vec::new(),
            retry_parked: Vec::new(),
            paused: false,
            lost_claim: false,
        }
    }

    /// Runs the projection to its end, lets go of its reservation and publishes how it ended.
    pub(crate) async fn supervise(
        mut self,
        mut calls: mpsc::Receiver<Call>,
        reservation: impl Send,
    ) {
        let desk = Desk {
            lane: self.projection.id.clone(),
            provider: Arc::clone(&self.projection.provider),
            store: self.projection.store.clone(),
            shared: Arc::clone(&self.shared),
            waiters: Arc::clone(&self.waiters),
            interval: self.projection.settings.management_interval,
        };
        let life = AssertUnwindSafe(self.run_to_the_end()).catch_unwind();
        let ended = beside(life, desk.serve(&mut calls)).await;
        drop(desk);
        let ended = ended.unwrap_or_else(|payload| {
            Err(Arc::new(Error::Store {
                action: "claim or release the lane".to_owned(),
                retryable: false,
                source: panic_message("the store", payload.as_ref()).into(),
            }))
        });
        self.drop_orders();
        // Before the end is told, so that whoever hears of it can spawn the projection again.
        drop(reservation);
        let Self {
            projection,
            shared,
            waiters,
            mut streak,
            ..
        } = self;
        streak.closed();
        let lane = projection.id.clone();
        // So are the source and the store: a store that is closed with its last handle is closed by
        // then.
        drop(projection);
        // Whoever still waits for an answer hears that there will be none.
        drop((calls, waiters));
        let lane = &lane;
        let status = match ended {
            Ok(completion) => {
                let completed = completion == Completion::Completed;
                ProjectionEnded { lane, completed }.emit();
                ended_as(completion)
            }
            Err(error) => {
                ProjectionFailed {
                    lane,
                    error: &error,
                }
                .emit();
                ProjectionStatus::Failed { error }
            }
        };
        shared.publish(status);
    }

    async fn run_to_the_end(&mut self) -> Result<Completion, Arc<Error>> {
        loop {
            self.shared.signals.claim_given_up();
            let (claim, asked_at) = match self.claim().await {
                Ok(Some(claimed)) => claimed,
                Ok(None) => return Ok(Completion::Stopped),
                Err(error) => {
                    let failure = Failure::of(error, Instant::now());
                    match self.after_failure(failure).await? {
                        Then::Finish(completion) => return Ok(completion),
                        Then::RunAgain | Then::Reclaim => continue,
                    }
                }
            };
            let then = self.run_under(&Arc::new(claim.clone()), asked_at).await;
            let patience = self.projection.settings.stop_timeout;
            if let Some(status) = ending(&then) {
                last_word(
                    &self.projection.store,
                    &claim,
                    &self.shared,
                    status,
                    patience,
                )
                .await;
            }
            // Best effort: a claim that cannot be given back ends by its time.
            let _released = timeout(patience, self.projection.store.release(&claim)).await;
            self.shared.metrics().released();
            self.drop_orders();
            if let Then::Finish(completion) = then? {
                return Ok(completion);
            }
            self.lost_claim = true;
            self.publish(ProjectionStatus::Starting);
        }
    }

    async fn claim(&self) -> Result<Option<(Claim, Instant)>> {
        let Projection {
            id,
            store,
            settings,
            ..
        } = &self.projection;
        let (owner, signals) = (&self.environment.owner, &self.shared.signals);
        let mut config = settings.claim;
        if self.lost_claim && config.when_held == WhenHeld::Steal {
            // The newest owner wins, and this one is not the newest any more.
            config.when_held = WhenHeld::Fail;
        }
        let on_standby = |holder| self.publish(ProjectionStatus::StandingBy { holder });
        let stopped = async {
            signals.ended().await;
            tokio::time::sleep(settings.stop_timeout).await;
        };
        let claimed = tokio::select! {
            biased;
            claimed = acquire(store, id, owner, &config, signals, on_standby) => claimed?,
            () = stopped => None,
        };
        if let Some((claim, row, _)) = &claimed {
            self.shared.metrics().claimed(&row.counters);
            signals.claim_granted(claim.epoch);
            ClaimGranted {
                lane: id,
                epoch: claim.epoch,
            }
            .emit();
        }
        Ok(claimed.map(|(claim, _, asked_at)| (claim, asked_at)))
    }

    /// Runs and restarts under one claim, which is renewed meanwhile.
    async fn run_under(
        &mut self,
        claim: &Arc<Claim>,
        asked_at: Instant,
    ) -> Result<Then, Arc<Error>> {
        let ttl = self.projection.settings.claim.ttl;
        let (store, signals) = (self.projection.store.clone(), self.shared.signals.clone());
        let renewal = Renewal::spawn(store, claim.as_ref().clone(), asked_at, ttl, signals);
        let (store, shared) = (self.projection.store.clone(), Arc::clone(&self.shared));
        let reporting = Reporting::spawn(store, claim.as_ref().clone(), shared);
        let then = self.run_and_restart(claim).await;
        reporting.end().await;
        renewal.end().await;
        then
    }

    async fn run_and_restart(&mut self, claim: &Arc<Claim>) -> Result<Then, Arc<Error>> {
        loop {
            let then = match self.obey_before_a_run(claim).await {
                Ok(Obeyed::Run) => self.run_and_tell(claim).await?,
                Ok(Obeyed::Interrupted(Interruption::ClaimLost)) => Then::Reclaim,
                Ok(Obeyed::Interrupted(_)) => Then::Finish(Completion::Stopped),
                Err(Error::Fenced { .. }) => Then::Reclaim,
                Err(error) => {
                    let failure = Failure::of(error, Instant::now());
                    self.after_failure(failure).await?
                }
            };
            match then {
                Then::RunAgain => {}
                Then::Finish(_) => return Ok(then),
                Then::Reclaim => return self.after_lost_claim(claim).await,
            }
        }
    }

    /// Looks what management wants before a run begins, and does it.
    async fn obey_before_a_run(&mut self, claim: &Claim) -> Result<Obeyed> {
        let grace = self.projection.settings.stop_timeout;
        let store = self.projection.store.clone();
        let signals = Arc::clone(&self.shared.signals);
        let look = async {
            // Heeded from here on: where the look fails, the wait for the next one is a whole one.
            signals.attention_given();
            self.shared.wishes.under_way(self.kept_requests());
            let read = self.shared.wishes.begin_read();
            let management = store.management(&claim.lane).await?;
            self.shared.wishes.stored(read, management);
            self.obey(claim).await
        };
        // Whoever waits within takes an end by itself; this is for a store that does not answer.
        let given_up = async {
            let ended = signals.ended().await;
            tokio::time::sleep(grace).await;
            ended
        };
        tokio::select! {
            biased;
            obeyed = look => obeyed,
            ended = given_up => Ok(Obeyed::Interrupted(ended)),
        }
    }

    async fn run_and_tell(&mut self, claim: &Arc<Claim>) -> Result<Then, Arc<Error>> {
        self.publish(ProjectionStatus::Running { epoch: claim.epoch });
        self.failing = None;
        let ended = self.run_once(claim).await;
        if let Some(offset) = self.shared.published().status.failing() {
            // It was interrupted while it waited for another attempt.
            self.failing = offset.position(&self.projection.id).ok();
        }
        let observer = &self.projection.settings.observer;
        let lane = &self.projection.id;
        if let Err(failure) = &ended {
            observe(|| observer.failed(lane, &failure.error));
            self.failing.clone_from(&failure.at);
        }
        observe(|| observer.stopped(lane));
        match ended {
            Ok(End::Completed) => Ok(Then::Finish(Completion::Completed)),
            Ok(End::Interrupted(Interruption::Stop)) => Ok(Then::Finish(Completion::Stopped)),
            Ok(End::Interrupted(Interruption::ClaimLost))
            | Err(Failure {
                error: Error::Fenced { .. },
                ..
            }) => Ok(Then::Reclaim),
            Ok(End::Interrupted(Interruption::Attention)) => Ok(Then::RunAgain),
            Err(failure) => self.after_failure(failure).await,
        }
    }

    async fn run_once(&mut self, claim: &Arc<Claim>) -> Result<End, Failure<P::Position>> {
        let Projection {
            provider,
            store,
            settings,
            delivery,
            hook,
            ..
        } = &self.projection;
        let began = Instant::now();
        let context = RunContext {
            provider: provider.as_ref(),
            store,
            settings,
            claim,
            shared: &self.shared,
            clock: &self.environment.clock,
            streak: &mut self.streak,
            hook,
            waiters: &self.waiters,
            skip: &mut self.skip,
            retry_parked: &mut self.retry_parked,
        };
        let run = AssertUnwindSafe(run_incarnation(delivery, context)).catch_unwind();
        run.await.unwrap_or_else(|payload| {
            let error = Error::Source {
                action: format!("run {}", claim.lane),
                retryable: true,
                source: panic_message("the source or the store", payload.as_ref()).into(),
            };
            Err(Failure::of(error, began))
        })
    }

    /// A claim is asked for again when it was lost because the store could not be reached, and
    /// when the projection waits for others anyway. Else the owner that took it ends this one.
    async fn after_lost_claim(&self, claim: &Claim) -> Result<Then, Arc<Error>> {
        let settings = &self.projection.settings;
        let is_abandoned = self.shared.signals.is_abandoned();
        if settings.claim.when_held == WhenHeld::Wait || is_abandoned {
            return Ok(Then::Reclaim);
        }
        let lane = self.projection.store.lane(&claim.lane);
        let Ok(Ok(Some(lane))) = timeout(settings.stop_timeout, lane).await else {
            return Ok(Then::Reclaim);
        };
        if lane.epoch <= claim.epoch {
            return Ok(Then::Reclaim);
        }
        let holder = lane.holder.map_or_else(
            || "an owner that has ended since".to_owned(),
            |holder| holder.owner.label(),
        );
        let lane = claim.lane.clone();
        Err(Arc::new(Error::Held { lane, holder }))
    }

    /// Waits for the next run, where there is to be one.
    async fn after_failure(&mut self, failure: Failure<P::Position>) -> Result<Then, Arc<Error>> {
        let is_unsaved = matches!(
            failure.error,
            Error::Store { .. } | Error::UnexpectedOffset { .. }
        );
        // A stop that the store spoils is no clean one, and there is no later run to mend it.
        let spoils_stop = is_unsaved && self.shared.signals.is_stopping();
        let policy = self.projection.settings.failures;
        let ends = failure.exhausted && policy.when_exhausted == WhenExhausted::Stop;
        if spoils_stop || ends || !failure.error.is_retryable() {
            return Err(Arc::new(failure.error));
        }
        let Some(delay) = self.ladder.next(&failure, Instant::now()) else {
            return Err(Arc::new(failure.error));
        };
        let offset = failure.at.as_ref().map(Offset::of);
        let (failures, error) = (self.ladder.failures(), Arc::new(failure.error));
        let lane = &self.projection.id;
        RestartScheduled {
            lane,
            failures,
            delay,
            error: &error,
        }
        .emit();
        self.publish(ProjectionStatus::Restarting {
            failures,
            delay,
            offset,
            error,
        });
        let signals = &self.shared.signals;
        let interruption = if signals.holds_claim() {
            wait(delay, signals).await
        } else {
            // Without a claim nothing that management wants can be done.
            timeout(delay, signals.ended()).await.ok()
        };
        match interruption {
            // What management wants may be what mends it.
            None | Some(Interruption::Attention) => {
                self.ladder.restarted(Instant::now());
                self.shared.account.restarts_once_more();
                Ok(Then::RunAgain)
            }
            Some(Interruption::Stop) => Ok(Then::Finish(Completion::Stopped)),
            Some(Interruption::ClaimLost) => Ok(Then::Reclaim),
        }
    }

    pub(crate) fn publish(&self, status: ProjectionStatus) {
        self.shared.publish(status);
    }
}
