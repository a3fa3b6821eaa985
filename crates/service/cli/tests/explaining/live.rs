//! An audit beside a run that goes on.

use nix::sys::signal::Signal;

use crate::common::events::{Events, file_of};
use crate::common::world::PROJECTIONS;
use crate::common::{Client, Place, eventually, random};
use crate::stand::Stand;

/// How many events the projection `accounts` has read.
fn read(stand: &Stand) -> Option<u64> {
    let client = Client::open(&stand.place.views())?;
    let lane = client.lanes().remove("accounts")?;
    Some(lane.counts["read"])
}

#[test]
fn a_run_that_goes_on_is_audited_as_of_one_moment() {
    let mut events = Events::seeded(random::seed(), 20);
    let stand = Stand {
        place: Place::with_events(PROJECTIONS, file_of(&events.good_lines(500))),
    };
    let running = stand.place.follow(&["--max-batch", "20"]);
    let mut at_least = 500;
    let mut audited = Vec::new();
    for _ in 0..4 {
        eventually("the events are read", || {
            (read(&stand)? >= at_least).then_some(())
        });
        let before = read(&stand).unwrap();
        stand.place.append(file_of(&events.good_lines(1_000)));
        at_least += 600;
        let found = stand.audit(&["accounts"], 0);
        // Every line is an event.
        let until = found["until"].as_str().unwrap().split(':').nth(1);
        let line: u64 = until.unwrap().parse().unwrap();
        assert!(line >= before, "{line} of {before}");
        audited.push(line);
        stand.explain(&["accounts", "account-1"], true);
    }
    assert!(audited.is_sorted(), "{audited:?}");
    // What was changed behind its back is found while it runs.
    eventually("all is read", || (read(&stand)? == 4_500).then_some(()));
    stand.tamper("INSERT INTO accounts (account_id, moves) VALUES ('nobody', 0)");
    stand.audit(&["accounts"], 1);
    assert_eq!(running.stop(Signal::SIGTERM).code, 0);
}
