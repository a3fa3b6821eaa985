//! Who starts a run with an endpoint that is not safe is told so, and nothing runs.

use std::fs;

use crate::common::{Place, process};

const PROJECTIONS: &str = "
projections:
  orders:
    source_events: [PLACED]
    target: { table: orders, primary_key: [order_id] }
    fields: { order_id: TEXT }
    derive: { order_id: event.entityId }
    mutations: { PLACED: { op: upsert } }
";

#[test]
fn an_endpoint_that_must_not_be_is_refused_before_anything_runs() {
    let place = Place::with_events(PROJECTIONS, "");
    let short = place.path("short");
    fs::write(&short, "too-short").unwrap();
    let (short, missing) = (
        short.display().to_string(),
        place.path("none").display().to_string(),
    );
    for (arguments, words) in [
        (vec!["--admin", "0.0.0.0:0"], "--admin-token-file"),
        (vec!["--admin", "everywhere"], "127.0.0.1:9090"),
        (
            vec!["--admin", "127.0.0.1:0", "--admin-token-file", &short],
            "openssl rand",
        ),
        (
            vec!["--admin", "127.0.0.1:0", "--admin-token-file", &missing],
            "cannot read",
        ),
        (vec!["--admin-token-file", &short], "--admin"),
    ] {
        let ended = process::ended(&mut place.run(&arguments));
        assert_eq!(ended.code, 2, "{arguments:?} {ended:?}");
        assert!(ended.stderr.contains(words), "{arguments:?} {ended:?}");
        assert!(!ended.stderr.contains("too-short"), "{ended:?}");
    }
}

#[test]
fn an_address_that_is_taken_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let place = Place::with_events(PROJECTIONS, "");
    let ended = process::ended(&mut place.run(&["--admin", &address]));
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stderr.contains(&address), "{ended:?}");
}

#[test]
fn a_token_of_the_environment_opens_other_addresses() {
    let place = Place::with_events(PROJECTIONS, "");
    let mut run = place.run(&["--admin", "0.0.0.0:0", "--once"]);
    run.env("PROJECTIONIST_ADMIN_TOKEN", "a-token-of-the-environment");
    let ended = process::ended(&mut run);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(
        ended.stderr.contains("the admin endpoint answers"),
        "{ended:?}"
    );
    assert!(!format!("{ended:?}").contains("a-token-of-the-environment"));
    let mut run = place.run(&["--admin", "0.0.0.0:0", "--once"]);
    run.env("PROJECTIONIST_ADMIN_TOKEN", "short");
    assert_eq!(process::ended(&mut run).code, 2);
}
