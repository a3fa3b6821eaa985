//! Restarts: when, how often, from where, and what ends them.

use crate::common::single::{projection, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, id, millis, numbers, secs, steady_restarts, stored};
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_core::{ClaimOutcome, ClaimRequest, Commit, Error, Offset, Owner, Take};
use projectionist_engine::{
    Completion, ProjectionHandle, ProjectionRuntime, ProjectionStatus, RestartBackoff,
};
use projectionist_testkit::{Recorder, TestEnvelope, TestSource, pass};
use tokio::time::Instant;

/// The numbers of failures and the waits in seconds that the status tells, until `restarts` waits
/// are over.
async fn waits(running: &ProjectionHandle, restarts: usize) -> Vec<(u32, u64)> {
    let mut status = running.status_receiver();
    let mut waits = Vec::new();
    let mut now = status.current();
    while waits.len() < restarts {
        assert!(!now.is_terminal(), "{now:?} after {waits:?}");
        if let ProjectionStatus::Restarting {
            failures, delay, ..
        } = now
        {
            waits.push((failures, delay.as_secs()));
            let began = Instant::now();
            // A run that failed at once is seen as the next wait.
            now = status.changed().await.unwrap();
            assert_eq!(began.elapsed(), delay, "the wait is as long as was told");
        } else {
            now = status.changed().await.unwrap();
        }
    }
    waits
}

#[tokio::test(start_paused = true)]
async fn the_wait_doubles_to_its_cap_and_the_status_tells_it() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let running = spawn(projection(&source, &store, &recorder));
    let waits = waits(&running, 7).await;
    assert_eq!(
        waits,
        [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (7, 30)]
    );
}

#[tokio::test(start_paused = true)]
async fn only_passing_the_failed_position_begins_a_new_row() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, 3);
    recorder.fail_at(5, 2);
    let running = spawn(projection(&source, &store, &recorder));
    assert_eq!(waits(&running, 3).await, [(1, 1), (2, 2), (3, 4)]);
    recorder.has_handled(3).await;
    source.push(4);
    source.push(5);
    assert_eq!(waits(&running, 2).await, [(1, 1), (2, 2)]);
}

/// Datum's row 4.
#[tokio::test(start_paused = true)]
async fn replayed_good_events_before_the_poison_do_not_reset_the_row() {
    // The store refuses to save the tail each time, so 1 and 2 are handled again before 3 fails.
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, usize::MAX);
    for _ in 0..4 {
        store.plan(Verb::Commit, Fault::Refused);
    }
    let running = spawn(projection(&source, &store, &recorder));
    let seen = waits(&running, 4).await;
    assert_eq!(seen, [(1, 1), (2, 2), (3, 4), (4, 8)]);
    assert!(
        recorder
            .handled()
            .iter()
            .filter(|event| **event == 1)
            .count()
            >= 4
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_that_was_healthy_for_long_begins_a_new_row() {
    let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(projection(&source, &store, &recorder));
    recorder.has_handled(1).await;
    source.fail_behind(1, "away");
    assert_eq!(waits(&running, 1).await, [(1, 1)]);
    pass(secs(29)).await;
    source.fail_behind(1, "away");
    assert_eq!(waits(&running, 1).await, [(2, 2)]);
    pass(secs(31)).await;
    source.fail_behind(1, "away");
    assert_eq!(waits(&running, 1).await, [(1, 1)]);
}

#[tokio::test(start_paused = true)]
async fn jitter_is_added_on_top_of_the_wait() {
    let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(1, usize::MAX);
    let backoff = RestartBackoff {
        random_factor: 0.5,
        ..steady_restarts()
    };
    let running = spawn(projection(&source, &store, &recorder).with_restart(backoff));
    recorder.has_called("observer.failed", 1).await;
    let mut status = running.status_receiver();
    let restarting =
        |status: &ProjectionStatus| matches!(status, ProjectionStatus::Restarting { .. });
    let told = status.wait_for(restarting).await;
    let ProjectionStatus::Restarting { delay, .. } = told else {
        unreachable!("waited for it");
    };
    assert!((secs(1)..millis(1_500)).contains(&delay), "{delay:?}");
}

#[tokio::test(start_paused = true)]
async fn max_restarts_end_the_projection_with_its_error() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let backoff = RestartBackoff {
        max_restarts: Some(2),
        ..steady_restarts()
    };
    let running = spawn(projection(&source, &store, &recorder).with_restart(backoff));
    let error = running.wait().await.unwrap_err();
    assert!(matches!(&*error, Error::Handler { .. }), "{error}");
    assert!(matches!(running.status(), ProjectionStatus::Failed { .. }));
    assert_eq!(
        recorder.count("observer.started"),
        3,
        "the first run and two more"
    );
    assert_eq!(stored(&store.inner).await, Some(3));
    assert_eq!(crate::common::lane(&store.inner).await.holder, None);
}

