//! Which of several futures of one task were woken.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use futures::task::AtomicWaker;

/// Which of several futures of one task are to be polled. Their wakers are made once.
#[derive(Debug)]
pub(super) struct Wakes {
    woken: Vec<AtomicBool>,
    task: AtomicWaker,
}

/// Wakes one of them.
struct One {
    wakes: Arc<Wakes>,
    at: usize,
}

impl Wakes {
    /// For so many futures; all are to be polled.
    pub(super) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            woken: (0..count).map(|_| AtomicBool::new(true)).collect(),
            task: AtomicWaker::new(),
        })
    }

    /// How many futures there are.
    pub(super) fn len(&self) -> usize {
        self.woken.len()
    }

    /// The waker of each future.
    pub(super) fn wakers(self: &Arc<Self>) -> Vec<Waker> {
        let wakers = (0..self.woken.len()).map(|at| {
            let wakes = Arc::clone(self);
            Waker::from(Arc::new(One { wakes, at }))
        });
        wakers.collect()
    }

    /// The task that polls them.
    pub(super) fn register(&self, task: &Waker) {
        self.task.register(task);
    }

    /// The future is to be polled; the task looks by itself.
    pub(super) fn mark(&self, at: usize) {
        if let Some(woken) = self.woken.get(at) {
            woken.store(true, Ordering::Release);
        }
    }

    /// All are to be polled; the task looks by itself.
    pub(super) fn mark_all(&self) {
        for woken in &self.woken {
            woken.store(true, Ordering::Release);
        }
    }

    /// Whether the future is to be polled; from now on it is not.
    pub(super) fn take(&self, at: usize) -> bool {
        let woken = self.woken.get(at);
        // A plain look first: it is cheaper, and most are not woken.
        woken.is_some_and(|woken| {
            woken.load(Ordering::Acquire) && woken.swap(false, Ordering::AcqRel)
        })
    }
}

impl Wake for One {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.mark(self.at);
        self.wakes.task.wake();
    }
}
