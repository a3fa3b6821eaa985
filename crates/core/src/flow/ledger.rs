//! What the contexts of one run tell the engine without coming out of the flow.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

use crate::ProjectionId;

/// What became of envelopes whose contexts do not come out of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The flow gave them up on purpose.
    Filtered,
    /// The flow dropped their contexts.
    Lost,
}

/// Envelopes of one run that the flow is done with, by the numbers under which they were fed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenBack {
    /// What became of them.
    pub outcome: Outcome,
    /// Their numbers.
    pub numbers: Range<u64>,
}

/// What the contexts of one run tell the engine. A run that has ended hears nothing more.
pub(super) struct Ledger {
    pub(super) lane: ProjectionId,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    closed: bool,
    given_back: Vec<GivenBack>,
    engine: Option<Waker>,
}

impl Ledger {
    pub(super) fn new(lane: ProjectionId) -> Arc<Self> {
        let told = Mutex::default();
        Arc::new(Self { lane, told })
    }

    /// Tells what became of envelopes; joined with the one before where that is one range.
    pub(super) fn tell(&self, given_back: GivenBack) {
        let engine = {
            let mut told = self.lock();
            if told.closed {
                return;
            }
            match told.given_back.last_mut() {
                Some(last)
                    if last.outcome == given_back.outcome
                        && last.numbers.end == given_back.numbers.start =>
                {
                    last.numbers.end = given_back.numbers.end;
                }
                _ => told.given_back.push(given_back),
            }
            told.engine.take()
        };
        if let Some(engine) = engine {
            engine.wake();
        }
    }

    /// Moves what was told into `given_back`; wakes the task of `cx` at the next word.
    pub(super) fn hear(&self, cx: &Context<'_>, given_back: &mut Vec<GivenBack>) {
        let mut told = self.lock();
        given_back.append(&mut told.given_back);
        set_waker(&mut told.engine, cx);
    }

    /// Nobody listens any more.
    pub(super) fn close(&self) {
        let mut told = self.lock();
        told.closed = true;
        told.given_back.clear();
        told.engine = None;
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}

/// Keeps the waker of `cx`, unless the one that is kept does the same.
pub(super) fn set_waker(kept: &mut Option<Waker>, cx: &Context<'_>) {
    match kept {
        Some(waker) if waker.will_wake(cx.waker()) => {}
        _ => *kept = Some(cx.waker().clone()),
    }
}
