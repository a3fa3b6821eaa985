//! One process: its runtime, its connection to the store, and its projection over lanes.

use std::collections::BTreeMap;
use std::sync::Arc;

use projectionist_engine::{
    GroupConfig, LanedProjection, LanedProjectionHandle, Projection, ProjectionRuntime,
    RestartBackoff, SaveConfig,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{CrashPoint, CrashStore, Recorder, TestLanes};

use crate::common::model::Model;
use crate::common::store::Verb;
use crate::common::{SteeredStore, millis, secs};
use crate::lane_moves::ledger::Ledger;

/// Which guarantee is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guarantee {
    AtLeastOnce,
    GroupedExactlyOnce,
}

/// The bound on what a disruption repeats of a lane.
pub(crate) const MAX_UNSAVED: u64 = 8;

const STORE_CALLS: [Verb; 7] = [
    Verb::Claim,
    Verb::Renew,
    Verb::Release,
    Verb::Begin,
    Verb::Commit,
    Verb::Load,
    Verb::Manage,
];

/// What handled the events of each lane, whichever process did.
pub(crate) type Recorders = Arc<BTreeMap<String, Recorder<u64>>>;

/// One process.
pub(crate) struct Process {
    guarantee: Guarantee,
    steered: SteeredStore,
    dying: CrashStore<SteeredStore>,
    handle: LanedProjectionHandle,
    pub(crate) is_frozen: bool,
}

impl Process {
    pub(crate) fn start(
        guarantee: Guarantee,
        lanes: TestLanes<u64>,
        store: &MemoryStore,
        recorders: &Recorders,
        ledger: &Ledger,
    ) -> Self {
        let steered = SteeredStore::over(store.clone());
        let dying = CrashStore::over(steered.clone());
        let handle = match guarantee {
            Guarantee::AtLeastOnce => singles(lanes, &dying, recorders, ledger),
            Guarantee::GroupedExactlyOnce => groups(lanes, &dying, recorders, ledger),
        };
        Self {
            guarantee,
            steered,
            dying,
            handle,
            is_frozen: false,
        }
    }

    /// No call to the store is answered until it thaws, and none takes effect.
    pub(crate) fn freeze(&mut self) {
        self.is_frozen = true;
        STORE_CALLS.iter().for_each(|verb| self.steered.hold(*verb));
    }

    pub(crate) fn thaw(&mut self) {
        self.is_frozen = false;
        STORE_CALLS
            .iter()
            .for_each(|verb| self.steered.let_go(*verb));
    }

    /// It dies the next time that it comes to `draw` among the points that its guarantee has.
    pub(crate) fn plan_death(&self, draw: u64) {
        let points = match self.guarantee {
            Guarantee::AtLeastOnce => [
                CrashPoint::AfterHandle,
                CrashPoint::BeforeSave,
                CrashPoint::AfterSave,
            ],
            Guarantee::GroupedExactlyOnce => [
                CrashPoint::AfterHandle,
                CrashPoint::InTransaction,
                CrashPoint::AtCommit,
            ],
        };
        let point = points[usize::try_from(draw % 3).unwrap()];
        self.dying.crash_at(point, self.dying.reached(point) + 1);
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dying.has_crashed()
    }

    pub(crate) async fn stop(self) {
        let stopped = tokio::time::timeout(secs(300), self.handle.stop_and_wait());
        stopped.await.expect("a stop ends").unwrap();
    }
}

fn singles(
    lanes: TestLanes<u64>,
    dying: &CrashStore<SteeredStore>,
    recorders: &Recorders,
    ledger: &Ledger,
) -> LanedProjectionHandle {
    let (store, recorders, ledger) = (dying.clone(), Arc::clone(recorders), ledger.clone());
    let template = move |id: projectionist_core::ProjectionId, provider| {
        let (watched, recorder) = (store.clone(), recorders[id.key()].clone());
        let factory = move || watched.handler(recorder.handler());
        Projection::at_least_once(id, provider, store.clone(), factory)
            .with_save(SaveConfig {
                after_envelopes: 3,
                max_unsaved: MAX_UNSAVED,
                ..SaveConfig::default()
            })
            .with_restart(restarts())
            .with_observer(ledger.witness())
    };
    LanedProjection::new("orders", lanes, dying.clone(), template)
        .with_restart(restarts())
        .spawn(&ProjectionRuntime::new())
        .unwrap()
}

fn groups(
    lanes: TestLanes<u64>,
    dying: &CrashStore<SteeredStore>,
    recorders: &Recorders,
    ledger: &Ledger,
) -> LanedProjectionHandle {
    let (store, recorders, ledger) = (dying.clone(), Arc::clone(recorders), ledger.clone());
    let template = move |id: projectionist_core::ProjectionId, provider| {
        let (watched, recorder) = (store.clone(), recorders[id.key()].clone());
        let factory = move || watched.handler(Model::of(&recorder));
        Projection::grouped_exactly_once(id, provider, store.clone(), factory)
            .with_group(GroupConfig {
                max_envelopes: 4,
                ..GroupConfig::default()
            })
            .with_restart(restarts())
            .with_observer(ledger.witness())
    };
    LanedProjection::new("orders", lanes, dying.clone(), template)
        .with_restart(restarts())
        .spawn(&ProjectionRuntime::new())
        .unwrap()
}

fn restarts() -> RestartBackoff {
    RestartBackoff {
        min_backoff: millis(100),
        max_backoff: secs(1),
        random_factor: 0.0,
        ..RestartBackoff::default()
    }
}
