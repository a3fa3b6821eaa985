//! `pause` and `resume`: obeyed by a living owner, and kept for every later one.

use serde_json::json;
use tokio::time::Instant;

use crate::common::{Place, eventually};
use crate::desk::{
    SUMS, becomes, followed, has_read, lane, ones, stopped, suspend, tell, told, total,
};

#[test]
fn a_living_owner_obeys_within_a_second_and_a_pause_survives_restarts() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    let began = Instant::now();
    let paused = told(&place, &["pause", "sums"]);
    // A second for the owner, and some for the command on a busy machine.
    assert!(began.elapsed().as_secs() < 5, "{:?}", began.elapsed());
    assert_eq!(
        (&paused["key"], &paused["outcome"]),
        (&json!("all"), &json!("paused"))
    );
    let detail = paused["detail"].as_str().unwrap();
    assert!(
        detail.contains(&run.label()) && detail.contains("handles nothing more"),
        "{detail}"
    );
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["paused"]["by"]),
        (&json!("paused"), &json!("all lanes"))
    );
    place.append(ones(4..=5));
    stopped(run);
    assert_eq!(lane(&place)["state"], "stopped");
    let text = tell(&place, &["status"]);
    assert!(
        text.stdout
            .contains("paused by the flag of all its lanes since"),
        "{text:?}"
    );
    // The next process begins paused.
    let run = place.follow(&[]);
    let seen = becomes(&place, "paused");
    assert_eq!(
        (&seen["counters"]["read"], &seen["epoch"]),
        (&json!(3), &json!(2))
    );
    run.kill();
    becomes(&place, "stopped (died)");
    let run = place.follow(&[]);
    becomes(&place, "paused");
    assert_eq!(told(&place, &["resume", "sums"])["outcome"], "resumed");
    has_read(&place, 5);
    assert_eq!(total(&place), 5);
    assert_eq!(
        told(&place, &["resume", "sums"])["outcome"],
        "was not paused"
    );
    stopped(run);
}

#[test]
fn a_frozen_owner_obeys_when_it_wakes() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &["--claim-ttl", "600"]);
    suspend(&place, &run);
    let paused = told(&place, &["pause", "sums", "--key", "all"]);
    let detail = paused["detail"].as_str().unwrap();
    for words in [
        run.label().as_str(),
        "until 2",
        "is silent",
        "as soon as it wakes",
    ] {
        assert!(detail.contains(words), "{words}: {detail}");
    }
    let seen = lane(&place);
    assert_eq!(
        (&seen["state"], &seen["paused"]["by"]),
        (&json!("silent"), &json!("lane"))
    );
    run.send(nix::sys::signal::Signal::SIGCONT);
    becomes(&place, "paused");
    place.append(ones(4..=4));
    assert_eq!(
        told(&place, &["resume", "sums", "--key", "all"])["outcome"],
        "resumed"
    );
    has_read(&place, 4);
    stopped(run);
}

#[test]
fn what_was_never_started_can_begin_paused() {
    let place = Place::with_events(SUMS, ones(1..=3));
    place.run_once(&["--start", "latest"]);
    let unknown = tell(&place, &["pause", "sum"]);
    assert_eq!(
        (unknown.code, unknown.stdout.as_str()),
        (2, ""),
        "{unknown:?}"
    );
    assert!(
        unknown.stderr.contains("did you mean `sums`?"),
        "{unknown:?}"
    );
    let unknown = tell(&place, &["pause", "sums", "--key", "al"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(
        unknown.stderr.contains("did you mean `all`?"),
        "{unknown:?}"
    );
    let early = told(&place, &["pause", "later", "--before-first-run"]);
    assert_eq!(
        (&early["key"], &early["outcome"]),
        (&json!(null), &json!("paused"))
    );
    let status = place.status().last_line_as_json();
    let later = &status["projections"]["later"][0];
    assert_eq!(
        (&later["state"], &later["key"]),
        (&json!("not started"), &json!(null))
    );
    // It begins paused under that name.
    let projections = SUMS
        .replace("sums:", "later:")
        .replace("table: sums", "table: later");
    std::fs::write(place.projections(), projections).unwrap();
    let run = place.follow(&[]);
    eventually("it begins paused", || {
        let status = place.status();
        let lanes = status.last_line_as_json()["projections"]["later"].clone();
        (lanes[0]["state"] == "paused" && lanes[0]["key"] == "all").then_some(())
    });
    assert_eq!(told(&place, &["resume", "later"])["outcome"], "resumed");
    eventually("it is read", || {
        let lanes = place.client().lanes();
        (lanes["later"].counts["read"] == 3).then_some(())
    });
    stopped(run);
}

#[test]
fn the_flags_of_a_name_and_of_a_lane_are_apart() {
    let place = Place::with_events(SUMS, ones(1..=3));
    place.run_once(&[]);
    told(&place, &["pause", "sums", "--key", "all"]);
    told(&place, &["pause", "sums"]);
    let refused = tell(&place, &["resume", "sums", "--key", "all"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("by the flag of all lanes"),
        "{refused:?}"
    );
    told(&place, &["pause", "sums", "--key", "all"]);
    let refused = tell(&place, &["resume", "sums"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("resume sums --key all"),
        "{refused:?}"
    );
    told(&place, &["resume", "sums", "--key", "all"]);
    assert_eq!(lane(&place)["paused"], json!(null));
}

#[test]
fn a_dry_run_sets_and_lifts_nothing() {
    let place = Place::with_events(SUMS, ones(1..=3));
    let run = followed(&place, 3, &[]);
    let would = tell(&place, &["pause", "sums", "--dry-run"]);
    assert_eq!(would.code, 0, "{would:?}");
    for words in [
        "sums/all: would be paused",
        &run.label(),
        "nothing was changed",
    ] {
        assert!(would.stdout.contains(words), "{words}: {would:?}");
    }
    assert_eq!(lane(&place)["paused"], json!(null));
    told(&place, &["pause", "sums"]);
    let would = tell(&place, &["resume", "sums", "--dry-run"]);
    assert!(would.stdout.contains("would be resumed"), "{would:?}");
    assert_eq!(lane(&place)["paused"]["by"], "all lanes");
    stopped(run);
}
