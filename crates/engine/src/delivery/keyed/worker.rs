//! One handler of a keyed run: takes an envelope, handles it, takes the next.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use projectionist_core::contract::{Context, FailureAction, OffsetStore, SourceProvider};
use projectionist_core::{Claim, Defect};

use super::desk::{Desk, Done, Job, Next, lock};
use crate::Settings;
use crate::delivery::handler_slot::{HandlerSlot, hook_ended};
use crate::delivery::incarnation::{Incarnation, RunResult, unplaced};
use crate::delivery::letters::{defect_of, not_vouched_for};
use crate::delivery::observe;
use crate::delivery::single_call::SingleCall;
use crate::recovery::attempts::{Attempts, Decision};
use crate::recovery::drive::{Call, Limits, called, drive};
use crate::signals::Signals;

/// One handler of a keyed run.
pub(super) struct Worker<'c, 'r, 'a, 'f, P: SourceProvider, S, F, H, K> {
    pub(super) at: usize,
    pub(super) desk: &'c Mutex<Desk<'r, 'a, P, S>>,
    pub(super) slot: &'c mut HandlerSlot<'f, F, H>,
    pub(super) key: &'c K,
    pub(super) common: Common<'a, P>,
}

/// What a worker reads without the lock.
pub(super) struct Common<'a, P> {
    pub(super) provider: &'a P,
    pub(super) settings: &'a Settings,
    pub(super) claim: &'a Claim,
    pub(super) signals: &'a Signals,
    pub(super) limits: Limits,
    pub(super) verifies: bool,
}

impl<'a, P: SourceProvider> Common<'a, P> {
    pub(super) fn of<S>(run: &Incarnation<'a, P, S>) -> Self {
        Self {
            provider: run.provider,
            settings: run.settings,
            claim: run.claim.as_ref(),
            signals: run.signals,
            limits: run.limits(),
            verifies: run.verifies,
        }
    }
}

impl<P> Clone for Common<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Common<'_, P> {}

/// What follows an envelope, or a failed attempt at it.
enum Then {
    /// Another attempt.
    Again,
    /// The next envelope; this one is to be settled. `failed` when an attempt at it had failed.
    Applied { failed: bool },
    /// The next envelope.
    Settled,
    /// The run ends.
    Ended,
}

