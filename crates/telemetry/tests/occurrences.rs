//! Every typed event moves the counters that belong to it, by what it says.

mod common;

use std::collections::BTreeMap;

use common::{Ledger, lane, series, tell_everything};

#[test]
fn each_occurrence_is_counted_once() {
    let ledger = Ledger::default();
    ledger.records(|| tell_everything(&lane("orders", "p-3"), "an event"));

    let projection = [("projection", "orders")];
    let of_lane = [("projection", "orders"), ("key", "p-3")];
    let outcome = |outcome| [of_lane[0], of_lane[1], ("outcome", outcome)];
    let name = |rest: &str| format!("persistence_projection_{rest}_total");
    let expected = BTreeMap::from([
        // Two dead letters, one skipped, one that was not vouched for.
        (series(&name("events_skipped"), &projection), 4),
        (series(&name("failures"), &projection), 3),
        (series(&name("handler_timeouts"), &of_lane), 1),
        (series(&name("restarts"), &of_lane), 1),
        (series(&name("claims_granted"), &of_lane), 1),
        (series(&name("claims_lost"), &of_lane), 1),
        (series(&name("ended"), &outcome("failed")), 1),
        (series(&name("ended"), &outcome("completed")), 1),
        (series(&name("ended"), &outcome("stopped")), 1),
        (series(&name("management_commands"), &outcome("done")), 1),
        (series(&name("management_commands"), &outcome("refused")), 1),
    ]);
    assert_eq!(ledger.counters(), expected);
}
