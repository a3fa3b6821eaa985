//! Those who wait until a position is processed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Context;

use futures::task::AtomicWaker;

use super::desk::Reply;

/// Those who wait until a position is processed. While nobody waits, asking costs one load.
#[derive(Debug)]
pub(crate) struct Waiters<Position> {
    count: AtomicUsize,
    waiting: Mutex<Vec<(Position, Reply<()>)>>,
    /// The run, when it waits for something else.
    run: AtomicWaker,
    /// The envelope that is handled now, where its position is stored before.
    handled_now: Mutex<Option<Position>>,
}

impl<Position> Default for Waiters<Position> {
    fn default() -> Self {
        Self {
            count: AtomicUsize::new(0),
            waiting: Mutex::new(Vec::new()),
            run: AtomicWaker::new(),
            handled_now: Mutex::new(None),
        }
    }
}

impl<Position: Ord> Waiters<Position> {
    /// Adds one.
    pub(crate) fn add(&self, position: Position, waiter: Reply<()>) {
        let mut waiting = self.lock();
        waiting.retain(|(_, waiter)| !waiter.is_closed());
        waiting.push((position, waiter));
        self.count.store(waiting.len(), Ordering::Release);
        self.run.wake();
    }

    /// Whether somebody waits.
    pub(crate) fn are_there(&self) -> bool {
        self.count.load(Ordering::Acquire) > 0
    }

    /// As [`passed`](Self::passed); who comes later wakes this task, which calls it again.
    pub(crate) fn attend(&self, cx: &Context<'_>, low: Option<&Position>) {
        self.run.register(cx.waker());
        self.passed(low);
    }

    /// The envelope that is handled now, where its position is stored before it is handled.
    pub(crate) fn handling(&self, position: Option<Position>) {
        let now = self.handled_now.lock();
        *now.unwrap_or_else(PoisonError::into_inner) = position;
    }

    /// The store holds `low`: everything up to it is processed, but for what is handled now.
    pub(crate) fn stored(&self, low: &Position) {
        let now = self.handled_now.lock();
        let now = now.unwrap_or_else(PoisonError::into_inner);
        self.pass_where(|position| position <= low && now.as_ref() != Some(position));
    }

    /// Everything up to `low` is processed.
    pub(crate) fn passed(&self, low: Option<&Position>) {
        let Some(low) = low else { return };
        if self.are_there() {
            self.pass_where(|position| position <= low);
        }
    }

    fn pass_where(&self, is_passed: impl Fn(&Position) -> bool) {
        let mut waiting = self.lock();
        for (_, waiter) in waiting.extract_if(.., |(position, _)| is_passed(position)) {
            let _given_up = waiter.send(Ok(()));
        }
        self.count.store(waiting.len(), Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Position, Reply<()>)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
