//! What giving letters up leaves.

use serde_json::json;

use crate::desk::{Desk, bad, good};

#[test]
fn what_is_given_up_goes_and_counts_as_skipped() {
    let events = good("a", 1, 1) + &bad("a", 2, 10) + &bad("b", 1, 7) + "oops\n";
    let desk = Desk::after(&events);
    let rows = desk.accounts();
    let printed = desk.done("discard", &["accounts", "--entity", "b"]);
    assert_eq!(printed["summary"], json!({ "discarded": 1 }));
    let counts = desk.counts("accounts");
    assert_eq!((counts["skipped"], counts["dead_lettered"]), (1, 1));
    let malformed = desk.place.client().lanes()["accounts"].malformed;
    let printed = desk.done("discard", &["--malformed"]);
    assert_eq!(printed["summary"], json!({ "discarded": 1 }));
    assert_eq!(desk.place.client().lanes()["accounts"].malformed, malformed);
    let left = desk.place.client().letters();
    assert_eq!((left.len(), left[0].projection.as_str()), (1, "accounts"));
    let printed = desk.done("discard", &["--all"]);
    assert_eq!(printed["summary"], json!({ "discarded": 1 }));
    assert_eq!(desk.place.client().letters(), []);
    assert_eq!(desk.counts("accounts")["skipped"], 2);
    assert_eq!(desk.accounts(), rows);
    let printed = desk.done("discard", &["--all"]);
    assert_eq!(printed["summary"], json!({}));
}
