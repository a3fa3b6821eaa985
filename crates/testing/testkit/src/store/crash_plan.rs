//! When a process dies.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A moment in the life of a projection at which its process can die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CrashPoint {
    /// The handler has done its work, and nothing that follows happens. Needs a handler that is
    /// [watched](super::CrashStore::handler). In a transaction what it wrote is rolled back.
    AfterHandle,
    /// A commit is on its way to the store and does not arrive.
    BeforeSave,
    /// A commit has taken effect, and its answer does not arrive.
    AfterSave,
    /// A transaction with everything that the handler wrote is open; it is rolled back instead of
    /// being committed.
    InTransaction,
    /// A transaction is committed, and the answer does not arrive.
    AtCommit,
}

impl CrashPoint {
    /// All of them, for tests that try each.
    pub const ALL: [Self; 5] = [
        Self::AfterHandle,
        Self::BeforeSave,
        Self::AfterSave,
        Self::InTransaction,
        Self::AtCommit,
    ];
}

/// How often each point was reached, and where the process dies. A clone is the same plan.
#[derive(Clone, Debug, Default)]
pub(super) struct CrashPlan(Arc<Mutex<Plan>>);

#[derive(Debug, Default)]
struct Plan {
    reached: BTreeMap<CrashPoint, u64>,
    planned: Vec<(CrashPoint, u64)>,
}

impl CrashPlan {
    /// The process dies when `point` is reached for the `count`th time, from the beginning.
    pub(super) fn add(&self, point: CrashPoint, count: u64) {
        self.with(|plan| plan.planned.push((point, count)));
    }

    /// Notes that `point` is reached; `true` when the process dies there.
    pub(super) fn reach(&self, point: CrashPoint) -> bool {
        self.with(|plan| {
            let count = plan.reached.entry(point).or_default();
            *count += 1;
            plan.planned.contains(&(point, *count))
        })
    }

    pub(super) fn reached(&self, point: CrashPoint) -> u64 {
        self.with(|plan| plan.reached.get(&point).copied().unwrap_or_default())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Plan) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
