//! Grouped exactly-once that isolates data errors: what is bad becomes a letter, and nothing else
//! is touched.

use std::collections::BTreeSet;

use crate::common::grouped::{groups, groups_of, letters_of, projection, retries, spawn};
use crate::common::model::Tables;
use crate::common::store::Verb;
use crate::common::{SteeredStore, lane, no_restart, numbers};
use projectionist_core::contract::DeadLetterStore;
use projectionist_core::{Counters, ErrorClass};
use projectionist_engine::{Completion, ProjectionStatus};
use projectionist_testkit::{Recorder, TestSource};

/// Runs `1..=events` with these bad ones and malformed records behind every `malformed_every`th
/// event, in one group, isolating; checks everything that must hold, and gives the transactions
/// that were begun.
async fn isolates(events: u64, bad: &BTreeSet<u64>, malformed_every: Option<u64>) -> usize {
    let (source, store) = (TestSource::of([]), SteeredStore::default());
    let recorder = Recorder::default();
    let mut last = 0;
    let (mut good, mut bad_positions, mut malformed) = (Vec::new(), Vec::new(), Vec::new());
    for event in 1..=events {
        source.push(event);
        last += 1;
        if bad.contains(&event) {
            recorder.refuse(last);
            bad_positions.push(last.to_string());
        } else {
            good.push(event);
        }
        if malformed_every.is_some_and(|every| event % every == 0) {
            source.push_malformed("no JSON", b"{");
            last += 1;
            malformed.push(last.to_string());
        }
    }
    let projection = projection(&source, &store, &recorder)
        .with_group(groups_of(usize::MAX))
        .isolating_data_errors();
    let ended = spawn(projection).wait().await;
    assert_eq!(ended.unwrap(), Completion::Completed);
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(good.clone()));
    let letters = store
        .inner
        .dead_letters(&letters_of("orders"))
        .await
        .unwrap();
    let offsets: Vec<_> = letters
        .iter()
        .map(|one| one.letter.offset.text.clone())
        .collect();
    assert_eq!(offsets, bad_positions);
    for (stored, event) in letters.iter().zip(bad) {
        assert_eq!(stored.letter.event, event.to_string());
        assert_eq!(stored.letter.defect.class, ErrorClass::Data);
        let position = &stored.letter.offset.text;
        let reason = format!("{position} does not fit");
        assert!(stored.letter.defect.error.contains(&reason));
    }
    let letters = store.inner.dead_letters(&letters_of("")).await.unwrap();
    let offsets: Vec<_> = letters
        .iter()
        .map(|one| one.letter.offset.text.clone())
        .collect();
    assert_eq!(offsets, malformed);
    let lane = lane(&store.inner).await;
    let expected = Counters {
        read: events,
        applied: good.len() as u64,
        dead_lettered: bad.len() as u64,
        malformed: malformed.len() as u64,
        ..Counters::ZERO
    };
    assert_eq!(lane.counters, expected);
    assert_eq!(lane.offset.unwrap().text, last.to_string());
    store.count(Verb::Begin)
}

#[tokio::test(start_paused = true)]
async fn one_bad_envelope_of_a_thousand_costs_a_logarithm_of_transactions() {
    for bad in [1, 2, 137, 499, 500, 501, 999, 1000] {
        let begun = isolates(1000, &BTreeSet::from([bad]), None).await;
        // Twice the logarithm of 1,000, rounded up to 10, and 2.
        assert!(begun - 1 <= 22, "{begun} transactions for a bad {bad}");
    }
}

#[tokio::test(start_paused = true)]
async fn many_bad_envelopes_are_isolated_wherever_they_stand() {
    for bad in [vec![1, 2], vec![1, 20], vec![7, 8, 9, 19], numbers(20)] {
        isolates(20, &bad.into_iter().collect(), None).await;
    }
    isolates(1, &BTreeSet::from([1]), None).await;
}

#[tokio::test(start_paused = true)]
async fn malformed_records_between_keep_one_letter_each() {
    for (every, bad) in [
        (1, vec![1]),
        (2, vec![10]),
        (3, vec![4, 5, 6]),
        (1, numbers(10)),
    ] {
        isolates(10, &bad.into_iter().collect(), Some(every)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_record_is_counted_with_the_part_that_passes_it() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    source.push_malformed("no JSON", b"{");
    source.push(4);
    recorder.refuse(1);
    // The part behind the bad envelope fails after that one was passed over.
    recorder.fail_at(4, 1);
    let projection = projection(&source, &store, &recorder)
        .with_group(groups_of(8))
        .isolating_data_errors();
    spawn(projection).wait().await.unwrap();
    assert!(recorder.count("observer.failed") == 1, "in two runs");
    let expected = Counters {
        read: 3,
        applied: 2,
        dead_lettered: 1,
        malformed: 1,
        ..Counters::ZERO
    };
    assert_eq!(lane(&store.inner).await.counters, expected);
}

#[tokio::test(start_paused = true)]
async fn without_isolation_a_data_error_fails_the_run() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.refuse(5);
    let running = spawn(projection(&source, &store, &recorder));
    recorder.has_called("observer.failed", 3).await;
    assert!(matches!(
        running.status(),
        ProjectionStatus::Restarting { failures: 3, .. }
    ));
    running.stop_and_wait().await.unwrap();
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(3)));
    assert!(
        store
            .inner
            .dead_letters(&letters_of("orders"))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test(start_paused = true)]
async fn isolation_leaves_the_retries_of_other_faults_alone() {
    let (source, store) = (TestSource::of(numbers(8)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.refuse(1);
    recorder.fail_at(8, 2);
    let projection = projection(&source, &store, &recorder)
        .with_group(groups_of(8))
        .with_recovery(retries(2))
        .with_restart(no_restart())
        .isolating_data_errors();
    let ended = spawn(projection).wait().await;
    assert_eq!(
        ended.unwrap(),
        Completion::Completed,
        "{:?}",
        groups(&recorder)
    );
}
