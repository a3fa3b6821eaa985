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
use tokio::time::Instant;

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
        }
    }

    /// Runs the projection to its end, lets go of its reservation and publishes how it ended.
    pub(crate) async fn supervise(mut self, reservation: impl Send) {
        let ended = self.run_to_the_end().await;
        // Before the end is told, so that whoever hears of it can spawn the projection again.
        drop(reservation);
        self.streak.ended();
        let lane = &self.projection.id;
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
        self.publish(status);
    }

    async fn run_to_the_end(&mut self) -> Result<Completion, Arc<Error>> {
        loop {
            let claim = match self.claim().await {
                Ok(Some(claim)) => Arc::new(claim),
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
            let then = self.run_under(&claim).await;
            // Best effort: a claim that cannot be given back ends by its time.
            let _released = self.projection.store.release(&claim).await;
            if let Then::Finish(completion) = then? {
                return Ok(completion);
            }
        }
    }

    async fn claim(&self) -> Result<Option<Claim>> {
        let Projection {
            id,
            store,
            settings,
            ..
        } = &self.projection;
        let (owner, signals) = (&self.environment.owner, &self.shared.signals);
        let on_standby = |holder| self.publish(ProjectionStatus::StandingBy { holder });
        let claimed = acquire(store, id, owner, &settings.claim, signals, on_standby).await?;
        if let Some(claim) = &claimed {
            signals.claim_granted();
            ClaimGranted {
                lane: id,
                epoch: claim.epoch,
            }
            .emit();
        }
        Ok(claimed)
    }

    /// Runs and restarts under one claim.
    async fn run_under(&mut self, claim: &Arc<Claim>) -> Result<Then, Arc<Error>> {
        let ttl = self.projection.settings.claim.ttl;
        let (store, signals) = (self.projection.store.clone(), self.shared.signals.clone());
        let _renewal = Renewal::spawn(store, Arc::clone(claim), ttl, signals);
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
                Ok(End::Interrupted(Interruption::ClaimLost)) => self.after_lost_claim(claim)?,
                Err(Failure {
                    error: Error::Fenced { .. },
                    ..
                }) => self.after_lost_claim(claim)?,
                Err(failure) => self.after_failure(failure).await?,
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

    /// A lost claim is waited for again, unless the projection was told not to wait.
    fn after_lost_claim(&self, claim: &Claim) -> Result<Then, Arc<Error>> {
        match self.projection.settings.claim.when_held {
            WhenHeld::Wait => Ok(Then::Reclaim),
            WhenHeld::Fail | WhenHeld::Steal => Err(Arc::new(Error::Held {
                lane: claim.lane.clone(),
                holder: "the owner that took it".to_owned(),
            })),
        }
    }

    /// Waits for the next run, where there is to be one.
    async fn after_failure(&mut self, failure: Failure<P::Position>) -> Result<Then, Arc<Error>> {
        if !failure.error.is_retryable() {
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
