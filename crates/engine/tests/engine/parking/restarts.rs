//! What is parked outlives the run, the process and the owner.

use bytes::Bytes;
use projectionist_core::contract::Mode;
use projectionist_core::{Error, ParkedEnvelope};
use projectionist_engine::{Completion, ProjectionStatus};
use projectionist_testkit::pass;

use crate::common::{id, millis, secs};
use crate::parking::world::{BOTH, World, mended};

#[tokio::test(start_paused = true)]
async fn a_restart_counts_on_attempts_and_waits() {
    for guarantee in BOTH {
        let mut world = World::of("ab");
        world.recorder.fail_at(1, 3);
        let first = world.spawn(guarantee);
        world.recorder.has_called("process 1#2", 1).await;
        // The second attempt was after 1 s; the third is to follow it after 2 s.
        pass(millis(500)).await;
        first.stop_and_wait().await.unwrap();
        pass(millis(500)).await;
        world.push("a");
        let second = world.spawn(guarantee);
        pass(millis(990)).await;
        assert_eq!(world.recorder.count("process 1#3"), 0, "{guarantee:?}");
        pass(millis(20)).await;
        assert_eq!(world.recorder.count("process 1#3"), 1, "{guarantee:?}");
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1, 3]);
        assert_eq!(world.counters().await, mended(3, 2));
        second.stop_and_wait().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_run_goes_on_with_what_is_parked() {
    for guarantee in BOTH {
        let mut world = World::of("aba");
        world.recorder.fail_at(1, 2);
        world.source.fail_behind(3, "away");
        let _handle = world.spawn(guarantee);
        world.recorder.has_called("observer.failed", 1).await;
        world.push("a");
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1, 3, 4], "{guarantee:?}");
        assert_eq!(world.counters().await, mended(4, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn a_second_owner_takes_over_what_is_parked() {
    for guarantee in BOTH {
        let mut world = World::of("aba");
        world.recorder.fail_at(1, 4);
        let first = world.spawn(guarantee);
        world.has_parked(2).await;
        let second = world.spawn(guarantee);
        pass(secs(1)).await;
        assert!(matches!(
            second.status(),
            ProjectionStatus::StandingBy { .. }
        ));
        first.stop_and_wait().await.unwrap();
        world.push("a");
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1, 3, 4], "{guarantee:?}");
        assert_eq!(world.counters().await, mended(4, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_ends_in_an_attempt_at_a_parked_one_commits_nothing() {
    for guarantee in BOTH {
        let mut world = World::of("aba");
        world.recorder.fail_at(1, 1);
        let first = world.spawn(guarantee);
        world.has_parked(2).await;
        world.recorder.hold_at(1);
        world.recorder.has_called("process 1#2", 1).await;
        let second = world.spawn(guarantee);
        // The process was frozen for longer than its claim holds.
        world.clock.jump(secs(11));
        world.recorder.release(1);
        world.push("a");
        world.is_drained().await;
        world.assert_at_least_once_in_order();
        if guarantee == crate::parking::world::Guarantee::ExactlyOnce {
            assert_eq!(world.log().await, world.fold());
        }
        assert_eq!(world.counters().await, mended(4, 2), "{guarantee:?}");
        drop((first, second));
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_any_more_stays_parked_and_says_so() {
    for guarantee in BOTH {
        let mut world = World::of("aba");
        world.mode = Mode::Current;
        world.recorder.fail_at(1, 1);
        let ended = world.spawn(guarantee).wait().await.unwrap();
        assert_eq!(ended, Completion::Completed);
        // Another version of the program wrote these bytes.
        let kept = world.envelopes("a").await.remove(0);
        let other = ParkedEnvelope {
            event: Bytes::from_static(b"<1/>"),
            ..kept.clone()
        };
        world.write_parked(other).await;

        world.mode = Mode::Live;
        let handle = world.spawn(guarantee);
        world.recorder.has_called("observer.error 1#2", 1).await;
        pass(millis(10)).await;
        let parked = world.envelopes("a").await;
        assert_eq!(parked.len(), 2, "{guarantee:?}");
        let error = parked[0].error.as_deref().unwrap();
        assert!(
            error.contains("cannot read") && error.contains("<1/>"),
            "{error}"
        );
        assert_eq!(world.recorder.handled(), [2]);
        handle.stop_and_wait().await.unwrap();

        world.write_parked(kept).await;
        let _handle = world.spawn(guarantee);
        world.is_drained().await;
        assert_eq!(world.recorder.handled(), [2, 1, 3], "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_function_that_panics_fails_the_run_and_nothing_is_lost() {
    use projectionist_engine::{ParkConfig, Projection, ProjectionRuntime};
    let world = World::of("ab");
    world.recorder.fail_at(1, 1);
    let recorder = world.recorder.clone();
    let factory = move || recorder.handler();
    let projection =
        Projection::at_least_once(id(), world.source.clone(), world.store.clone(), factory)
            .with_restart(crate::common::no_restart())
            .parking(
                ParkConfig {
                    retries: 0,
                    ..world.config
                },
                |_, _| panic!("no key"),
            );
    let failed = ProjectionRuntime::new().spawn(projection).unwrap();
    let error = failed.wait().await.unwrap_err();
    assert!(
        matches!(&*error, Error::Handler { offset, .. } if offset == "1"),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains("the key function panicked: no key"),
        "{error}"
    );
    assert!(world.parked().await.is_empty());
    let _mended = world.spawn(BOTH[0]);
    world.is_drained().await;
    assert_eq!(world.recorder.handled(), [1, 2]);
}