/// Fact 69.
#[tokio::test(start_paused = true)]
async fn no_restart_stops_the_handler_once() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let projection = projection(&source, &store, &recorder);
    let running = spawn(projection.with_restart(crate::common::no_restart()));
    running.wait().await.unwrap_err();
    assert_eq!((recorder.count("created"), recorder.count("stop")), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn restarts_within_the_window_are_counted_from_the_start_of_their_runs() {
    let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
    let recorder = Recorder::default();
    let backoff = RestartBackoff {
        max_restarts: Some(1),
        max_restarts_within: secs(60),
        ..steady_restarts()
    };
    let running = spawn(projection(&source, &store, &recorder).with_restart(backoff));
    recorder.has_handled(1).await;
    source.fail_behind(1, "away");
    waits(&running, 1).await;
    pass(secs(61)).await;
    source.fail_behind(1, "away");
    waits(&running, 1).await;
    pass(secs(30)).await;
    source.fail_behind(1, "away");
    running.wait().await.unwrap_err();
    assert_eq!(source.opened(), 3);
}

#[tokio::test(start_paused = true)]
async fn every_run_reads_the_offset_and_opens_a_fresh_source_behind_it() {
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, 1);
    let running = spawn(projection(&source, &store, &recorder));
    recorder.has_handled(4).await;
    source.fail_behind(4, "away");
    waits(&running, 1).await;
    source.push(5);
    recorder.has_handled(5).await;
    assert_eq!(source.opened_behind(), [None, Some(2), Some(4)]);
    assert_eq!(recorder.handled(), numbers(5));
    assert_eq!(recorder.count("created"), 3);
    assert_eq!(store.count(Verb::Claim), 1, "under one claim");
}

#[tokio::test(start_paused = true)]
async fn a_source_that_cannot_be_opened_is_tried_again() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    for _ in 0..3 {
        source.fail_next_open("no such topic");
    }
    let running = spawn(projection(&source, &store, &recorder).with_mode(Mode::Current));
    assert_eq!(waits(&running, 3).await, [(1, 1), (2, 2), (3, 4)]);
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
    assert_eq!(
        recorder.count("created"),
        1,
        "no handler for a source that is not open"
    );
}

#[tokio::test(start_paused = true)]
async fn what_a_source_delivered_before_it_failed_is_handled_and_saved() {
    for panics in [false, true] {
        let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
        let recorder = Recorder::default();
        if panics {
            source.panic_behind(3);
        } else {
            source.fail_behind(3, "away");
        }
        let running = spawn(projection(&source, &store, &recorder));
        assert_eq!(waits(&running, 1).await, [(1, 1)]);
        recorder.has_handled(5).await;
        assert_eq!(recorder.handled(), numbers(5), "each once");
        assert_eq!(source.opened_behind(), [None, Some(3)]);
        assert_eq!(recorder.count("stop"), 1, "the first handler was stopped");
    }
}

#[tokio::test(start_paused = true)]
async fn a_followed_source_that_ends_has_failed() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    source.complete();
    let running = spawn(projection(&source, &store, &recorder).with_mode(Mode::Live));
    waits(&running, 2).await;
    assert_eq!(stored(&store.inner).await, Some(2));
    assert_eq!(recorder.handled(), numbers(2));
}

#[tokio::test(start_paused = true)]
async fn a_store_that_is_away_is_waited_for() {
    for verb in [Verb::Claim, Verb::Load] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        for _ in 0..3 {
            store.plan(verb, Fault::Refused);
        }
        let running = spawn(projection(&source, &store, &recorder).with_mode(Mode::Current));
        let mut status = running.status_receiver();
        let restarting = |status: &ProjectionStatus| {
            matches!(status, ProjectionStatus::Restarting { failures: 3, .. })
        };
        status.wait_for(restarting).await;
        let ended = running.wait().await;
        assert_eq!(ended.unwrap(), Completion::Completed, "{verb:?}");
        assert_eq!(recorder.handled(), numbers(2));
    }
}

#[tokio::test(start_paused = true)]
async fn what_trying_again_cannot_mend_fails_at_once() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    source.fail_next_open_for_good("no permission");
    let began = Instant::now();
    let running = spawn(projection(&source, &store, &recorder));
    let error = running.wait().await.unwrap_err().to_string();
    assert!(error.contains("no permission"), "{error}");
    for verb in [Verb::Claim, Verb::Load, Verb::Commit] {
        store.plan(verb, Fault::RefusedForGood);
        let current = projection(&source, &store, &recorder).with_mode(Mode::Current);
        let error = spawn(current).wait().await.unwrap_err();
        assert!(matches!(&*error, Error::Store { .. }), "{error}");
    }
    assert_eq!(began.elapsed(), millis(0), "no backoff");
}

