//! The keys of a lane that are parked now, and when each is tried again.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{BoxError, Counters, ParkedKey, Result};
use projectionist_telemetry::LaneMetrics;
use tokio::time::{Instant, Sleep, sleep_until};

use super::{ParkConfig, ParkRule};
use crate::Recovery;
use crate::delivery::Incarnation;
use crate::recovery::drive::panic_message;

/// The keys of a lane that are parked now, and when each is tried again.
///
/// It holds no envelopes: those are in the store, or in the commit that brings them there.
pub(crate) struct Lot<'a, P: SourceProvider, R> {
    rule: &'a R,
    config: ParkConfig,
    metrics: &'a LaneMetrics,
    keys: HashMap<Arc<str>, Waiting>,
    /// The keys by the time at which they are tried again.
    schedule: BTreeSet<(Instant, Arc<str>)>,
    envelopes: u64,
    /// The positions above the offset that are parked already: a store whose commits are two steps
    /// had done the first of one when its owner died.
    ahead: BTreeSet<P::Position>,
    /// The key that was looked at last.
    key: String,
    timer: Option<Pin<Box<Sleep>>>,
}

/// A key that is parked.
#[derive(Debug)]
struct Waiting {
    envelopes: u64,
    /// When it is tried again; `None` when that time cannot be named.
    due: Option<Instant>,
}

impl<'a, P: SourceProvider, R> Lot<'a, P, R> {
    /// Reads what of the lane is parked.
    pub(crate) async fn load<'r: 'a, S>(
        rule: &'a R,
        run: &mut Incarnation<'r, P, S>,
    ) -> Result<Self>
    where
        S: OffsetStore,
        R: ParkRule<P, S>,
    {
        let mut lot = Self {
            rule,
            config: rule.config(),
            metrics: run.shared.metrics(),
            keys: HashMap::new(),
            schedule: BTreeSet::new(),
            envelopes: 0,
            ahead: BTreeSet::new(),
            key: String::new(),
            timer: None,
        };
        if !R::PARKS {
            return Ok(lot);
        }
        let lane = &run.claim.lane;
        let keys = R::parked_keys(run.store, lane).await?;
        let now = run.clock.now();
        for ParkedKey { first, envelopes } in &keys {
            // A first one that was never tried itself has only waited for those before it.
            let wait = first.tried_at.map_or(Duration::ZERO, |tried_at| {
                let backoff = lot.config.backoff(first.attempts);
                backoff.saturating_sub(now.since(tried_at))
            });
            lot.envelopes += envelopes;
            let waiting = Waiting {
                envelopes: *envelopes,
                due: None,
            };
            lot.keys.insert(first.key.as_str().into(), waiting);
            lot.is_due_after(&first.key, wait);
        }
        let counters = run.store.lane(lane).await?.unwrap_or_default().counters;
        lot.metrics.claimed(&counters);
        lot.tell_keys();
        if !run.store.capabilities().atomic_commit {
            lot.find_ahead(run, &keys).await?;
            run.progress
                .count(|count| count.add(&lot.correction(&counters)));
        }
        Ok(lot)
    }

