//! The target: what cannot be written is told, and a disk that is full is waited for.

use std::fs;
use std::process::Command;

use nix::sys::signal::Signal;
use rusqlite::Connection;

use crate::common::process::{command, ended};
use crate::common::{Ended, Place, Running};
use crate::{TWO, counted, visits};

fn run_into(place: &Place, target: &str) -> Ended {
    let mut run = command();
    run.arg("run").arg(place.projections());
    run.arg("--from").arg(place.events());
    ended(run.args(["--into", target, "--once"]))
}

/// One sentence, and exit code 1.
fn assert_unusable(ended: &Ended, words: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{ended:?}");
    assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
}

#[test]
fn a_target_that_cannot_be_written_is_told_in_a_sentence() {
    let place = Place::with_events(TWO, visits(1..=3));
    let at = |path: &str| format!("sqlite:{}", place.path(path).display());
    assert_unusable(
        &run_into(&place, &at("no/folder/views.db")),
        &["no/folder", "make the folder"],
    );
    fs::create_dir(place.path("folder")).unwrap();
    assert_unusable(
        &run_into(&place, &at("folder")),
        &["folder", "name a file in it"],
    );
    // Nobody can make files here, whatever their rights.
    assert_unusable(
        &run_into(&place, "sqlite:/proc/views.db"),
        &["/proc/views.db"],
    );
    fs::write(place.path("text.db"), "hello ".repeat(1000)).unwrap();
    assert_unusable(
        &run_into(&place, &at("text.db")),
        &["text.db", "not a database"],
    );
    assert_eq!(
        fs::read_to_string(place.path("text.db")).unwrap(),
        "hello ".repeat(1000)
    );
    assert_unusable(
        &run_into(&place, "sqlite::memory:"),
        &[":memory:", "name a file"],
    );
}

#[test]
fn a_target_of_a_newer_build_is_refused() {
    let place = Place::with_events(TWO, visits(1..=3));
    place.run_once(&[]);
    let connection = Connection::open(place.views()).unwrap();
    connection
        .execute("UPDATE projectionist_schema SET version = 99", [])
        .unwrap();
    place.append(visits(4..=4));
    assert_unusable(
        &place.ended(&[]),
        &["version 99", "use the build that wrote it"],
    );
    assert_eq!(counted(&place), 3);
}

/// A full disk is an outage: it is waited for, no event is blamed, and nothing is counted twice.
/// A limit on the size of files stands in for the disk.
#[test]
fn a_full_disk_is_waited_for() {
    let place = Place::with_events(TWO, visits(1..=3000));
    place.run_once(&["--only", "names"]);
    let size = fs::metadata(place.views()).unwrap().len();
    let run = place.run(&["--max-batch", "10", "--format", "json"]);
    let mut limited = Command::new("sh");
    // The signal that goes with the limit is ignored, as a full disk sends none.
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", size / 512 + 64);
    limited.args(["-c", &script, "sh"]);
    limited.arg(run.get_program()).args(run.get_args());
    let running = Running::start(&mut limited);
    running.says(&["restarting", "visits"]);
    let applied = counted(&place);
    let ended = running.stop(Signal::SIGTERM);
    assert!(ended.code <= 1, "{ended:?}");
    assert!(applied < 3000, "the limit was met");
    place.run_once(&[]);
    assert_eq!(counted(&place), 3000);
    assert_eq!(place.client().letters(), []);
    assert_eq!(place.client().integrity(), "ok");
}