/// A store whose lane holds this offset.
async fn store_at(offset: Offset) -> SteeredStore {
    let store = SteeredStore::default();
    let owner = Owner {
        instance: "before".into(),
        process: None,
    };
    let request = ClaimRequest {
        lane: id(),
        owner,
        ttl: secs(10),
        take: Take::Free,
    };
    let ClaimOutcome::Granted { claim, .. } = store.inner.claim(&request).await.unwrap() else {
        unreachable!("nobody else is there");
    };
    let commit = Commit {
        offset: Some(offset),
        ..Commit::default()
    };
    store.inner.commit(&claim, &commit).await.unwrap();
    store.inner.release(&claim).await.unwrap();
    store
}

#[tokio::test(start_paused = true)]
async fn a_foreign_offset_and_a_damaged_one_are_fatal_and_left_alone() {
    let offset = |manifest: &'static str, text: &str| Offset {
        manifest: manifest.into(),
        text: text.into(),
    };
    for (offset, words) in [
        (offset("kafka", "7"), ["format `kafka`", "writes `test`"]),
        (offset("test", "seven"), ["seven", "no number"]),
    ] {
        let (source, store) = (TestSource::of(numbers(9)), store_at(offset.clone()).await);
        let recorder = Recorder::default();
        let began = Instant::now();
        let running = spawn(projection(&source, &store, &recorder));
        let error = running.wait().await.unwrap_err().to_string();
        assert_eq!(began.elapsed(), millis(0), "no backoff");
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(matches!(running.status(), ProjectionStatus::Failed { .. }));
        let lane = crate::common::lane(&store.inner).await;
        assert_eq!((lane.offset, lane.holder), (Some(offset), None));
        assert_eq!(source.opened(), 0);
        assert!(recorder.handled().is_empty());
    }
}

/// Datum's row 16.
#[tokio::test(start_paused = true)]
async fn a_position_that_goes_back_is_fatal_and_names_both() {
    let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
    let recorder = Recorder::default();
    source.push_envelope(TestEnvelope::at(3, 99));
    let running = spawn(projection(&source, &store, &recorder));
    let error = running.wait().await.unwrap_err();
    assert!(
        matches!(&*error, Error::PositionRegressed { .. }),
        "{error}"
    );
    assert!(error.to_string().contains("delivered 3 after 5"), "{error}");
    assert_eq!(recorder.handled(), numbers(5));
    assert_eq!(
        stored(&store.inner).await,
        Some(5),
        "what was handled is saved"
    );
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_backoff_at_once() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let backoff = RestartBackoff {
        min_backoff: secs(3600),
        max_backoff: secs(3600),
        ..steady_restarts()
    };
    let running = spawn(projection(&source, &store, &recorder).with_restart(backoff));
    recorder.has_called("observer.stopped", 1).await;
    pass(secs(1)).await;
    let began = Instant::now();
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(began.elapsed(), millis(0));
    assert_eq!(source.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_up_what_does_not_answer_while_a_run_begins() {
    for verb in [
        Some(Verb::Claim),
        Some(Verb::Load),
        Some(Verb::Release),
        None,
    ] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        match verb {
            Some(verb) => store.hold(verb),
            None => source.hang_next_open(),
        }
        let projection = projection(&source, &store, &recorder).with_stop_timeout(secs(2));
        let running = spawn(projection);
        pass(secs(60)).await;
        running.stop();
        pass(millis(2_010)).await;
        assert!(running.status().is_terminal(), "{verb:?} does not answer");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_ends_the_projection_and_its_wait() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    store.plan(Verb::Claim, Fault::Panics);
    let running = spawn(projection(&source, &store, &recorder));
    let error = running.wait().await.unwrap_err().to_string();
    assert!(error.contains("the store panicked"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_stopped_blueprint_resumes_where_it_was() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    let blueprint = projection(&source, &store, &recorder);
    let runtime = ProjectionRuntime::new();
    for last in [3, 4, 5] {
        if last > 3 {
            source.push(last);
        }
        let running = runtime.spawn(blueprint.clone()).unwrap();
        recorder.has_handled(usize::try_from(last).unwrap()).await;
        running.stop_and_wait().await.unwrap();
    }
    assert_eq!(recorder.handled(), numbers(5));
    assert_eq!(source.opened_behind(), [None, Some(3), Some(4)]);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_handle_stops_the_projection_and_saves() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(projection(&source, &store, &recorder));
    recorder.has_handled(3).await;
    let mut status = running.status_receiver();
    drop(running);
    let ended = status.wait_for(ProjectionStatus::is_terminal).await;
    assert!(matches!(ended, ProjectionStatus::Stopped));
    assert_eq!(stored(&store.inner).await, Some(3));
}
