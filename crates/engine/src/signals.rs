//! What interrupts a run: a stop, a lost claim, or something that management wants.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use projectionist_core::Epoch;
use tokio::sync::Notify;

/// Why a run is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interruption {
    /// Someone asked the projection to stop.
    Stop,
    /// The claim is lost: nothing more can be committed under it.
    ClaimLost,
    /// Management wants something that needs the run to end: the owner looks what, and runs on.
    Attention,
}

/// What is held while no claim is: it cannot be lost.
const NO_CLAIM: u64 = u64::MAX;

/// The signals of one projection. Looking at them is a few loads, so that a run can look between
/// any two envelopes.
#[derive(Debug)]
pub(crate) struct Signals {
    stop: AtomicBool,
    /// The epoch of the claim that is held.
    held: AtomicU64,
    /// Claims with an epoch below this one are lost. A late word of an older claim's renewal
    /// cannot end the present claim.
    lost_below: AtomicU64,
    attention: AtomicBool,
    /// The lane is gone: nothing more is committed, and nothing is waited for.
    abandoned: AtomicBool,
    /// The lane will have no more records: that its stream ends is no failure.
    may_end: AtomicBool,
    changed: Notify,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            stop: AtomicBool::new(false),
            held: AtomicU64::new(NO_CLAIM),
            lost_below: AtomicU64::new(0),
            attention: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            may_end: AtomicBool::new(false),
            changed: Notify::new(),
        }
    }
}

impl Signals {
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// The lane is gone: the run ends as under a lost claim, without grace for what is in flight,
    /// and no other run follows.
    pub(crate) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Release);
        self.stop();
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    /// The lane will have no more records.
    pub(crate) fn let_end(&self) {
        self.may_end.store(true, Ordering::Release);
    }

    /// Whether a followed stream may end.
    pub(crate) fn may_end(&self) -> bool {
        self.may_end.load(Ordering::Acquire)
    }

    /// Management wants something.
    pub(crate) fn ask_attention(&self) {
        self.attention.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    /// The owner looks what management wants: called before it looks, so that what comes while it
    /// looks interrupts it again.
    pub(crate) fn attention_given(&self) {
        self.attention.store(false, Ordering::Release);
    }

    /// The claim with this epoch cannot be used any more.
    pub(crate) fn lose_claim(&self, epoch: Epoch) {
        self.lost_below
            .fetch_max(epoch.0.saturating_add(1), Ordering::AcqRel);
        self.changed.notify_waiters();
    }

    /// Whether a claim is held.
    pub(crate) fn holds_claim(&self) -> bool {
        self.held.load(Ordering::Acquire) != NO_CLAIM
    }

    /// No claim is held: none can be lost until the next one is granted.
    pub(crate) fn claim_given_up(&self) {
        self.held.store(NO_CLAIM, Ordering::Release);
    }

    /// A new claim was granted.
    pub(crate) fn claim_granted(&self, epoch: Epoch) {
        self.held.store(epoch.0, Ordering::Release);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    pub(crate) fn current(&self) -> Option<Interruption> {
        let wanted = || self.attention.load(Ordering::Acquire);
        self.ending()
            .or_else(|| wanted().then_some(Interruption::Attention))
    }

    /// A stop, or the loss of the claim.
    fn ending(&self) -> Option<Interruption> {
        if self.is_abandoned() {
            Some(Interruption::ClaimLost)
        } else if self.is_stopping() {
            Some(Interruption::Stop)
        } else if self.held.load(Ordering::Acquire) < self.lost_below.load(Ordering::Acquire) {
            Some(Interruption::ClaimLost)
        } else {
            None
        }
    }

    /// Waits for an interruption.
    pub(crate) async fn raised(&self) -> Interruption {
        self.until(|| self.current()).await
    }

    /// Waits for a stop or the loss of the claim: for what does not heed management, or has to be
    /// done before it can be heeded.
    pub(crate) async fn ended(&self) -> Interruption {
        self.until(|| self.ending()).await
    }

    /// Waits until there is something to see.
    async fn until<T>(&self, look: impl Fn() -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Enlisted before the look, so that a signal between the look and the wait is seen.
            changed.as_mut().enable();
            if let Some(seen) = look() {
                return seen;
            }
            changed.await;
        }
    }

    /// Waits for `call`; after an interruption no longer than `grace`. A call is not begun for a
    /// lane that is gone.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn moves its arguments once more when it is first polled, which costs as \
                  much as many a call"
    )]
    pub(crate) fn within<T>(
        &self,
        grace: Duration,
        call: impl Future<Output = T>,
    ) -> impl Future<Output = Result<T, Interruption>> {
        async move {
            if self.is_abandoned() {
                return Err(Interruption::ClaimLost);
            }
            let mut call = pin!(call);
            // Made bare: most stores answer at once, and to set up a wait would cost more than that.
            if let Poll::Ready(answer) = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
                return Ok(answer);
            }
            tokio::select! {
                biased;
                answer = call => Ok(answer),
                interruption = self.raised_for(grace) => Err(interruption),
            }
        }
    }

    /// Waits for an interruption and then `grace` more, for what may still end by itself; no longer
    /// than the lane is ours.
    pub(crate) async fn raised_for(&self, grace: Duration) -> Interruption {
        let interruption = self.raised().await;
        let abandoned = self.until(|| self.is_abandoned().then_some(Interruption::ClaimLost));
        tokio::select! {
            biased;
            abandoned = abandoned => abandoned,
            () = tokio::time::sleep(grace) => interruption,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_in_flight_has_no_grace_once_the_lane_is_gone() {
        let (signals, grace) = (Signals::default(), Duration::from_secs(10));
        signals.stop();
        let abandon = async {
            tokio::time::sleep(grace / 2).await; // a workload, not a wait
            signals.abandon();
        };
        let began = tokio::time::Instant::now();
        let (interruption, ()) = tokio::join!(signals.raised_for(grace), abandon);
        assert_eq!(interruption, Interruption::ClaimLost);
        assert_eq!(began.elapsed(), grace / 2);
        let begun = signals.within(grace, async { unreachable!("it is not begun") });
        assert_eq!(begun.await, Err::<(), _>(Interruption::ClaimLost));
    }

    #[test]
    fn a_late_word_of_an_older_claim_does_not_end_the_present_one() {
        let signals = Signals::default();
        signals.claim_granted(Epoch(1));
        assert_eq!(signals.current(), None);
        signals.lose_claim(Epoch(1));
        assert_eq!(signals.current(), Some(Interruption::ClaimLost));
        signals.claim_given_up();
        assert_eq!(signals.current(), None);
        signals.claim_granted(Epoch(2));
        signals.lose_claim(Epoch(1));
        assert_eq!(signals.current(), None);
        signals.lose_claim(Epoch(2));
        assert_eq!(signals.current(), Some(Interruption::ClaimLost));
        signals.stop();
        assert_eq!(signals.current(), Some(Interruption::Stop));
    }
}