    /// Finds what is parked above the offset.
    async fn find_ahead<S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        keys: &[ParkedKey],
    ) -> Result<()>
    where
        S: OffsetStore,
        R: ParkRule<P, S>,
    {
        let lane = &run.claim.lane;
        for key in keys {
            for parked in R::parked(run.store, lane, &key.first.key, usize::MAX).await? {
                let position = parked.offset.position(lane)?;
                if run.progress.low().is_none_or(|low| position > *low) {
                    self.ahead.insert(position);
                }
            }
        }
        Ok(())
    }

    /// What is to be counted so that the counters say how much is parked, where those of a commit
    /// that was cut in two do not.
    fn correction(&self, counters: &Counters) -> Counters {
        let more = self.envelopes.saturating_sub(counters.parked());
        let fewer = counters.parked().saturating_sub(self.envelopes);
        Counters {
            read: more,
            parked_total: more,
            unparked_total: fewer,
            ..Counters::ZERO
        }
    }

    /// What is done when an attempt at an envelope fails that is not parked.
    pub(crate) fn recovery<S>(&self, run: &Incarnation<'_, P, S>) -> Recovery
    where
        R: ParkRule<P, S>,
    {
        if R::PARKS {
            self.config.recovery()
        } else {
            run.settings.failures.recovery
        }
    }

    pub(crate) fn config(&self) -> &ParkConfig {
        &self.config
    }

    /// Whether nothing is parked.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the envelope at `position` is parked already, and comes once more. Asked once for
    /// each.
    pub(crate) fn has_parked(&mut self, position: &P::Position) -> bool {
        !self.ahead.is_empty() && self.ahead.remove(position)
    }

    /// Looks at the key of `envelope`; gives whether it is parked.
    pub(crate) fn look_at<S>(&mut self, envelope: &P::Envelope) -> Result<bool, BoxError>
    where
        R: ParkRule<P, S>,
    {
        let (rule, key) = (self.rule, &mut self.key);
        key.clear();
        let told = catch_unwind(AssertUnwindSafe(|| rule.key(envelope, key)));
        if let Err(payload) = told {
            return Err(panic_message("the key function", payload.as_ref()).into());
        }
        Ok(self.keys.contains_key(self.key.as_str()))
    }

    /// The key that was looked at last.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// Why no envelope of the key that was looked at last can be parked now; `None` when one can.
    pub(crate) fn is_full(&self) -> Option<String> {
        let ParkConfig {
            max_keys,
            max_envelopes,
            ..
        } = self.config;
        let key = &self.key;
        let because = if self.envelopes >= max_envelopes as u64 {
            format!(
                "{} envelopes are parked, max_envelopes is {max_envelopes}",
                self.envelopes
            )
        } else if self.keys.len() >= max_keys && !self.keys.contains_key(key.as_str()) {
            format!(
                "{} keys are parked, max_keys is {max_keys}",
                self.keys.len()
            )
        } else {
            return None;
        };
        Some(format!(
            "key `{key}` cannot be parked: {because}; mend what is parked, or raise the bound"
        ))
    }

    /// An envelope of the key that was looked at last is parked: after so many attempts, or behind
    /// another one.
    pub(crate) fn take_in(&mut self, attempts: Option<u32>) {
        self.envelopes += 1;
        if let Some(waiting) = self.keys.get_mut(self.key.as_str()) {
            waiting.envelopes += 1;
            return;
        }
        let waiting = Waiting {
            envelopes: 1,
            due: None,
        };
        let key: Arc<str> = self.key.as_str().into();
        self.keys.insert(Arc::clone(&key), waiting);
        self.is_due_after(&key, self.config.backoff(attempts.unwrap_or_default()));
        self.tell_keys();
    }

    /// An envelope of `key` is let go; gives how many of it are left.
    pub(crate) fn let_go(&mut self, key: &str) -> u64 {
        self.envelopes = self.envelopes.saturating_sub(1);
        let Some(waiting) = self.keys.get_mut(key) else {
            return 0;
        };
        waiting.envelopes = waiting.envelopes.saturating_sub(1);
        let left = waiting.envelopes;
        if left == 0 {
            self.forget(key);
        }
        left
    }

    /// Nothing of `key` is parked any more.
    pub(crate) fn forget(&mut self, key: &str) {
        self.is_due_at(key, None);
        if let Some(waiting) = self.keys.remove(key) {
            self.envelopes = self.envelopes.saturating_sub(waiting.envelopes);
        }
        self.tell_keys();
    }

    /// Has `key`, or every key, tried now; gives whether it is parked.
    pub(crate) fn make_due(&mut self, key: Option<&str>) -> bool {
        let Some(key) = key else {
            for key in self.keys.keys().cloned().collect::<Vec<_>>() {
                self.is_due_after(&key, Duration::ZERO);
            }
            return true;
        };
        self.is_due_after(key, Duration::ZERO);
        self.keys.contains_key(key)
    }

    /// Has `key` tried again after `wait`.
    pub(crate) fn is_due_after(&mut self, key: &str, wait: Duration) {
        self.is_due_at(key, Instant::now().checked_add(wait));
    }

    fn is_due_at(&mut self, key: &str, due: Option<Instant>) {
        let Some((key, waiting)) = self.keys.get_key_value(key) else {
            return;
        };
        let key = Arc::clone(key);
        if let Some(before) = waiting.due {
            self.schedule.remove(&(before, Arc::clone(&key)));
        }
        if let Some(waiting) = self.keys.get_mut(&key) {
            waiting.due = due;
        }
        self.schedule.extend(due.map(|due| (due, key)));
    }

    /// The key that is to be tried by `time` and has waited longest.
    pub(crate) fn due_by(&self, time: Instant) -> Option<Arc<str>> {
        let (due, key) = self.schedule.first()?;
        (*due <= time).then(|| Arc::clone(key))
    }

    /// The key that is to be tried now and has waited longest.
    pub(crate) fn due_now(&self) -> Option<Arc<str>> {
        // The clock is looked at only when something is parked.
        self.schedule.first()?;
        self.due_by(Instant::now())
    }

    /// A turn of `key` is over in which nothing failed: it has its next one after all others that
    /// are due. Gives whether there is more of it.
    pub(crate) fn takes_turns(&mut self, key: &str) -> bool {
        self.is_due_after(key, Duration::ZERO);
        self.keys.contains_key(key)
    }

    /// Whether a key is to be tried now, or `time` has come; if not, the task is woken when so.
    pub(crate) fn poll_due(&mut self, cx: &mut Context<'_>, time: Option<Instant>) -> bool {
        let next = self.schedule.first().map(|(due, _)| *due);
        let Some(next) = next.into_iter().chain(time).min() else {
            return false;
        };
        if next <= Instant::now() {
            return true;
        }
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(next)));
        if timer.deadline() != next {
            timer.as_mut().reset(next);
        }
        timer.as_mut().poll(cx).is_ready()
    }

    fn tell_keys(&self) {
        self.metrics.parked_keys(self.keys.len());
    }
}
