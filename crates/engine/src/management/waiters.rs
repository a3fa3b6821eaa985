//! Those who wait until a position is processed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
    /// An envelope is handled whose position was stored before.
    is_handling: AtomicBool,
    /// That envelope, while its call waits.
    handled_now: Mutex<Option<Position>>,
    /// Whether `handled_now` names one.
    is_named: AtomicBool,
}

impl<Position> Default for Waiters<Position> {
    fn default() -> Self {
        Self {
            count: AtomicUsize::new(0),
            waiting: Mutex::new(Vec::new()),
            run: AtomicWaker::new(),
            is_handling: AtomicBool::new(false),
            handled_now: Mutex::new(None),
            is_named: AtomicBool::new(false),
        }
    }
}

/// An envelope in flight; see [`Waiters::handling`].
pub(crate) struct InFlight<'a, Position: Ord>(&'a Waiters<Position>);

impl<Position: Ord> Drop for InFlight<'_, Position> {
    fn drop(&mut self) {
        self.0.handled();
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

    /// An envelope is to be handled whose position is stored before, until what this gives is
    /// dropped. Said before it is stored, so that whoever sees it stored sees this as well.
    pub(crate) fn handling(&self) -> InFlight<'_, Position> {
        self.is_handling.store(true, Ordering::Release);
        InFlight(self)
    }

    /// The call of the envelope that is handled now waits: whoever waits for an earlier one is told,
    /// now and as long as it waits.
    ///
    /// Which one it is, is written down only here: most calls are over at once, and a lock for each
    /// would cost more than the call.
    pub(crate) fn handling_waits(&self, position: &Position)
    where
        Position: Clone,
    {
        let mut now = self.handled_now();
        if now.is_none() {
            *now = Some(position.clone());
            self.is_named.store(true, Ordering::Relaxed);
            drop(now);
            self.pass_where(|earlier| earlier < position);
        }
    }

    /// Nothing is handled any more whose position was stored before.
    fn handled(&self) {
        self.is_handling.store(false, Ordering::Release);
        // Set by the same task alone.
        if self.is_named.load(Ordering::Relaxed) {
            self.is_named.store(false, Ordering::Relaxed);
            *self.handled_now() = None;
        }
    }

    /// The store holds `low`: everything up to it is processed, but for what is handled now. While
    /// it is not known which one that is, nobody is told: the call ends or waits in a moment, and
    /// either tells them.
    pub(crate) fn stored(&self, low: &Position) {
        if !self.is_handling.load(Ordering::Acquire) {
            self.pass_where(|position| position <= low);
        } else if let Some(now) = self.handled_now().as_ref() {
            self.pass_where(|position| position <= low && position != now);
        }
    }

    fn handled_now(&self) -> MutexGuard<'_, Option<Position>> {
        let now = self.handled_now.lock();
        now.unwrap_or_else(PoisonError::into_inner)
    }

    /// Everything up to `low` is processed.
    #[inline]
    pub(crate) fn passed(&self, low: Option<&Position>) {
        if self.are_there()
            && let Some(low) = low
        {
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
