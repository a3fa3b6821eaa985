//! A run without `--once`: follows what is written and stops gracefully.

use std::fs;
use std::path::PathBuf;

use nix::sys::signal::Signal;

use crate::common::{Client, Place, Running, eventually};
use crate::{TWO, count, counted, event, visits};

/// Waits until so many visits are counted.
fn are_counted(place: &Place, visits: i64) {
    eventually(&format!("{visits} visits are counted"), || {
        let client = Client::open(&place.views())?;
        if !client.table_names().contains("visits") {
            return None;
        }
        (counted(place) == visits).then_some(())
    });
}

/// Waits until the process has read to the present end of the file, whatever it makes of it.
fn has_read_all(run: &Running, place: &Place) {
    let process = PathBuf::from(format!("/proc/{}", run.id()));
    let length = fs::metadata(place.events()).unwrap().len();
    let events = place.events().canonicalize().unwrap();
    eventually("the file is read to its end", || {
        let open = fs::read_dir(process.join("fd")).unwrap().flatten();
        let mut ours = open.filter(|file| fs::read_link(file.path()).is_ok_and(|to| to == events));
        let is_at_end = |file: fs::DirEntry| {
            let about = fs::read_to_string(process.join("fdinfo").join(file.file_name()));
            let position = format!("pos:\t{length}\n");
            about.is_ok_and(|about| about.contains(&position))
        };
        ours.all(is_at_end).then_some(())
    });
}

fn follow(place: &Place) -> Running {
    place.follow(&["--format", "json"])
}

#[test]
fn appended_lines_are_applied_and_both_signals_stop_gracefully() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let place = Place::with_events(TWO, visits(1..=3));
        let run = follow(&place);
        are_counted(&place, 3);
        place.append(visits(4..=5));
        are_counted(&place, 5);
        let ended = run.stop(signal);
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stderr.contains("stopping"), "{ended:?}");
        let summary = ended.last_line_as_json();
        assert_eq!(count(&summary, "visits", "applied"), 5);
        assert_eq!(count(&summary, "visits", "pending"), 0);
        let lanes = place.client().lanes();
        assert!(lanes.values().all(|lane| !lane.is_held), "{lanes:?}");
        // Everything that was read is saved: nothing is read again.
        assert_eq!(count(&place.run_once(&[]), "visits", "read"), 5);
    }
}

/// What is read when the signal comes is saved or read again, never counted twice.
#[test]
fn a_stop_in_the_middle_of_much_work_leaves_exact_counts() {
    let place = Place::with_events(TWO, visits(1..=20_000));
    let run = place.follow(&["--format", "json", "--max-batch", "100"]);
    eventually("some visits are counted", || {
        let client = Client::open(&place.views())?;
        let lane = client.lanes().remove("visits")?;
        (lane.counts["applied"] >= 500).then_some(())
    });
    let ended = run.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    let applied = count(&ended.last_line_as_json(), "visits", "applied");
    assert!((500..20_000).contains(&applied), "{applied}");
    assert_eq!(counted(&place), i64::try_from(applied).unwrap());
    place.run_once(&[]);
    assert_eq!(counted(&place), 20_000);
}

#[test]
fn a_line_that_is_written_in_pieces_is_applied_once_it_is_whole() {
    let place = Place::with_events(TWO, visits(1..=1));
    let run = follow(&place);
    are_counted(&place, 1);
    let line = event("VISITED", 2);
    let (head, tail) = line.split_at(line.len() / 2);
    place.append(head);
    has_read_all(&run, &place);
    place.append(tail);
    place.append(visits(3..=3));
    are_counted(&place, 3);
    let ended = run.stop(Signal::SIGTERM);
    let summary = ended.last_line_as_json();
    assert_eq!(summary["source"]["malformed"], 0, "{ended:?}");
    assert_eq!(count(&summary, "visits", "read"), 3);
}

#[test]
fn a_file_that_is_not_there_yet_is_waited_for() {
    let place = Place::with(TWO);
    let run = follow(&place);
    run.says(&["events.jsonl", "there is no such file yet", "waiting"]);
    place.append(visits(1..=2));
    are_counted(&place, 2);
    let ended = run.stop(Signal::SIGINT);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn latest_begins_behind_what_is_there_and_holds_only_once() {
    let place = Place::with_events(TWO, visits(1..=3));
    let latest = ["--start", "latest"];
    assert_eq!(count(&place.run_once(&latest), "visits", "read"), 0);
    place.append(visits(4..=5));
    let ended = place.ended(&latest);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(count(&ended.last_line_as_json(), "visits", "read"), 2);
    assert_eq!(counted(&place), 2);
    for name in ["names", "visits"] {
        let told = ended.stderr.lines().any(|line| {
            line.contains("--start") && line.contains(name) && line.contains("ignored")
        });
        assert!(told, "an ignored start is told: {ended:?}");
    }
}
