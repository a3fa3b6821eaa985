//! Commands: tried now, moved, paused.

use projectionist_core::{Counters, Error, Offset};
use projectionist_engine::ProjectionManagement;
use projectionist_testkit::{TestPosition, pass};

use crate::common::{id, millis, secs};
use crate::parking::world::{BOTH, NEVER, World, mended};

/// Two keys are parked and nothing is due.
fn world() -> World {
    let mut world = World::of("abcab");
    (world.config.min_backoff, world.config.max_backoff) = (NEVER, NEVER);
    world.recorder.fail_at(1, 1);
    world.recorder.fail_at(2, 1);
    world
}

#[tokio::test(start_paused = true)]
async fn the_handle_has_keys_tried_now() {
    for guarantee in BOTH {
        let world = world();
        let handle = world.spawn(guarantee);
        world.has_parked(4).await;
        handle.retry_parked(Some("b")).await.unwrap();
        world.has_parked(2).await;
        pass(secs(3600)).await;
        assert_eq!(world.recorder.handled(), [3, 2, 5], "{guarantee:?}");
        let error = handle.retry_parked(Some("z")).await.unwrap_err();
        assert!(matches!(&*error, Error::Refused { .. }), "{error}");
        assert!(error.to_string().contains("key `z`"), "{error}");
        handle.retry_parked(None).await.unwrap();
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [3, 2, 5, 1, 4], "{guarantee:?}");
        assert_eq!(world.counters().await, mended(5, 4));
        handle.retry_parked(None).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn another_process_has_keys_tried_now() {
    for guarantee in BOTH {
        let world = world();
        world.recorder.fail_at(1, 1);
        let _handle = world.spawn(guarantee);
        world.has_parked(4).await;
        let management = ProjectionManagement::new(world.store.clone());
        management.retry_parked(&id(), Some("a")).await.unwrap();
        pass(secs(10)).await;
        assert_eq!(world.parked().await["a"], [(1, 2), (4, 0)], "{guarantee:?}");
        let error = management.retry_parked(&id(), Some("z")).await.unwrap_err();
        assert!(error.to_string().contains("key `z`"), "{error}");
        management.retry_parked(&id(), None).await.unwrap();
        world.is_drained().await;
        // Each request was carried out once.
        assert_eq!(world.recorder.count("process 1#"), 3, "{guarantee:?}");
        assert_eq!(world.counters().await, mended(5, 4));
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_ends_is_tried_by_command_first() {
    for guarantee in BOTH {
        let mut world = world();
        world.mode = projectionist_core::contract::Mode::Current;
        world.spawn(guarantee).wait().await.unwrap();
        world.has_parked(4).await;
        let command = projectionist_core::ManagementCommand::RetryParked { key: None };
        projectionist_core::contract::ManagementStore::request(&world.store, &id(), &command)
            .await
            .unwrap();
        world.spawn(guarantee).wait().await.unwrap();
        assert!(world.parked().await.is_empty(), "{guarantee:?}");
        world.assert_at_least_once_in_order();
    }
}

#[tokio::test(start_paused = true)]
async fn a_cleared_lane_reads_again_what_is_parked() {
    for guarantee in BOTH {
        let world = world();
        let handle = world.spawn(guarantee);
        world.has_parked(4).await;
        handle.clear_offset().await.unwrap();
        world.recorder.has_handled(6).await;
        world.is_drained().await;
        assert_eq!(
            world.recorder.handled(),
            [3, 1, 2, 3, 4, 5],
            "{guarantee:?}"
        );
        let counters = world.counters().await;
        let expected = Counters {
            read: 10,
            applied: 6,
            skipped: 4,
            parked_total: 4,
            unparked_total: 4,
            ..Counters::ZERO
        };
        assert_eq!(counters, expected, "{guarantee:?}");
        assert_eq!(counters.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lane_that_is_moved_keeps_what_is_parked_before_that() {
    for guarantee in BOTH {
        let world = world();
        let handle = world.spawn(guarantee);
        world.has_parked(4).await;
        let after = Offset::of(&TestPosition(1));
        handle.set_offset(after).await.unwrap();
        // The first of `a` is still parked: its second one waits behind it again.
        world.has_parked(2).await;
        pass(secs(1)).await;
        assert_eq!(world.parked().await["a"], [(1, 1), (4, 0)], "{guarantee:?}");
        handle.retry_parked(None).await.unwrap();
        world.is_drained().await;
        assert_eq!(
            world.recorder.handled(),
            [3, 2, 3, 5, 1, 4],
            "{guarantee:?}"
        );
        assert_eq!(world.counters().await.pending(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_paused_projection_tries_nothing() {
    for guarantee in BOTH {
        let mut world = world();
        (world.config.min_backoff, world.config.max_backoff) = (secs(1), secs(1));
        let handle = world.spawn(guarantee);
        world.has_parked(4).await;
        handle.pause_and_wait().await.unwrap();
        pass(secs(60)).await;
        assert_eq!(world.recorder.handled(), [3], "{guarantee:?}");
        handle.resume().await.unwrap();
        pass(millis(10)).await;
        world.is_drained().await;
        world.assert_at_least_once_in_order();
    }
}
