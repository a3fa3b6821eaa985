//! A flow that gives nothing back is seen to do so.

use projectionist_engine::{FlowConfig, ProjectionHandle, ProjectionStatus, SaveConfig};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestSource, eventually, pass};

use super::flows::{Gate, Log, gated, projection, spawn};
use crate::common::{numbers, secs, stored};

/// The position and the reason, when it is blocked.
fn blocked(running: &ProjectionHandle) -> Option<(String, String)> {
    match running.status() {
        ProjectionStatus::Blocked { reason, offset } => Some((offset.text, reason)),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn the_status_names_the_first_envelope_that_does_not_come_out() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    gate.open([1, 2, 5]);
    // 1 was the first one when it began to look, and came out: one more turn.
    pass(secs(9)).await;
    assert_eq!(blocked(&running), None);
    pass(secs(12)).await;
    let (offset, reason) = blocked(&running).unwrap();
    assert_eq!(offset, "3");
    assert!(
        reason.contains("3 in flight") && reason.contains("10s"),
        "{reason}"
    );
    gate.open([3]);
    pass(secs(1)).await;
    assert!(running.status().epoch().is_some(), "{:?}", running.status());
    pass(secs(21)).await;
    assert_eq!(blocked(&running).unwrap().0, "4");
    gate.open([4, 6]);
    pass(secs(1)).await;
    assert!(matches!(running.status(), ProjectionStatus::Idle { .. }));
    pass(secs(60)).await;
    assert_eq!(blocked(&running), None, "nothing is in flight");
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_goes_on_is_not_stalled_however_slow_it_is() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    for event in 1..=9 {
        pass(secs(9)).await;
        assert_eq!(blocked(&running), None, "before {event}");
        gate.open([event]);
    }
    pass(secs(1)).await;
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_reason_says_when_the_flow_gets_no_more() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let save = SaveConfig {
        max_unsaved: 4,
        ..SaveConfig::default()
    };
    let flow = FlowConfig {
        stalled_after: secs(2),
        ..FlowConfig::default()
    };
    let projection = projection(&source, &store, &log, gated(&log, &gate));
    let running = spawn(projection.with_save(save).with_flow(flow));
    pass(secs(3)).await;
    let (offset, reason) = blocked(&running).unwrap();
    assert_eq!(offset, "1");
    assert!(reason.contains("no more before"), "{reason}");
    gate.open(1..=9);
    eventually("goes on", async || log.handled().len() == 9).await;
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_envelope_that_stalls_can_be_skipped_by_command() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    gate.open([1, 2, 4, 5, 6]);
    let projection = projection(&source, &store, &log, gated(&log, &gate));
    let running = spawn(projection.with_stop_timeout(secs(1)));
    let mut status = running.status_receiver();
    status
        .wait_for(|status| matches!(status, ProjectionStatus::Blocked { .. }))
        .await;
    assert_eq!(running.skip_current().await.unwrap().text, "3");
    eventually("passed", async || stored(&store).await == Some(6)).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(
        log.sorted(),
        [1, 2, 4, 5, 6],
        "what was ahead comes not again"
    );
}
