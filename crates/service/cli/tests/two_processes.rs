//! Two processes on one target: one works, the other stands by and takes over.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::time::Duration;

use common::client::{Lane, assert_same_tables};
use common::events::{Events, file_of};
use common::oracle::Oracle;
use common::world::{NAMES, PROJECTIONS};
use common::{Place, Running, eventually, random, wait};
use nix::sys::signal::Signal;
use rusqlite::Connection;
use tokio::time::Instant;

/// A short claim, in seconds: long enough that a busy machine renews it in time.
const TTL: u64 = 3;

/// A target with a process that works on it, and the events that were written.
struct Stage {
    place: Place,
    events: Events,
    written: Vec<Vec<u8>>,
    ttl: String,
}

impl Stage {
    fn new() -> Self {
        Self {
            place: Place::with(PROJECTIONS),
            events: Events::seeded(random::seed(), 10),
            written: Vec::new(),
            ttl: TTL.to_string(),
        }
    }

    fn write(&mut self, events: usize) {
        let lines = self.events.lines(events);
        self.place.append(file_of(&lines));
        self.written.extend(lines);
    }

    fn follow(&self) -> Running {
        self.place.follow(&["--claim-ttl", &self.ttl])
    }

    /// Waits until all projections have read everything that was written; gives their lanes.
    fn all_is_read(&self) -> Vec<Lane> {
        let oracle = Oracle::of(&self.written);
        eventually("everything is read", || {
            let client = common::Client::open(&self.place.views())?;
            let mut lanes = client.lanes();
            let lanes = NAMES.map(|name| lanes.remove(name));
            let lanes = lanes.into_iter().collect::<Option<Vec<_>>>()?;
            let is_read =
                |(lane, name): (&Lane, &&str)| lane.counts["read"] == oracle.counts(name)["read"];
            lanes.iter().zip(&NAMES).all(is_read).then_some(lanes)
        })
    }

    /// The tables and the counts are those of everything that was written.
    fn assert_exact(&self) {
        let oracle = Oracle::of(&self.written);
        let client = self.place.client();
        assert_same_tables(&client.tables(), &oracle.tables());
        for (name, lane) in client.lanes() {
            let mut counts = lane.counts;
            counts.remove("folded");
            counts.retain(|_, count| *count > 0);
            let mut expected = oracle.counts(&name);
            expected.retain(|_, count| *count > 0);
            assert_eq!(counts, expected, "{name}");
        }
        assert_eq!(client.letters().len(), oracle.letters.len());
    }
}

fn epochs(lanes: &[Lane]) -> Vec<i64> {
    lanes.iter().map(|lane| lane.epoch).collect()
}

/// Waits until a process says of every projection that it stands by behind `owner`.
fn stands_by(process: &Running, owner: &str) {
    for name in NAMES {
        process.says(&["standing by", name, owner]);
    }
}

/// Suspends a process between two of its transactions: one that is suspended within one keeps
/// SQLite's lock, and then nobody can write, whatever the claims say.
fn suspend(place: &Place, process: &Running) {
    let lock = Connection::open(place.views()).unwrap();
    lock.busy_timeout(wait::AT_MOST).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    process.send(Signal::SIGSTOP);
    let stat = format!("/proc/{}/stat", process.id());
    eventually("the process is suspended", || {
        std::fs::read_to_string(&stat)
            .unwrap()
            .contains(") T ")
            .then_some(())
    });
    lock.execute_batch("ROLLBACK").unwrap();
}

fn stopped(process: Running) {
    let ended = process.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn the_second_stands_by_and_takes_over_from_a_killed_one_at_once() {
    let mut stage = Stage::new();
    stage.ttl = "600".to_owned();
    stage.write(300);
    let first = stage.follow();
    let before = stage.all_is_read();
    let second = stage.follow();
    stands_by(&second, &first.label());
    assert_eq!(epochs(&stage.all_is_read()), epochs(&before));
    // Its parent, which is this test, collects it only at the end.
    first.send(Signal::SIGKILL);
    stage.write(300);
    // Ten minutes are more than this test waits for anything.
    let after = stage.all_is_read();
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after.epoch, before.epoch + 1);
    }
    stopped(second);
    stage.assert_exact();
}

