//! The limits: what they hold up, and what they tell.

use projectionist_engine::{
    KeyedConfig, Projection, ProjectionRuntime, ProjectionStatus, Recovery, RetryDelay,
    WindowLimits,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{LowWaterStore, Recorder, TestSource, pass};

use crate::common::store::Verb;
use crate::common::{SteeredStore, id, lane, numbers, secs, steady_restarts, stored};
use crate::keyed::book::fold;
use crate::keyed::projection::{key, recorded, saving};

fn retrying(delay: u64) -> Recovery {
    Recovery::RetryAndFail {
        retries: 1,
        delay: RetryDelay::Fixed(secs(delay)),
    }
}

/// Runs `numbers(200)` of four keys under these limits while 2 waits for its second attempt; gives
/// why it is blocked and what was handled by then, and lets it end.
async fn blocked(source: TestSource<u64>, window: WindowLimits) -> (String, Vec<u64>) {
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    recorder.fail_at(2, 1);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let config = KeyedConfig {
        handlers: 4,
        window,
    };
    let projection = Projection::at_least_once(id(), source, store.clone(), factory)
        .with_restart(steady_restarts())
        .with_recovery(retrying(600))
        .keyed(config, key(4));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let mut status = handle.status_receiver();
    let is_blocked = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Blocked { .. });
    let reason = match status.wait_for(is_blocked).await {
        ProjectionStatus::Blocked { reason, offset } => {
            assert_eq!(offset.text, "2");
            reason
        }
        other => panic!("{other:?}"),
    };
    pass(secs(60)).await;
    let handled = recorder.handled();
    recorder.has_handled(200).await;
    pass(secs(1)).await;
    assert_eq!(fold(recorder.handled(), 4), fold(numbers(200), 4));
    assert_eq!(stored(&store.inner).await, Some(200));
    assert!(
        matches!(handle.status(), ProjectionStatus::Idle { .. }),
        "{:?}",
        handle.status()
    );
    (reason, handled)
}

fn no_limits() -> WindowLimits {
    WindowLimits {
        max_unsettled: usize::MAX,
        max_unsettled_bytes: usize::MAX,
        max_ranges: usize::MAX,
        max_held: usize::MAX,
    }
}

#[tokio::test(start_paused = true)]
async fn too_many_unsettled_envelopes_block_and_the_key_is_named() {
    let limits = WindowLimits {
        max_unsettled: 10,
        ..no_limits()
    };
    let (reason, handled) = blocked(TestSource::of(numbers(200)), limits).await;
    assert!(
        reason.starts_with("10 envelopes are not settled"),
        "{reason}"
    );
    assert!(reason.contains("`key 2`"), "{reason}");
    // 2, 6, … 38 are ten of the key; all others up to 38 are handled.
    assert_eq!(handled.len(), 28);
}

#[tokio::test(start_paused = true)]
async fn too_many_unsettled_bytes_block() {
    let source = TestSource::of(numbers(200)).with_envelope_bytes(100);
    let limits = WindowLimits {
        max_unsettled_bytes: 950,
        ..no_limits()
    };
    let (reason, handled) = blocked(source, limits).await;
    assert!(reason.starts_with("1000 bytes are not settled"), "{reason}");
    assert_eq!(handled.len(), 28);
}

#[tokio::test(start_paused = true)]
async fn too_many_ranges_block() {
    let limits = WindowLimits {
        max_ranges: 5,
        ..no_limits()
    };
    let (reason, handled) = blocked(TestSource::of(numbers(200)), limits).await;
    assert!(reason.starts_with("5 ranges are settled ahead"), "{reason}");
    // 3 to 5, 7 to 9, … 19 and on; what was taken with the first look is handled.
    assert!(handled.len() < 100, "{}", handled.len());
}

#[tokio::test(start_paused = true)]
async fn too_many_held_envelopes_block() {
    let limits = WindowLimits {
        max_held: 1,
        ..no_limits()
    };
    let (reason, handled) = blocked(TestSource::of(numbers(200)), limits).await;
    assert!(
        reason.starts_with("1 envelopes are to be tried"),
        "{reason}"
    );
    assert!(handled.len() < 100, "{}", handled.len());
}

#[tokio::test(start_paused = true)]
async fn a_settled_span_is_no_limit() {
    let (source, store) = (TestSource::of(numbers(20_000)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 1);
    let projection = recorded(&source, &store, &recorder, 100_000).with_recovery(retrying(600));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(19_999).await;
    let status = handle.status();
    assert!(
        matches!(status, ProjectionStatus::Retrying { .. }),
        "{status:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn handling_waits_when_so_much_is_unsaved() {
    let (source, store) = (TestSource::of(numbers(500)), SteeredStore::default());
    let recorder = Recorder::default();
    store.hold(Verb::Commit);
    let projection = recorded(&source, &store, &recorder, 8).with_save(saving(10, 25));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(25).await;
    pass(secs(60)).await;
    assert_eq!(recorder.handled().len(), 25);
    let status = handle.status();
    assert!(
        matches!(status, ProjectionStatus::Running { .. }),
        "{status:?}"
    );
    store.let_go(Verb::Commit);
    recorder.has_handled(500).await;
}

#[tokio::test(start_paused = true)]
async fn other_keys_go_on_when_what_is_unsaved_stands_behind_a_held_key() {
    let (source, store) = (TestSource::of(numbers(400)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    // 4 and 8 to 36 of the key leave room for one of the others at a time.
    let projection = recorded(&source, &store, &recorder, 4).with_save(saving(100, 10));
    let _handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(3 + 8 * 3).await;
    pass(secs(60)).await;
    assert_eq!(stored(&store.inner).await, Some(3));
}

#[tokio::test(start_paused = true)]
async fn a_store_without_ranges_makes_all_of_it_unsaved() {
    let store = LowWaterStore::over(MemoryStore::new());
    let (source, recorder) = (TestSource::of(numbers(400)), Recorder::default());
    recorder.fail_at(3, 1);
    let projection = recorded(&source, &store, &recorder, 400)
        .with_recovery(retrying(600))
        .with_save(saving(10, 50));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let mut status = handle.status_receiver();
    let is_blocked = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Blocked { .. });
    let status = status.wait_for(is_blocked).await;
    pass(secs(60)).await;
    assert_eq!(recorder.handled().len(), 51, "1, 2 and 49 ahead of 3");
    let ProjectionStatus::Blocked { reason, offset } = status else {
        panic!("{status:?}");
    };
    assert_eq!(offset.text, "3");
    assert!(reason.contains("handled and not saved"), "{reason}");
    assert_eq!(stored(store.inner()).await, Some(2));
    assert!(lane(store.inner()).await.ahead.is_empty());
    recorder.has_handled(400).await;
    handle.stop();
    handle.wait().await.unwrap();
    assert_eq!(stored(store.inner()).await, Some(400));
}