impl<P, S, F, H, K> Worker<'_, '_, '_, '_, P, S, F, H, K>
where
    P: SourceProvider,
    S: OffsetStore,
    F: Fn() -> H + Sync,
    H: SingleCall<P::Envelope>,
    K: Fn(&P::Envelope, &mut String) + Sync,
{
    /// Handles envelopes until the run ends.
    pub(super) async fn work(mut self) {
        let (mut done, mut job) = (None, None);
        loop {
            let next = lock(self.desk).next(self.at, done.take(), &mut job);
            let (key, replay) = match next {
                Next::Job { key, replay } => (key, replay),
                Next::Nothing => {
                    // The dispatch polls it again when there is something.
                    futures::pending!();
                    continue;
                }
                Next::End => return,
            };
            let Some(given) = &job else { continue };
            let applied = match self.handle(given, replay).await {
                Ok(Then::Applied { failed }) => Some((given.ticket, failed)),
                Ok(Then::Settled | Then::Again) => None,
                Ok(Then::Ended) => return,
                Err(failed) => return lock(self.desk).fail(failed),
            };
            // What it kept in memory is let go before anything else is done.
            job = None;
            done = Some(Done { key, applied });
        }
    }

    /// Handles one envelope, with the attempts that recovery allows.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn moves its arguments once more when it is first polled, which costs as \
                  much as many a handler"
    )]
    fn handle(
        &mut self,
        job: &Job<P>,
        replay: bool,
    ) -> impl Future<Output = RunResult<P, Then>> + Send {
        async move {
            let Common {
                provider,
                settings,
                claim,
                signals,
                limits,
                verifies,
            } = self.common;
            if verifies {
                let verified = provider.verify(&job.position).await;
                if !verified.map_err(unplaced)? {
                    self.pass_over(job, not_vouched_for(), 0);
                    return Ok(Then::Settled);
                }
            }
            let mut attempts = Attempts::new(settings.failures.recovery);
            let observer = settings.observer.as_ref();
            let (lane, position) = (&claim.lane, &job.position);
            loop {
                observe(|| observer.before_process(lane, position, 1));
                let context = Context {
                    lane,
                    position,
                    attempt: attempts.number(),
                    replay,
                };
                let called = {
                    // Called within the future, so that a panic of the call itself is met as well.
                    let slot = &mut *self.slot;
                    let call = pin!(async { slot.handler().call(&job.envelope, &context).await });
                    called(call, signals, limits, |_| ()).await
                };
                let Err(trouble) = called else {
                    break;
                };
                match self.failed(job, &mut attempts, *trouble).await? {
                    Then::Again => {}
                    then => return Ok(then),
                }
            }
            observe(|| observer.after_process(lane, position, 1));
            let failed = attempts.number() > 1;
            Ok(Then::Applied { failed })
        }
    }

    /// Meets a failed attempt.
    async fn failed(
        &mut self,
        job: &Job<P>,
        attempts: &mut Attempts,
        trouble: Call,
    ) -> RunResult<P, Then> {
        let (error, broken) = match trouble {
            Call::Returned(Ok(())) => return Ok(Then::Again),
            Call::Returned(Err(error)) => (error, false),
            Call::Broken(error) => (error, true),
            Call::Abandoned(_) => return Ok(Then::Ended),
        };
        if broken {
            self.slot.discard();
        }
        let number = attempts.number();
        let decision = attempts.decide(&error);
        {
            let run = &mut *lock(self.desk).run;
            let action = match decision {
                Decision::Retry(_) => FailureAction::Retry,
                Decision::Skip => FailureAction::Skip,
                Decision::Fail => run.given_up_action(),
            };
            let envelopes = std::slice::from_ref(&job.envelope);
            run.attempt_failed(envelopes, &job.position, number, &error, action);
        }
        let then = match decision {
            Decision::Fail => {
                let run = &*lock(self.desk).run;
                return Err(run.exhausted(job.position.clone(), number, error));
            }
            Decision::Skip => {
                self.pass_over(job, defect_of(&error), number);
                Then::Settled
            }
            Decision::Retry(delay) => {
                let mut key = String::new();
                (self.key)(&job.envelope, &mut key);
                lock(self.desk).hold(job, key, number, delay, &error);
                if !self.waited(delay).await {
                    return Ok(Then::Ended);
                }
                Then::Again
            }
        };
        if broken && !self.replace_handler().await? {
            return Ok(Then::Ended);
        }
        Ok(then)
    }

    /// Settles an envelope that is passed over.
    fn pass_over(&self, job: &Job<P>, defect: Defect, attempts: u32) {
        let mut desk = lock(self.desk);
        let keep = self.common.settings.dead_letters;
        let (counters, letter) = desk.run.passed_over(&job.envelope, defect, attempts, keep);
        desk.settle(&job.ticket, &counters, letter, attempts > 0);
    }

    /// Waits for the next attempt; gives whether there is to be one.
    async fn waited(&mut self, delay: Duration) -> bool {
        let mut over = pin!(tokio::time::sleep(delay));
        poll_fn(|cx| {
            if lock(self.desk).ending.is_some() {
                return Poll::Ready(false);
            }
            over.as_mut().poll(cx).map(|()| true)
        })
        .await
    }

    /// Starts a fresh handler in the place of a broken one; gives whether it may be called.
    async fn replace_handler(&mut self) -> RunResult<P, bool> {
        let Common {
            signals, limits, ..
        } = self.common;
        let limits = Limits::of_a_hook(limits.stop_timeout);
        let replaced = drive(self.slot.replace(), signals, limits, |_| ()).await;
        Ok(hook_ended(&*lock(self.desk).run, replaced)?.is_none())
    }
}