#[test]
fn the_second_takes_over_from_one_that_stops_by_itself() {
    let mut stage = Stage::new();
    stage.write(300);
    let first = stage.follow();
    stage.all_is_read();
    let second = stage.follow();
    stands_by(&second, &first.label());
    stopped(first);
    stage.write(300);
    stage.all_is_read();
    stopped(second);
    stage.assert_exact();
}

#[test]
fn one_that_was_suspended_commits_nothing_more_and_stands_by() {
    let mut stage = Stage::new();
    stage.write(300);
    let first = stage.follow();
    let before = stage.all_is_read();
    let second = stage.follow();
    stands_by(&second, &first.label());
    suspend(&stage.place, &first);
    // What the first one meets when it wakes, so that it would have something to commit.
    stage.write(300);
    let taken = stage.all_is_read();
    for (before, taken) in before.iter().zip(&taken) {
        assert_eq!(taken.epoch, before.epoch + 1);
    }
    first.send(Signal::SIGCONT);
    stands_by(&first, &second.label());
    stage.write(300);
    let after = stage.all_is_read();
    assert_eq!(epochs(&after), epochs(&taken));
    stage.assert_exact();
    // And back again.
    second.kill();
    stage.write(100);
    stage.all_is_read();
    stopped(first);
    stage.assert_exact();
}

/// It wakes with a group in its hands that it read before, and its transaction is the next thing
/// that it does: only the check of the claim in that transaction keeps it from counting twice.
#[test]
fn one_that_was_suspended_in_the_middle_of_its_work_commits_nothing_more() {
    let mut stage = Stage::new();
    stage.write(10_000);
    let options = ["--claim-ttl", &stage.ttl.clone(), "--max-batch", "20"];
    let first = stage.place.follow(&options);
    eventually("the first one is at work", || {
        let lanes = common::Client::open(&stage.place.views())?.lanes();
        let is_at_work = |name: &&str| {
            lanes
                .get(*name)
                .is_some_and(|lane| lane.counts["read"] >= 100)
        };
        NAMES.iter().all(is_at_work).then_some(())
    });
    suspend(&stage.place, &first);
    let suspended = stage.place.client().lanes();
    let second = stage.follow();
    let taken = stage.all_is_read();
    for (name, taken) in NAMES.iter().zip(&taken) {
        assert_eq!(taken.epoch, suspended[*name].epoch + 1);
        assert!(
            suspended[*name].counts["read"] < taken.counts["read"],
            "{name} had work left"
        );
    }
    first.send(Signal::SIGCONT);
    stands_by(&first, &second.label());
    stopped(second);
    stopped(first);
    stage.assert_exact();
}

#[test]
fn a_run_to_the_end_waits_twice_the_time_of_a_claim_and_names_the_owner() {
    let mut stage = Stage::new();
    stage.write(100);
    let first = stage.follow();
    let before = stage.all_is_read();
    let began = Instant::now();
    let ended = stage.place.ended(&["--claim-ttl", &stage.ttl]);
    let waited = began.elapsed();
    assert_eq!(ended.code, 1, "{ended:?}");
    for name in NAMES {
        let line = ended.stderr.lines().find(|line| {
            line.contains(&format!("projection {name} failed")) && line.contains(&first.label())
        });
        assert!(line.is_some(), "{name}: {ended:?}");
    }
    let expected = Duration::from_secs(2 * TTL);
    assert!(waited >= expected, "it gave up after {waited:?}");
    assert!(waited < 3 * expected, "it gave up only after {waited:?}");
    assert_eq!(epochs(&stage.all_is_read()), epochs(&before));
    stopped(first);
    stage.assert_exact();
}

#[test]
fn a_run_to_the_end_goes_on_when_the_owner_stops_in_time() {
    let mut stage = Stage::new();
    stage.ttl = "30".to_owned();
    stage.write(100);
    let first = stage.follow();
    stage.all_is_read();
    let once = ["--once", "--claim-ttl", &stage.ttl];
    let second = Running::start(&mut stage.place.run(&once));
    stands_by(&second, &first.label());
    stopped(first);
    let ended = second.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    stage.assert_exact();
}

#[test]
fn the_time_of_a_claim_is_whole_seconds() {
    let place = Place::with(PROJECTIONS);
    for wrong in ["0", "-1", "1.5", "ten", "86401"] {
        let ended = place.ended(&[&format!("--claim-ttl={wrong}")]);
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(
            ended.stderr.contains("whole seconds from 1 to 86400"),
            "{ended:?}"
        );
    }
}
