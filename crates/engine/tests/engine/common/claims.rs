//! What the tests of claims share: projections, a store on the test's clock, and waits.

use std::sync::Arc;

use projectionist_core::Epoch;
use projectionist_core::contract::Mode;
use projectionist_engine::{ClaimConfig, ProjectionHandle, ProjectionStatus, SaveConfig, WhenHeld};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, RecordingHandler, TestClock, TestSource};

use super::SteeredStore;
use super::model::Model;

/// At-least-once, saving every envelope.
pub fn single(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> super::single::Blueprint<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    let save = SaveConfig {
        after_envelopes: 1,
        ..SaveConfig::default()
    };
    super::single::projection(source, store, recorder).with_save(save)
}

/// Exactly-once in groups of three.
pub fn grouped(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> super::grouped::Blueprint<impl Fn() -> Model + Clone + Send + Sync + use<>> {
    super::grouped::projection(source, store, recorder).with_mode(Mode::Live)
}

pub fn held(when_held: WhenHeld) -> ClaimConfig {
    ClaimConfig {
        when_held,
        ..ClaimConfig::default()
    }
}

/// A store whose clock keeps step with the test.
pub fn clocked_store() -> (SteeredStore, TestClock) {
    let clock = TestClock::new();
    let store = MemoryStore::with_clock(Arc::new(clock.clone()));
    (SteeredStore::over(store), clock)
}

/// Waits until it stands by; gives the holder that it names.
pub async fn stands_by(handle: &ProjectionHandle) -> String {
    let mut status = handle.status_receiver();
    let standing =
        |status: &ProjectionStatus| matches!(status, ProjectionStatus::StandingBy { .. });
    match status.wait_for(standing).await {
        ProjectionStatus::StandingBy { holder } => holder,
        other => unreachable!("{other:?} is not waited for"),
    }
}

/// Waits until it runs under the claim of this epoch.
pub async fn runs_under(handle: &ProjectionHandle, epoch: u64) {
    let expected = Epoch(epoch);
    let mut status = handle.status_receiver();
    let running = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Running { epoch } if *epoch == expected);
    status.wait_for(running).await;
}
