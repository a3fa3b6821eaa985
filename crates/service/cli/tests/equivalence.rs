//! How the input is cut into batches, runs and repetitions changes nothing: the tables, the exact
//! sums and the counts are those of an oracle that takes one event at a time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};

use common::client::assert_same_tables;
use common::events::{Events, file_of};
use common::oracle::Oracle;
use common::world::{NAMES, PROJECTIONS};
use common::{Place, Random, random};
use serde_json::Value;

/// Events of the larger file.
const EVENTS: usize = 3_000;

/// Runs that work at the same time: one a processor of a small machine.
const AT_ONCE: usize = 2;

/// The target holds what the oracle says, and so does the summary of the last run.
fn assert_equal(place: &Place, summary: &Value, oracle: &Oracle) {
    let client = place.client();
    assert_same_tables(&client.tables(), &oracle.tables());
    let lanes = client.lanes();
    for name in NAMES {
        let mut counts = lanes[name].counts.clone();
        let folded = counts.remove("folded").unwrap();
        assert!(folded <= counts["applied"], "{name}: {folded} folded");
        let settled: u64 = counts
            .iter()
            .filter(|(of, _)| *of != "read")
            .map(|(_, n)| n)
            .sum();
        assert_eq!(settled, counts["read"], "{name}: {counts:?}");
        counts.retain(|_, count| *count > 0);
        let mut expected = oracle.counts(name);
        expected.retain(|_, count| *count > 0);
        assert_eq!(counts, expected, "{name}");
        let told = &summary["projections"][name];
        assert_eq!(told["pending"], 0, "{told}");
        assert_eq!(told["folded"], folded, "{told}");
        for (of, count) in expected {
            assert_eq!(told[&of], count, "{name}: {of}");
        }
        assert_eq!(lanes[name].malformed, oracle.malformed, "{name}");
    }
    assert_eq!(summary["source"]["read"], oracle.counts("accounts")["read"]);
    assert_eq!(summary["source"]["malformed"], oracle.malformed);
    let mut letters: Vec<_> = client
        .letters()
        .into_iter()
        .map(|letter| (letter.class, letter.projection, letter.event))
        .collect();
    letters.sort();
    let mut expected = oracle.letters.clone();
    expected.sort();
    let both = letters.iter().zip(&expected);
    for (found, expected) in both {
        assert_eq!(readable(found), readable(expected));
    }
    assert_eq!(letters.len(), expected.len(), "dead letters");
}

fn readable((class, projection, event): &(String, String, Vec<u8>)) -> [String; 3] {
    let event = String::from_utf8_lossy(event).into_owned();
    [class.clone(), projection.clone(), event]
}

/// Calls `work` with every number below `count`, some at the same time.
fn each_of(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && number < count
                {
                    work(number);
                }
            });
        }
    });
}

/// Two runs: one over the first `split` bytes of the file, one over all of it.
fn in_two_runs(file: &[u8], split: usize, more: &[&str], oracle: &Oracle) {
    println!("split at byte {split} of {}", file.len());
    let place = Place::with_events(PROJECTIONS, &file[..split]);
    place.run_once(more);
    place.append(&file[split..]);
    let summary = place.run_once(more);
    assert_equal(&place, &summary, oracle);
}

#[test]
fn batches_of_every_size_give_the_same() {
    let lines = Events::seeded(random::seed(), 12).lines(EVENTS);
    let (file, oracle) = (file_of(&lines), Oracle::of(&lines));
    for projection in NAMES {
        let counts = oracle.counts(projection);
        for of in ["applied", "unmatched", "stale", "dead_lettered"] {
            assert!(
                counts[of] > 0,
                "too few events test {projection}: {counts:?}"
            );
        }
    }
    assert!(oracle.counts("accounts")["ignored"] > 10);
    for of in ["ignored", "filtered"] {
        let counted = oracle.counts("profiles")[of];
        assert!(counted > 10, "{counted} {of} by profiles");
    }
    each_of(6, |number| {
        let max_batch = ["20000", "1", "2", "3", "7", "500"][number];
        let place = Place::with_events(PROJECTIONS, &file);
        let summary = place.run_once(&["--max-batch", max_batch]);
        assert_equal(&place, &summary, &oracle);
        let folded: u64 = NAMES
            .iter()
            .map(|name| summary["projections"][name]["folded"].as_u64().unwrap())
            .sum();
        assert_eq!(
            folded > 0,
            max_batch != "1",
            "{folded} folded at {max_batch}"
        );
    });
}

#[test]
fn events_that_come_twice_count_once() {
    let lines = Events::seeded(random::seed(), 12).lines(EVENTS);
    let twice: Vec<_> = lines
        .iter()
        .flat_map(|line| [line.clone(), line.clone()])
        .collect();
    let oracle = Oracle::of(&twice);
    assert_eq!(oracle.tables(), Oracle::of(&lines).tables());
    each_of(3, |number| {
        let max_batch = ["20000", "1", "7"][number];
        let place = Place::with_events(PROJECTIONS, file_of(&twice));
        let summary = place.run_once(&["--max-batch", max_batch]);
        assert_equal(&place, &summary, &oracle);
    });
}

#[test]
fn a_small_file_may_be_split_at_every_byte() {
    // A good one, no event, none at all, one with a line end of Windows, and one that comes late.
    let lines = [
        r#"{"eventType":"MONEY_MOVED","entityId":"é","sequenceNumber":1,"payload":{"amount":-0.1,"weight":0.1}}"#,
        "{oops",
        "",
        "{\"eventType\":\"BASKET_SET\",\"entityId\":\"b\",\"sequenceNumber\":1,\"payload\":{\"lines\":[{\"sku\":\"s\",\"quantity\":1}]}}\r",
        r#"{"eventType":"MONEY_MOVED","entityId":"é","sequenceNumber":1}"#,
    ];
    let lines = lines.map(|line| line.as_bytes().to_vec());
    let (file, oracle) = (file_of(&lines), Oracle::of(&lines));
    each_of(file.len() + 1, |split| {
        in_two_runs(&file, split, &[], &oracle)
    });
}

#[test]
fn a_larger_file_may_be_split_anywhere() {
    splits(40, 400);
}

/// Five hundred splits of a file, each into two runs, at random bytes.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_splits() {
    splits(500, EVENTS);
    println!("figure: splits=500 runs=1000 events={EVENTS} wrong=0");
}

fn splits(count: usize, events: usize) {
    let seed = random::seed();
    let lines = Events::seeded(seed, 5).lines(events);
    let (file, oracle) = (file_of(&lines), Oracle::of(&lines));
    let mut random = Random::seeded(seed);
    let last = file.len() as u64;
    let places: Vec<usize> = (0..count)
        .map(|_| usize::try_from(random.within(0..=last)).unwrap())
        .collect();
    each_of(count, |number| {
        let max_batch = ["20000", "7", "64"][number % 3];
        in_two_runs(&file, places[number], &["--max-batch", max_batch], &oracle);
    });
}

#[test]
fn a_malformed_line_leaves_one_letter_whenever_it_is_read() {
    let mut events = Events::seeded(random::seed(), 5);
    let mut lines = vec![b"not json".to_vec()];
    lines.extend(events.lines(10));
    let place = Place::with_events(PROJECTIONS, file_of(&lines));
    place.run_once(&["--only", "accounts"]);
    let more = events.lines(100);
    place.append(file_of(&more));
    let summary = place.run_once(&[]);
    lines.extend(more);
    assert_equal(&place, &summary, &Oracle::of(&lines));
}
