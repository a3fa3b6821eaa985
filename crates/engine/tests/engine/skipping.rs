//! What is passed over: by recovery, alone or in a group, and by command; and what is kept of it.

use crate::common::grouped::{groups, letters_of};
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::{SteeredStore, lane, numbers, secs, stored};
use projectionist_core::contract::{DeadLetterStore, Mode};
use projectionist_core::{Counters, Error, ErrorClass, Offset};
use projectionist_engine::{
    Completion, FailurePolicy, ProjectionStatus, Recovery, RetryDelay, Settings,
};
use projectionist_testkit::{Recorder, TestPosition, TestSource, pass};

fn recovering(recorder: &Recorder<u64>, recovery: Recovery) -> Settings {
    let settings = settings(recorder);
    let failures = FailurePolicy {
        recovery,
        ..settings.failures
    };
    Settings {
        mode: Mode::Current,
        failures,
        ..settings
    }
}

fn retry_and_skip(retries: u32) -> Recovery {
    let delay = RetryDelay::Fixed(secs(1));
    Recovery::RetryAndSkip { retries, delay }
}

/// At-most-once has a recovery of its own, which its own tests show.
fn retrying() -> impl Iterator<Item = Guarantee> {
    ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce)
}

/// The envelopes of the group of two that `position` stands in, or it alone.
fn lost_with(position: u64, guarantee: Guarantee) -> Vec<u64> {
    if guarantee.is_grouped() {
        let first = position - (position + 1) % 2;
        vec![first, first + 1]
    } else {
        vec![position]
    }
}

/// Facts 6, 17, 18 and 53: it is absent, and its offset is stored, also when it is the last one.
#[tokio::test(start_paused = true)]
async fn a_skipped_envelope_is_counted_and_its_offset_stored_under_every_guarantee() {
    for guarantee in retrying() {
        for bad in [1, 4, 6] {
            for keeps in [false, true] {
                let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
                let recorder = Recorder::default();
                recorder.refuse(bad);
                let settings = Settings {
                    dead_letters: keeps,
                    ..recovering(&recorder, Recovery::Skip)
                };
                let running = spawn(guarantee, &source, &store, &recorder, &settings);
                assert_eq!(running.wait().await.unwrap(), Completion::Completed);
                let lost = lost_with(bad, guarantee);
                let kept: Vec<u64> = numbers(6)
                    .into_iter()
                    .filter(|one| !lost.contains(one))
                    .collect();
                assert_eq!(recorder.handled(), kept, "{guarantee:?}");
                let (applied, passed) = (kept.len() as u64, lost.len() as u64);
                let lane = lane(&store.inner).await;
                let expected = Counters {
                    read: 6,
                    applied,
                    skipped: if keeps { 0 } else { passed },
                    dead_lettered: if keeps { passed } else { 0 },
                    ..Counters::ZERO
                };
                assert_eq!(lane.counters, expected, "{guarantee:?} at {bad}");
                assert_eq!(lane.offset.unwrap().text, "6", "{guarantee:?} at {bad}");
                let letters = store
                    .inner
                    .dead_letters(&letters_of("orders"))
                    .await
                    .unwrap();
                let letters: Vec<_> = letters
                    .iter()
                    .map(|kept| {
                        let letter = &kept.letter;
                        assert_eq!(
                            (letter.defect.class, letter.attempts),
                            (ErrorClass::Data, 1)
                        );
                        (letter.offset.text.parse().unwrap(), letter.event.to_vec())
                    })
                    .collect();
                let expected = lost.iter().map(|at| (*at, at.to_string().into_bytes()));
                let expected: Vec<(u64, Vec<u8>)> = expected.filter(|_| keeps).collect();
                assert_eq!(letters, expected, "{guarantee:?} at {bad}");
            }
        }
    }
}

/// Facts 7 and 19.
#[tokio::test(start_paused = true)]
async fn retry_and_skip_makes_one_attempt_and_its_retries_and_tells_each() {
    for guarantee in retrying() {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let settings = recovering(&recorder, retry_and_skip(3));
        let running = spawn(guarantee, &source, &store, &recorder, &settings);
        running.wait().await.unwrap();
        assert_eq!(recorder.count("observer.error 4#"), 4, "{guarantee:?}");
        let attempts = recorder.calls();
        let attempts = attempts.iter().filter(|call| call.starts_with("process"));
        let at_four = attempts.filter(|call| call.contains("4#")).count();
        assert_eq!(at_four, 4, "{guarantee:?}");
        assert_eq!(recorder.count("observer.after 4"), 0, "{guarantee:?}");
        assert_eq!(stored(&store.inner).await, Some(6), "{guarantee:?}");
        assert_eq!(recorder.count("observer.failed"), 0, "{guarantee:?}");
    }
}

