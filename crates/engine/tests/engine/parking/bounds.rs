//! At a bound the lane waits and says so; nothing is lost or skipped.

use projectionist_core::Offset;
use projectionist_core::contract::FailureAction;
use projectionist_engine::{ProjectionHandle, ProjectionStatus};
use projectionist_testkit::{TestPosition, pass};

use crate::common::{applied, millis, secs};
use crate::parking::world::{BOTH, NEVER, World, mended};

/// Waits until the projection is blocked; the reason, and the position.
async fn is_blocked(handle: &ProjectionHandle) -> (String, String) {
    let blocked = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Blocked { .. });
    match handle.status_receiver().wait_for(blocked).await {
        ProjectionStatus::Blocked { reason, offset } => (reason, offset.text),
        other => panic!("not blocked: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn at_the_bound_of_keys_the_lane_waits_for_the_one_that_fails() {
    for guarantee in BOTH {
        let mut world = World::of("abca");
        world.config.max_keys = 1;
        world.recorder.fail_at(1, 3);
        world.recorder.fail_at(2, 100);
        let handle = world.spawn(guarantee);
        let (reason, offset) = is_blocked(&handle).await;
        assert!(
            reason.contains("key `b`") && reason.contains("max_keys is 1"),
            "{reason}"
        );
        assert_eq!(offset, "2", "{guarantee:?}");
        // The parked key is tried meanwhile, and so is the one that blocks.
        pass(secs(6)).await;
        assert_eq!(world.recorder.count("process 1#3"), 1);
        assert_eq!(world.recorder.count("process 2#3"), 1);
        assert_eq!(world.recorder.count("process 3"), 0, "{guarantee:?}");
        // When the first key is mended there is room for the other one.
        world.has_parked(1).await;
        world.recorder.has_called("process 3", 1).await;
        assert_eq!(world.recorder.handled()[..1], [1], "{guarantee:?}");
        pass(secs(1)).await;
        assert!(world.parked().await.contains_key("b"), "{guarantee:?}");
        assert!(handle.status().epoch().is_some(), "{:?}", handle.status());
        assert_eq!(world.recorder.handled(), [1, 3, 4]);
    }
}

#[tokio::test(start_paused = true)]
async fn an_envelope_that_blocks_is_handled_when_it_can_be() {
    for guarantee in BOTH {
        let mut world = World::of("ab");
        world.config.max_keys = 0;
        world.recorder.fail_at(1, 3);
        let handle = world.spawn(guarantee);
        let (reason, _) = is_blocked(&handle).await;
        assert!(reason.contains("max_keys is 0"), "{reason}");
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [1, 2], "{guarantee:?}");
        assert_eq!(world.recorder.count("process 1#4"), 1);
        assert_eq!(world.counters().await, applied(2));
        assert_eq!(world.recorder.actions(), [FailureAction::Retry; 3]);
        assert!(handle.status().epoch().is_some(), "{:?}", handle.status());
    }
}

#[tokio::test(start_paused = true)]
async fn at_the_bound_of_envelopes_the_lane_waits_for_the_key() {
    for guarantee in BOTH {
        let mut world = World::of("aaaba");
        world.config.max_envelopes = 2;
        world.recorder.fail_at(1, 4);
        let handle = world.spawn(guarantee);
        let (reason, offset) = is_blocked(&handle).await;
        let named = reason.contains("key `a`") && reason.contains("max_envelopes is 2");
        assert!(named, "{reason}");
        assert_eq!(offset, "3", "{guarantee:?}");
        world.has_parked(2).await;
        assert_eq!(world.parked().await["a"], [(1, 1), (2, 0)]);
        world.is_drained().await;
        world.assert_at_least_once_in_order();
        assert_eq!(world.recorder.handled().len(), 5, "{guarantee:?}");
        let counters = world.counters().await;
        assert_eq!((counters.read, counters.applied), (5, 5));
        assert_eq!(counters.parked(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocked_lane_stops_at_once_and_goes_on_later() {
    for guarantee in BOTH {
        let mut world = World::of("ab");
        (world.config.max_keys, world.config.min_backoff) = (0, NEVER);
        world.config.max_backoff = NEVER;
        world.recorder.fail_at(1, 1);
        let handle = world.spawn(guarantee);
        is_blocked(&handle).await;
        let before = tokio::time::Instant::now();
        handle.stop_and_wait().await.unwrap();
        assert!(before.elapsed() < millis(10), "{guarantee:?}");
        assert!(world.recorder.handled().is_empty());
        let _handle = world.spawn(guarantee);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [1, 2], "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_blocking_envelope_can_be_skipped_by_command() {
    for guarantee in BOTH {
        let mut world = World::of("ab");
        (world.config.max_keys, world.config.min_backoff) = (0, NEVER);
        world.config.max_backoff = NEVER;
        world.recorder.fail_at(1, usize::MAX);
        let handle = world.spawn(guarantee);
        is_blocked(&handle).await;
        let skipped = handle.skip_current().await.unwrap();
        assert_eq!(skipped, Offset::of(&TestPosition(1)));
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2], "{guarantee:?}");
        let counters = world.counters().await;
        assert_eq!(
            (counters.read, counters.skipped, counters.applied),
            (2, 1, 1)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn lower_bounds_keep_what_is_parked() {
    for guarantee in BOTH {
        let mut world = World::of("abc");
        world.recorder.fail_at(1, 2);
        world.recorder.fail_at(2, 2);
        let first = world.spawn(guarantee);
        world.has_parked(2).await;
        first.stop_and_wait().await.unwrap();
        (world.config.max_keys, world.config.max_envelopes) = (1, 1);
        world.push("ab");
        let _second = world.spawn(guarantee);
        world.is_drained().await;
        world.assert_at_least_once_in_order();
        let counters = world.counters().await;
        assert_eq!(counters.applied, 5, "{guarantee:?}");
        assert_eq!(mended(5, counters.parked_total), counters);
    }
}
