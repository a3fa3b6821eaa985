//! Replays that are killed, that meet each other, and that meet a run.

use nix::sys::signal::Signal;

use crate::common::{Random, Running, eventually, random};
use crate::desk::{Desk, bad, good};

const ENTITIES: i64 = 20;

/// So many letters of every entity, one after the other; each adds its number.
fn letters(rounds: i64) -> String {
    let rounds = (1..=rounds).flat_map(|round| (0..ENTITIES).map(move |entity| (round, entity)));
    rounds
        .map(|(round, entity)| bad(&format!("account-{entity}"), round, round))
        .collect()
}

/// Every entity has the sum of all its letters, each counted once.
fn assert_all_once(desk: &Desk, rounds: i64) {
    let accounts = desk.accounts();
    let of_letters = accounts.iter().filter(|(id, _)| id.starts_with("account-"));
    let sum = rounds * (rounds + 1) / 2;
    let mut met = 0;
    for (id, account) in of_letters {
        assert_eq!(*account, (sum, rounds), "{id}");
        met += 1;
    }
    assert_eq!(met, ENTITIES);
    assert_eq!(desk.place.client().letters().len(), 0);
    assert_eq!(desk.place.client().integrity(), "ok");
}

#[test]
fn a_replay_that_is_killed_again_and_again_applies_each_letter_once() {
    let rounds = 100;
    let desk = Desk::after(&letters(rounds));
    let mut random = Random::seeded(random::seed());
    let client = desk.place.client();
    let left = || {
        let sql = "SELECT count(*) FROM projectionist_dead_letters";
        let left: i64 = client
            .connection
            .query_row(sql, [], |row| row.get(0))
            .unwrap();
        u64::try_from(left).unwrap()
    };
    let fixed = desk.fixed();
    let mut kills = 0;
    while left() > 300 {
        let before = left();
        let goal = before - random.within(1..=150);
        let mut replay = Running::start(&mut desk.command("replay", &["--file", &fixed]));
        eventually("the replay comes so far", || {
            (left() <= goal || replay.has_ended()).then_some(())
        });
        replay.kill();
        kills += 1;
        let counts = desk.counts("accounts");
        assert_eq!(counts["dead_lettered"], left(), "{counts:?}");
    }
    assert!(kills >= 5, "{kills} kills");
    desk.replay(&[]);
    assert_all_once(&desk, rounds);
    assert_eq!(desk.counts("accounts")["applied"], 2_000);
}

#[test]
fn two_replays_and_a_run_that_goes_on_apply_everything_once() {
    let rounds = 25;
    let desk = Desk::after(&letters(rounds));
    let run = desk.place.follow(&["--max-batch", "5"]);
    desk.place.append(good("live", 1, 1));
    eventually("the run follows", || {
        desk.accounts().contains_key("live").then_some(())
    });
    let fixed = desk.fixed();
    let start = || Running::start(&mut desk.command("replay", &["--file", &fixed]));
    let replays = [start(), start()];
    for number in 2..=200 {
        desk.place.append(good("live", number, 1));
    }
    for replay in replays {
        let ended = replay.end();
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    // The run still remembers what it knew before of every entity that was replayed.
    for entity in 0..ENTITIES {
        let name = format!("account-{entity}");
        desk.place.append(good(&name, rounds, 1_000_000));
    }
    desk.place.append(good("live", 201, 1));
    eventually("the run reads all", || {
        (desk.accounts()["live"] == (201, 201)).then_some(())
    });
    let ended = run.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_all_once(&desk, rounds);
    let counts = desk.counts("accounts");
    let events = u64::try_from(ENTITIES * rounds).unwrap() + 201;
    assert_eq!(counts["applied"], events, "{counts:?}");
    assert_eq!(counts["stale"], u64::try_from(ENTITIES).unwrap());
}
