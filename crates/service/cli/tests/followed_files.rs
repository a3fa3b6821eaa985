//! Files as they are in production: rotated, cut, compressed, several of them, or not there yet.
//! The program is killed by progress meanwhile; a table that counts every event tells what was lost
//! or came twice, as no sequence guard hides it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Client, Ended, Place, Random, Running, eventually, process, random};
use nix::sys::signal::Signal;

/// How often each event came.
const SEEN: &str = r#"
projections:
  seen:
    source_events: [SEEN]
    sequence: none
    target: { table: seen, primary_key: [id] }
    fields: { id: TEXT, times: BIGINT }
    derive: { id: event.entityId }
    mutations: { SEEN: { op: increment, by: { times: 1 } } }
"#;

/// Events of these numbers, a line each.
fn seen(numbers: std::ops::Range<u64>) -> String {
    let line =
        |number| format!("{{\"eventType\":\"SEEN\",\"entityId\":\"{number}\",\"payload\":{{}}}}\n");
    numbers.map(line).collect()
}

/// How many events were read.
fn read(place: &Place) -> u64 {
    let lanes = Client::open(&place.views()).map(|client| client.lanes());
    let lane = lanes.and_then(|mut lanes| lanes.remove("seen"));
    lane.map_or(0, |lane| lane.counts["read"])
}

fn until_read(place: &Place, count: u64, run: &mut Running) {
    eventually(&format!("{count} events are read"), || {
        assert!(!run.has_ended(), "it has ended");
        (read(place) >= count).then_some(())
    });
}

/// Each event of `0..count` was counted once, and nothing else.
fn assert_each_once(place: &Place, count: u64) {
    let client = place.client();
    let mut times = client
        .connection
        .prepare("SELECT id, times FROM seen")
        .unwrap();
    let rows = times.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
    });
    let mut rows: Vec<(u64, i64)> = rows
        .unwrap()
        .map(|row| row.unwrap())
        .map(|(id, times)| (id.parse().unwrap(), times))
        .collect();
    rows.sort_unstable();
    let expected: Vec<(u64, i64)> = (0..count).map(|id| (id, 1)).collect();
    assert_eq!(rows, expected);
    assert!(client.letters().is_empty());
}

fn beside(place: &Place, ending: &str) -> PathBuf {
    place.path(&format!("events.jsonl{ending}"))
}

/// Makes the name of number 1 free.
fn shift(place: &Place) {
    let of = |number: u64| beside(place, &format!(".{number}"));
    let numbers = (1..).take_while(|number| of(*number).exists());
    for number in numbers.collect::<Vec<_>>().into_iter().rev() {
        fs::rename(of(number), of(number + 1)).unwrap();
    }
}

/// Files are rotated while the program runs and while it does not, and it is killed so often.
fn kill_while_rotating(rotate: fn(&Place), kills: u64) {
    let mut random = Random::seeded(random::seed());
    let mut written = 300;
    let place = Place::with_events(SEEN, seen(0..written));
    let mut write = |place: &Place, random: &mut Random| {
        let more = random.within(0..=300);
        place.append(seen(written..written + more));
        written += more;
        written
    };
    // A projection that never stood anywhere begins with the file that is there.
    let mut run = place.follow(&["--max-batch", "20"]);
    until_read(&place, 1, &mut run);
    run.kill();
    for _ in 0..kills {
        let mut run = place.follow(&["--max-batch", "20"]);
        if random.once_in(2) {
            rotate(&place);
        }
        let all = write(&place, &mut random);
        let before = read(&place);
        let grown = random.within(0..=all - before);
        if grown > 0 {
            until_read(&place, before + grown, &mut run);
        }
        if random.once_in(2) {
            rotate(&place);
            write(&place, &mut random);
        }
        assert!(!run.has_ended(), "{:?}", run.end());
        run.kill();
        if random.once_in(3) {
            rotate(&place);
            write(&place, &mut random);
        }
    }
    let all = write(&place, &mut random);
    let mut last = place.follow(&[]);
    until_read(&place, all, &mut last);
    let ended = last.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_each_once(&place, all);
}

fn rename(place: &Place) {
    if place.events().exists() {
        shift(place);
        fs::rename(place.events(), beside(place, ".1")).unwrap();
    }
}

fn copy_and_cut(place: &Place) {
    shift(place);
    fs::copy(place.events(), beside(place, ".1")).unwrap();
    let file = fs::OpenOptions::new().write(true).open(place.events());
    file.unwrap().set_len(0).unwrap();
}

#[test]
fn kills_while_files_are_renamed_lose_nothing_and_count_nothing_twice() {
    kill_while_rotating(rename, 12);
}

#[test]
fn kills_while_files_are_copied_and_cut_lose_nothing_and_count_nothing_twice() {
    kill_while_rotating(copy_and_cut, 12);
}

/// A hundred kills of each kind of rotation.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_rotation_kills() {
    let kills = 100;
    kill_while_rotating(rename, kills);
    kill_while_rotating(copy_and_cut, kills);
    println!("figure: rotation_kills={} lost=0 doubled=0", 2 * kills);
}

/// `projectionist run` over a pattern of files.
fn over(place: &Place, pattern: &str, more: &[&str]) -> std::process::Command {
    let pattern = place.path(pattern).display().to_string();
    place.run_from(&pattern, more)
}

fn once(place: &Place, pattern: &str) -> Ended {
    process::ended(&mut over(place, pattern, &["--once", "--format", "json"]))
}

#[test]
fn kills_over_several_files_lose_nothing_and_count_nothing_twice() {
    let mut random = Random::seeded(random::seed());
    let place = Place::with(SEEN);
    let day = |number: u64| place.path(&format!("day-{number:02}.jsonl"));
    let mut written = 0;
    for number in 0..10 {
        let more = random.within(1..=200);
        let mut run = Running::start(&mut over(&place, "day-*.jsonl", &["--max-batch", "20"]));
        fs::write(day(number), seen(written..written + more)).unwrap();
        written += more;
        let before = read(&place);
        until_read(
            &place,
            before + random.within(0..=written - before),
            &mut run,
        );
        run.kill();
        if number > 4 && random.once_in(2) && read(&place) == written {
            fs::remove_file(day(number - 4)).unwrap();
        }
    }
    let ended = once(&place, "day-*.jsonl");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_each_once(&place, written);
    let offset = place.client().lanes()["seen"].offset.clone().unwrap();
    assert!(offset.ends_with(";day-09.jsonl"), "{offset}");
    // What comes too late is told, and nothing is changed by it.
    fs::write(place.path("day-08a.jsonl"), seen(0..1)).unwrap();
    let ended = once(&place, "day-*.jsonl");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("day-08a.jsonl comes before day-09.jsonl"),
        "{ended:?}"
    );
    assert_each_once(&place, written);
}

#[test]
fn what_cannot_be_read_is_told_with_the_way_out() {
    let place = Place::with(SEEN);
    let ended = once(&place, "*.jsonl");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("no file matches"), "{ended:?}");
    let ended = once(&place, "*/a.jsonl");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains("not its folder"), "{ended:?}");
    let ended = once(&place, "");
    assert_eq!(ended.code, 1, "{ended:?}");
    let hint = "is a directory, not a regular file; name a file in it, or several by a pattern";
    assert!(ended.stderr.contains(hint), "{ended:?}");
}
