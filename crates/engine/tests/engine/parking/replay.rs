//! The replay flag of what is parked: that of its reading, whenever it is tried.

use projectionist_core::Offset;
use projectionist_testkit::TestPosition;

use crate::parking::world::{BOTH, NEVER, World};

/// Two keys with an event each; what is parked is tried by command alone.
fn world() -> World {
    let mut world = World::of("ab");
    (world.config.min_backoff, world.config.max_backoff) = (NEVER, NEVER);
    world
}

/// The positions that the handler was called with, and whether it was told a replay.
fn told(world: &World) -> Vec<(u64, bool)> {
    let calls = world.recorder.calls();
    let calls = calls
        .iter()
        .filter_map(|call| call.strip_prefix("process "));
    calls
        .map(|call| {
            let position = call.split('#').next().unwrap();
            (position.parse().unwrap(), call.ends_with("replay"))
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_parked_in_a_replay_is_one_when_the_lane_has_passed_it() {
    for guarantee in BOTH {
        let world = world();
        let handle = world.spawn(guarantee);
        world.is_drained().await;
        world.recorder.fail_at(1, 1);
        handle.clear_offset().await.unwrap();
        world.has_parked(1).await;
        world.recorder.has_handled(3).await;
        handle.retry_parked(None).await.unwrap();
        world.is_drained().await;
        let expected = [(1, false), (2, false), (1, true), (2, true), (1, true)];
        assert_eq!(told(&world), expected, "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_parked_before_a_replay_is_none_while_it_lasts() {
    for guarantee in BOTH {
        let world = world();
        world.recorder.fail_at(1, 1);
        let handle = world.spawn(guarantee);
        world.has_parked(1).await;
        world.recorder.has_handled(1).await;
        handle.pause_and_wait().await.unwrap();
        let behind_the_first = Offset::of(&TestPosition(1));
        handle.set_offset(behind_the_first).await.unwrap();
        // Its run begins with what is parked.
        let (tried, resumed) = tokio::join!(handle.retry_parked(None), handle.resume());
        tried.unwrap();
        resumed.unwrap();
        world.is_drained().await;
        world.recorder.has_handled(3).await;
        let expected = [(1, false), (2, false), (1, false), (2, true)];
        assert_eq!(told(&world), expected, "{guarantee:?}");
    }
}
