//! A rebuild, a swap or a revert that is killed at any moment leaves what was in use or what was to
//! become of it, never between, and the next call ends the work.
//!
//! Kills come by progress: when the process has worked for so long, as the system counts the time
//! that it had a processor. Half of them fall into the last part, where the swap is.

use std::fs;

use crate::common::{Place, Random, Running, process, random, watched};
use crate::scene::{State, assert_same, by_hand, ran, rebuild, rebuilt, traces};

/// Puts the target back to what it was.
fn put_back(place: &Place, bytes: &[u8]) {
    for beside in ["-wal", "-shm"] {
        // It is there only behind a process that was killed.
        let _ = fs::remove_file(format!("{}{beside}", place.views().display()));
    }
    fs::write(place.views(), bytes).unwrap();
}

/// The bytes of the target's file, with all that its log held.
fn bytes(place: &Place) -> Vec<u8> {
    by_hand(place, "PRAGMA wal_checkpoint(TRUNCATE)");
    fs::read(place.views()).unwrap()
}

/// What kills have met.
#[derive(Debug, Default)]
struct Met {
    old: u64,
    new: u64,
    resumed: u64,
}

/// Kills `rebuild` with these arguments so often, each at another point of its work.
fn kills(place: &Place, arguments: &[&str], count: u64) -> Met {
    let mut random = Random::seeded(random::seed());
    let start = bytes(place);
    let before = State::of(place);
    put_back(place, &start);
    let mut whole = Running::start(&mut rebuild(place, arguments));
    let total = watched(&mut whole, u64::MAX);
    let ended = whole.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let after = State::of(place);
    assert_ne!(after, before);
    let mut met = Met::default();
    for kill in 0..count {
        put_back(place, &start);
        let (from, within) = match kill % 2 {
            0 => (0, total),
            _ => (total / 10 * 8, total / 4),
        };
        let until = from + random.within(0..=within);
        let mut running = Running::start(&mut rebuild(place, arguments));
        watched(&mut running, until);
        running.kill();
        let found = State::of(place);
        if found == before {
            met.old += 1;
            let again = process::ended(&mut rebuild(place, arguments));
            assert_eq!(again.code, 0, "killed at {until} of {total} ns: {again:?}");
            met.resumed += u64::from(again.stderr.contains("goes on after"));
        } else {
            met.new += 1;
        }
        assert_same(
            &State::of(place),
            &after,
            &format!("killed at {until} of {total} ns"),
        );
        // What the guard of the old one left goes at the latest with the next call.
        let ended = process::ended(&mut rebuild(place, &["--abort"]));
        assert_eq!(ended.code, 0, "{ended:?}");
        assert_eq!(traces(place), [].into(), "killed at {until} of {total} ns");
    }
    met
}

/// A target of which a rebuild changes something.
fn wrong(events: usize) -> Place {
    let place = ran(events);
    by_hand(
        &place,
        "UPDATE baskets SET lines = 77; DELETE FROM acme__baskets WHERE basket_id > 'b-2'",
    );
    place
}

fn kill_rebuilds(count: u64) -> Met {
    let met = kills(&wrong(30_000), &["baskets", "--keep"], count);
    assert!(met.old >= count / 4, "{met:?}");
    met
}

fn kill_reverts(count: u64) -> Met {
    let place = wrong(3_000);
    rebuilt(&place, &["baskets", "--keep"]);
    kills(&place, &["baskets", "--revert"], count)
}

#[test]
fn a_rebuild_that_is_killed_leaves_the_old_or_the_new_and_is_resumed() {
    let met = kill_rebuilds(16);
    assert!(met.resumed > 0, "{met:?}");
}

#[test]
fn a_revert_that_is_killed_leaves_the_one_or_the_other() {
    kill_reverts(10);
}

/// Three hundred kills of rebuilds and a hundred of reverts, at points spread over all their work.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_rebuild_kills() {
    let (rebuilds, reverts) = (kill_rebuilds(300), kill_reverts(100));
    println!(
        "figure: rebuild_kills=300 between=0 resumed={} had_done_it={}",
        rebuilds.resumed, rebuilds.new
    );
    println!(
        "figure: revert_kills=100 between=0 had_done_it={}",
        reverts.new
    );
}
