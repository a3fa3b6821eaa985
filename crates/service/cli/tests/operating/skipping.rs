//! `skip`: the event that cannot be handled now, told in the answer.

use serde_json::json;

use crate::common::{Place, Running, eventually};
use crate::desk::{
    SUMS, added, becomes, followed, has_read, lane, stopped, suspend, tell, told, total,
};

/// A run that tries an event again and again, whose sum leaves the column.
fn stuck() -> (Place, Running) {
    let place = Place::with_events(SUMS, added(1, i64::MAX));
    let run = followed(&place, 1, &["--claim-ttl", "600"]);
    place.append(added(2, 1));
    place.append(added(3, -1));
    let lane = becomes(&place, "retrying");
    assert_eq!(lane["last_error"]["class"], "data");
    (place, run)
}

#[test]
fn the_event_that_fails_is_passed_over_kept_and_told() {
    let (place, run) = stuck();
    // The refusal interrupted the run, which meets it again.
    let failing = becomes(&place, "retrying")["failing"]["offset"].clone();
    let would = told(&place, &["skip", "sums", "--dry-run"]);
    assert_eq!(
        (&would["outcome"], &would["offset"]),
        (&json!("would be passed over"), &failing)
    );
    assert_eq!(lane(&place)["state"], "retrying");
    let skipped = told(&place, &["skip", "sums"]);
    assert_eq!(
        (&skipped["outcome"], &skipped["offset"]),
        (&json!("passed over"), &failing)
    );
    has_read(&place, 3);
    assert_eq!(total(&place), i64::MAX - 1);
    let letters = place.client().letters();
    assert_eq!(letters.len(), 1);
    let seen = becomes(&place, "idle");
    assert_eq!(
        (&seen["dead_letters"], &seen["failing"]),
        (&json!(1), &json!(null))
    );
    let nothing = tell(&place, &["skip", "sums"]);
    assert_eq!(
        (nothing.code, nothing.stdout.as_str()),
        (1, ""),
        "{nothing:?}"
    );
    assert!(
        nothing.stderr.contains("no event fails at the moment"),
        "{nothing:?}"
    );
    stopped(run);
}

#[test]
fn an_event_that_does_not_fail_is_not_passed_over() {
    let (place, run) = stuck();
    // Where the lane stands: nothing of it fails there any more.
    let offset = tell(&place, &["offset", "get", "sums"]).stdout;
    let refused = tell(&place, &["skip", "sums", "--offset", offset.trim_end()]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("passed"), "{refused:?}");
    assert_eq!(place.client().letters().len(), 0);
    // The refusal interrupted the run, which meets it again.
    let failing = becomes(&place, "retrying")["failing"]["offset"]
        .as_str()
        .unwrap()
        .to_owned();
    told(&place, &["skip", "sums", "--offset", &failing]);
    has_read(&place, 3);
    stopped(run);
}

#[test]
fn nobody_passes_over_where_nobody_runs() {
    let (place, run) = stuck();
    suspend(&place, &run);
    let held = tell(&place, &["skip", "sums", "--wait", "0.5"]);
    assert_eq!(held.code, 1, "{held:?}");
    for words in [run.label().as_str(), "is silent", "is taken back"] {
        assert!(held.stderr.contains(words), "{words}: {held:?}");
    }
    let label = run.label();
    run.kill();
    let refused = tell(&place, &["skip", "sums"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    for words in [label.as_str(), "died", "start it"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    // The next run meets it again.
    let run = place.follow(&[]);
    becomes(&place, "retrying");
    told(&place, &["skip", "sums"]);
    eventually("it goes on", || {
        (lane(&place)["state"] == "idle").then_some(())
    });
    stopped(run);
}