/// Fact 28: groups of two, a retry each, and double errors at 3 and 7.
#[tokio::test(start_paused = true)]
async fn groups_that_fail_twice_are_skipped_after_one_retry() {
    for guarantee in [Guarantee::GroupedAtLeastOnce, Guarantee::GroupedExactlyOnce] {
        let (source, store) = (TestSource::of(numbers(8)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(3, 2);
        recorder.fail_at(7, 2);
        let settings = recovering(&recorder, retry_and_skip(1));
        spawn(guarantee, &source, &store, &recorder, &settings)
            .wait()
            .await
            .unwrap();
        assert_eq!(recorder.handled(), [1, 2, 5, 6], "{guarantee:?}");
        assert_eq!(recorder.count("observer.after"), 2, "{guarantee:?}");
        let expected = ["1,2#1", "3,4#1", "3,4#2", "5,6#1", "7,8#1", "7,8#2"];
        assert_eq!(groups(&recorder), expected, "{guarantee:?}");
    }
}

/// Fact 29: (1 2) and (7 8) are skipped, the others are told once.
#[tokio::test(start_paused = true)]
async fn groups_are_skipped_as_a_whole() {
    let (source, store) = (TestSource::of(numbers(10)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(1, 1);
    recorder.fail_at(8, 1);
    let settings = recovering(&recorder, Recovery::Skip);
    let (guarantee, running) = (Guarantee::GroupedExactlyOnce, &recorder);
    spawn(guarantee, &source, &store, running, &settings)
        .wait()
        .await
        .unwrap();
    assert_eq!(recorder.handled(), [3, 4, 5, 6, 9, 10]);
    for end in ["4", "6", "10"] {
        assert_eq!(recorder.count(&format!("observer.after {end}")), 1);
    }
    assert_eq!(recorder.count("observer.after"), 3);
}

/// Follows five numbers of which the fourth fails without end.
async fn fails_at_four(
    guarantee: Guarantee,
    recovery: Recovery,
) -> (
    projectionist_engine::ProjectionHandle,
    SteeredStore,
    Recorder<u64>,
) {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, usize::MAX);
    let settings = Settings {
        mode: Mode::Live,
        ..recovering(&recorder, recovery)
    };
    let running = spawn(guarantee, &source, &store, &recorder, &settings);
    recorder.has_called("observer.error 4#", 1).await;
    (running, store, recorder)
}

fn far_apart() -> Recovery {
    let (retries, delay) = (9, RetryDelay::Fixed(secs(3600)));
    Recovery::RetryAndFail { retries, delay }
}

#[tokio::test(start_paused = true)]
async fn the_envelope_that_fails_is_skipped_by_command_in_a_retry_delay_and_in_a_backoff() {
    for guarantee in retrying() {
        for recovery in [far_apart(), Recovery::Fail] {
            let (running, store, recorder) = fails_at_four(guarantee, recovery).await;
            if recovery == Recovery::Fail {
                recorder.has_called("observer.stopped", 1).await;
                pass(std::time::Duration::from_millis(1)).await;
            }
            let began = tokio::time::Instant::now();
            let skipped = running.skip_current().await.unwrap();
            assert_eq!(skipped.text, "4", "{guarantee:?}");
            assert!(began.elapsed() < secs(1), "it waits for no delay");
            let lane = lane(&store.inner).await;
            let low: u64 = lane.offset.unwrap().text.parse().unwrap();
            assert!(low >= 4, "it is stored when it is told: {guarantee:?}");
            assert_eq!(lane.counters.skipped, 1, "{guarantee:?}");
            recorder.has_handled(5).await;
            assert_eq!(recorder.handled(), [1, 2, 3, 5, 6], "{guarantee:?}");
            running.stop_and_wait().await.unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_does_not_fail_is_not_skipped() {
    let (running, _, _) = fails_at_four(Guarantee::AtLeastOnce, far_apart()).await;
    for (at, words) in [(5, "it is `4` that cannot"), (3, "has passed `3`")] {
        let error = running
            .skip(Offset::of(&TestPosition(at)))
            .await
            .unwrap_err();
        assert!(matches!(&*error, Error::Refused { .. }), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
    running.skip_current().await.unwrap();
    let error = running.skip_current().await.unwrap_err().to_string();
    assert!(error.contains("no envelope fails"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn several_envelopes_of_one_group_are_skipped_together() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(3, usize::MAX);
    recorder.fail_at(4, usize::MAX);
    let settings = Settings {
        mode: Mode::Live,
        ..recovering(&recorder, far_apart())
    };
    let running = spawn(
        Guarantee::GroupedExactlyOnce,
        &source,
        &store,
        &recorder,
        &settings,
    );
    recorder.has_called("observer.error 4#", 1).await;
    // The group fails again without the first: neither is stored before the other is asked for.
    let (third, fourth) = (Offset::of(&TestPosition(3)), Offset::of(&TestPosition(4)));
    let both = async {
        let second = async {
            recorder.has_called("observer.error 4#", 2).await;
            running.skip(fourth).await
        };
        tokio::join!(running.skip(third), second)
    };
    let (third, fourth) = both.await;
    third.unwrap();
    fourth.unwrap();
    recorder.has_handled(4).await;
    assert_eq!(recorder.handled(), [1, 2, 5, 6]);
    assert_eq!(lane(&store.inner).await.counters.skipped, 2);
}

/// A skip that waits holds up no other call: it used to keep a paused projection paused for good.
#[tokio::test(start_paused = true)]
async fn a_skip_while_paused_is_done_after_the_resume() {
    let (running, store, recorder) = fails_at_four(Guarantee::AtLeastOnce, far_apart()).await;
    running.pause_and_wait().await.unwrap();
    let skip = running.skip(Offset::of(&TestPosition(4)));
    let resume = async {
        pass(secs(60)).await;
        assert!(matches!(running.status(), ProjectionStatus::Paused { .. }));
        assert_eq!(running.offset().await.unwrap().unwrap().text, "3");
        running.resume().await
    };
    let (skipped, resumed) = tokio::join!(skip, resume);
    skipped.unwrap();
    resumed.unwrap();
    recorder.has_handled(5).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 5, 6]);
    assert_eq!(lane(&store.inner).await.counters.skipped, 1);
}
