//! The task that owns a projection: claims the lane, runs, restarts, gives the lane back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Claim, Clock, Error, Owner, Result};
use projectionist_telemetry::{
    ClaimGranted, FailureStreak, ProjectionEnded, ProjectionFailed, RestartScheduled,
};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::ladder::{Failure, RestartLadder};
use crate::claim::WhenHeld;
use crate::claim::acquire::acquire;
use crate::claim::renewal::Renewal;
use crate::delivery::{Delivery, End, RunContext, observe, run_incarnation};
use crate::recovery::attempts::wait;
use crate::recovery::drive::panic_message;
use crate::signals::{Interruption, Signals};
use crate::{Completion, Projection, ProjectionStatus};

/// What a supervisor shares with the handle.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) signals: Arc<Signals>,
    pub(crate) status: watch::Sender<ProjectionStatus>,
}

/// What a runtime gives to every projection.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) owner: Owner,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Owns one projection from its spawn to its end.
pub(crate) struct Supervisor<P: SourceProvider, S, D> {
    projection: Projection<P, S, D>,
    environment: Environment,
    shared: Arc<Shared>,
    ladder: RestartLadder<P::Position>,
    streak: FailureStreak,
    /// A claim was held and lost.
    lost_claim: bool,
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
        let ladder = RestartLadder::new(projection.settings.restart);
        let streak = FailureStreak::new(projection.id.clone());
        Self {
            projection,
            environment,
            shared,
            ladder,
            streak,
            lost_claim: false,
        }
    }

    /// Runs the projection to its end, lets go of its reservation and publishes how it ended.
    pub(crate) async fn supervise(mut self, reservation: impl Send) {
        let life = AssertUnwindSafe(self.run_to_the_end()).catch_unwind();
        let ended = life.await.unwrap_or_else(|payload| {
            Err(Arc::new(Error::Store {
                action: "claim or release the lane".to_owned(),
                retryable: false,
                source: panic_message("the store", payload.as_ref()).into(),
            }))
        });
        // Before the end is told, so that whoever hears of it can spawn the projection again.
        drop(reservation);
        let Self {
            projection,
            shared,
            mut streak,
            ..
        } = self;
        streak.closed();
        let lane = projection.id.clone();
        // So are the source and the store: a store that is closed with its last handle is closed by
        // then.
        drop(projection);
        let lane = &lane;
        let status = match ended {
            Ok(completion) => {
                let completed = completion == Completion::Completed;
                ProjectionEnded { lane, completed }.emit();
                if completed {
                    ProjectionStatus::Completed
                } else {
                    ProjectionStatus::Stopped
                }
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
        shared.status.send_replace(status);
    }

    async fn run_to_the_end(&mut self) -> Result<Completion, Arc<Error>> {
        loop {
            self.shared.signals.claim_given_up();
            let (claim, asked_at) = match self.claim().await {
                Ok(Some(claimed)) => claimed,
                Ok(None) => return Ok(Completion::Stopped),
                Err(error) => {
                    let now = Instant::now();
                    let failure = Failure {
                        error,
                        at: None,
                        low: None,
                        began: now,
                    };
                    match self.after_failure(failure).await? {
                        Then::Finish(completion) => return Ok(completion),
                        Then::RunAgain | Then::Reclaim => continue,
                    }
                }
            };
            let then = self.run_under(&Arc::new(claim.clone()), asked_at).await;
            // Best effort: a claim that cannot be given back ends by its time.
            let patience = self.projection.settings.stop_timeout;
            let _released = timeout(patience, self.projection.store.release(&claim)).await;
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
        let claimed = tokio::select! {
            biased;
            claimed = acquire(store, id, owner, &config, signals, on_standby) => claimed?,
            _stop = signals.raised_for(settings.stop_timeout) => None,
        };
        if let Some((claim, _)) = &claimed {
            signals.claim_granted(claim.epoch);
            ClaimGranted {
                lane: id,
                epoch: claim.epoch,
            }
            .emit();
        }
        Ok(claimed)
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
        let then = self.run_and_restart(claim).await;
        renewal.end().await;
        then
    }

    async fn run_and_restart(&mut self, claim: &Arc<Claim>) -> Result<Then, Arc<Error>> {
        loop {
            self.publish(ProjectionStatus::Running { epoch: claim.epoch });
            let ended = self.run_once(claim).await;
            let observer = &self.projection.settings.observer;
            let lane = &self.projection.id;
            if let Err(failure) = &ended {
                observe(|| observer.failed(lane, &failure.error));
            }
            observe(|| observer.stopped(lane));
            let then = match ended {
                Ok(End::Completed) => Then::Finish(Completion::Completed),
                Ok(End::Interrupted(Interruption::Stop)) => Then::Finish(Completion::Stopped),
                Ok(End::Interrupted(Interruption::ClaimLost)) => {
                    self.after_lost_claim(claim).await?
                }
                Err(Failure {
                    error: Error::Fenced { .. },
                    ..
                }) => self.after_lost_claim(claim).await?,
                Err(failure) => match self.after_failure(failure).await? {
                    Then::Reclaim => self.after_lost_claim(claim).await?,
                    then => then,
                },
            };
            match then {
                Then::RunAgain => {}
                Then::Finish(_) | Then::Reclaim => return Ok(then),
            }
        }
    }

    async fn run_once(&mut self, claim: &Arc<Claim>) -> Result<End, Failure<P::Position>> {
        let Projection {
            provider,
            store,
            settings,
            delivery,
            ..
        } = &self.projection;
        let began = Instant::now();
        let context = RunContext {
            provider: provider.as_ref(),
            store,
            settings,
            claim,
            signals: &self.shared.signals,
            clock: &self.environment.clock,
            streak: &mut self.streak,
        };
        let run = AssertUnwindSafe(run_incarnation(delivery, context)).catch_unwind();
        run.await.unwrap_or_else(|payload| {
            let error = Error::Source {
                action: format!("run {}", claim.lane),
                retryable: true,
                source: panic_message("the source or the store", payload.as_ref()).into(),
            };
            Err(Failure {
                error,
                at: None,
                low: None,
                began,
            })
        })
    }

    /// A claim is asked for again when it was lost because the store could not be reached, and
    /// when the projection waits for others anyway. Else the owner that took it ends this one.
    async fn after_lost_claim(&self, claim: &Claim) -> Result<Then, Arc<Error>> {
        let settings = &self.projection.settings;
        if settings.claim.when_held == WhenHeld::Wait {
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
        if spoils_stop || !failure.error.is_retryable() {
            return Err(Arc::new(failure.error));
        }
        let Some(delay) = self.ladder.next(&failure, Instant::now()) else {
            return Err(Arc::new(failure.error));
        };
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
            error,
        });
        match wait(delay, &self.shared.signals).await {
            None => {
                self.ladder.restarted(Instant::now());
                Ok(Then::RunAgain)
            }
            Some(Interruption::Stop) => Ok(Then::Finish(Completion::Stopped)),
            Some(Interruption::ClaimLost) => Ok(Then::Reclaim),
        }
    }

    fn publish(&self, status: ProjectionStatus) {
        self.shared.status.send_replace(status);
    }
}
