//! The order of a key, the other keys, and when a parked key is tried again.

use projectionist_core::contract::FailureAction;
use projectionist_core::{Counters, ParkedEnvelope};
use projectionist_engine::{Completion, RetryDelay};
use projectionist_testkit::pass;
use tokio::time::{Instant, sleep_until};

use crate::common::{millis, secs};
use crate::parking::world::{BOTH, Guarantee, World, mended};

#[tokio::test(start_paused = true)]
async fn a_key_waits_in_its_order_and_all_others_go_on() {
    for guarantee in BOTH {
        let mut world = World::of("abaca");
        world.recorder.fail_at(1, 3);
        let handle = world.spawn(guarantee);
        world.recorder.has_handled(2).await;
        world.has_parked(3).await;
        assert_eq!(world.recorder.handled(), [2, 4], "{guarantee:?}");
        assert_eq!(world.parked().await["a"], [(1, 1), (3, 0), (5, 0)]);
        let counters = world.counters().await;
        let parked = Counters {
            read: 5,
            applied: 2,
            parked_total: 3,
            ..Counters::ZERO
        };
        assert_eq!(counters, parked, "{guarantee:?}");
        assert_eq!(counters.pending(), 0);

        world.push("ab");
        world.is_drained().await;
        world.push("a");
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 4, 7, 1, 3, 5, 6, 8]);
        assert_eq!(world.counters().await, mended(8, 4), "{guarantee:?}");
        handle.stop_and_wait().await.unwrap();
        if guarantee == Guarantee::ExactlyOnce {
            assert_eq!(world.log().await, world.fold());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_projection_tries_a_parked_key_with_a_doubling_wait() {
    for guarantee in BOTH {
        let world = World::of("ab");
        world.recorder.fail_at(1, 5);
        let _handle = world.spawn(guarantee);
        world.recorder.has_handled(1).await;
        let (began, mut attempts) = (Instant::now(), 1);
        for due in [1, 3, 7, 11, 15].map(|seconds| began + secs(seconds)) {
            sleep_until(due - millis(50)).await; // a workload, not a wait
            assert_eq!(world.recorder.count("process 1#"), attempts);
            sleep_until(due + millis(50)).await; // a workload, not a wait
            attempts += 1;
            assert_eq!(
                world.recorder.count("process 1#"),
                attempts,
                "{guarantee:?}"
            );
        }
        assert_eq!(world.recorder.count("process 1#6"), 1);
        world.is_drained().await;
        pass(secs(60)).await;
        assert_eq!(world.recorder.count("process"), 7, "{guarantee:?}");
        assert_eq!(world.counters().await, mended(2, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn an_envelope_is_retried_in_place_before_it_is_parked() {
    for guarantee in BOTH {
        let mut world = World::of("ab");
        world.config.retries = 2;
        world.config.delay = RetryDelay::Fixed(secs(1));
        world.recorder.fail_at(1, 3);
        let _handle = world.spawn(guarantee);
        world.recorder.has_called("process 1#1", 1).await;
        pass(secs(2) - millis(1)).await;
        assert_eq!(world.recorder.count("process 2"), 0, "{guarantee:?}");
        world.recorder.has_handled(1).await;
        assert_eq!(world.recorder.count("process 1#3"), 1);
        world.has_parked(1).await;
        assert_eq!(world.parked().await["a"], [(1, 3)]);
        world.is_drained().await;
        let (retry, park) = (FailureAction::Retry, FailureAction::Park);
        assert_eq!(world.recorder.actions(), [retry, retry, park]);
        assert_eq!(world.recorder.handled(), [2, 1]);
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_fails_behind_a_mended_one_is_tried_with_its_own_wait() {
    for guarantee in BOTH {
        let world = World::of("aaa");
        world.recorder.fail_at(1, 1);
        world.recorder.fail_at(2, 2);
        let _handle = world.spawn(guarantee);
        world.has_parked(3).await;
        world.has_parked(2).await;
        assert_eq!(world.parked().await["a"], [(2, 1), (3, 0)]);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [1, 2, 3]);
        let tried = ["process 1#1", "process 1#2", "process 2#1", "process 2#2"];
        for call in tried {
            assert_eq!(world.recorder.count(call), 1, "{guarantee:?}: {call}");
        }
        assert_eq!(world.counters().await, mended(3, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_parks_and_a_fresh_handler_goes_on() {
    for guarantee in BOTH {
        let world = World::of("ab");
        world.recorder.panic_at(1);
        world.recorder.panic_at(1);
        let _handle = world.spawn(guarantee);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1], "{guarantee:?}");
        assert_eq!(world.recorder.count("created"), 3);
        assert_eq!(world.recorder.count("observer.failed"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_parked_says_why_and_since_when() {
    for guarantee in BOTH {
        let world = World::of("a");
        world.recorder.fail_at(1, 2);
        let began = projectionist_core::Clock::now(&world.clock);
        let _handle = world.spawn(guarantee);
        world.has_parked(1).await;
        world.recorder.has_called("observer.error 1#2", 1).await;
        pass(millis(100)).await;
        let ParkedEnvelope {
            attempts,
            error,
            parked_at,
            tried_at,
            event,
            ..
        } = world.envelopes("a").await.remove(0);
        assert_eq!((attempts, error.as_deref()), (2, Some("no 1")));
        assert_eq!(&event[..], b"1");
        let tried_at = tried_at.unwrap().since(began);
        assert!(parked_at.since(began) < millis(10), "{guarantee:?}");
        assert!(
            secs(1) <= tried_at && tried_at < millis(1_010),
            "{tried_at:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn many_parked_of_a_key_leave_the_source_its_turn() {
    for guarantee in BOTH {
        let mut world = World::of(&"a".repeat(200));
        world.recorder.fail_at(1, 1);
        let _handle = world.spawn(guarantee);
        world.has_parked(200).await;
        world.push("b");
        world.is_drained().await;
        world.assert_at_least_once_in_order();
        assert_eq!(world.counters().await, mended(201, 200), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_ends_completes_with_the_keys_that_are_parked() {
    for guarantee in BOTH {
        let mut world = World::of(&format!("ab{}", "a".repeat(100)));
        world.mode = projectionist_core::contract::Mode::Current;
        world.recorder.fail_at(1, 1);
        let ended = world.spawn(guarantee).wait().await.unwrap();
        assert_eq!(ended, Completion::Completed);
        assert_eq!(world.recorder.handled(), [2], "{guarantee:?}");
        world.has_parked(101).await;
        // Started again when the wait is over, it tries all of the key before it completes.
        pass(secs(2)).await;
        let ended = world.spawn(guarantee).wait().await.unwrap();
        assert_eq!(ended, Completion::Completed);
        assert!(world.parked().await.is_empty(), "{guarantee:?}");
        world.assert_at_least_once_in_order();
        assert_eq!(world.counters().await, mended(102, 101));
    }
}
