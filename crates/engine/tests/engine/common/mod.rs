//! What the tests of the engine share: identities, short restarts, a store that a test steers, and
//! the crash of a process.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary uses a part of it"
)]

pub mod claims;
pub mod crash;
pub mod grouped;
pub mod model;
pub mod modes;
pub mod random;
pub mod single;
pub mod steered_management;
pub mod store;

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Counters, LaneState, ProjectionId};
use projectionist_engine::RestartBackoff;
pub use store::SteeredStore;

/// The projection under test.
pub fn id() -> ProjectionId {
    ProjectionId::new("orders", "all").unwrap()
}

/// The numbers `1..=last` as events: event and position are the same.
pub fn numbers(last: u64) -> Vec<u64> {
    (1..=last).collect()
}

/// Seconds.
pub fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Milliseconds.
pub fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Restarts without jitter: after 1 s, 2 s, 4 s and so on to 30 s.
pub fn steady_restarts() -> RestartBackoff {
    RestartBackoff {
        min_backoff: secs(1),
        max_backoff: secs(30),
        random_factor: 0.0,
        ..RestartBackoff::default()
    }
}

/// No restart at all.
pub fn no_restart() -> RestartBackoff {
    RestartBackoff {
        max_restarts: Some(0),
        ..steady_restarts()
    }
}

/// The counters of so many events that were handled.
pub fn applied(events: u64) -> Counters {
    Counters {
        read: events,
        applied: events,
        ..Counters::ZERO
    }
}

/// The row of the projection under test.
pub async fn lane<S: OffsetStore>(store: &S) -> LaneState {
    store.lane(&id()).await.unwrap().unwrap()
}

/// The stored offset of the projection under test, as the number that it is.
pub async fn stored<S: OffsetStore>(store: &S) -> Option<u64> {
    let lane = store.lane(&id()).await.unwrap()?;
    lane.offset.map(|offset| offset.text.parse().unwrap())
}

/// Waits until `source` was opened `times`.
pub async fn is_opened<E>(source: &projectionist_testkit::TestSource<E>, times: usize) {
    projectionist_testkit::eventually("the source is opened", async || source.opened() >= times)
        .await;
}
