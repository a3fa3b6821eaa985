//! Which letters are meant, and what is said when that cannot be understood.

use serde_json::json;

use crate::common::process::ended;
use crate::desk::{Desk, bad, event, good, ids};

/// Letters 1 and 2 of accounts, 3 of a tenant, 4 of visits, 5 of a tenant that cannot be one, and a
/// malformed record.
fn desk() -> Desk {
    let of = |tenant: &str, line: String| {
        let tenant = format!("{{\"tenantSchema\":\"{tenant}\",");
        line.replacen('{', &tenant, 1)
    };
    let events = good("a", 1, 1) + &bad("a", 2, 10) + &event("OPENED", "b", 1, json!({}), 1);
    let events = events + &of("acme", bad("a", 1, 10));
    let events = events + &event("VISITED", "v", 1, json!("x"), 1);
    Desk::after(&(events + &of("Not A Tenant", good("c", 1, 1)) + "oops\n"))
}

#[test]
fn every_filter_is_obeyed_by_itself_and_with_others() {
    let desk = desk();
    let all = desk.done("list", &[]);
    let all = all["dead_letters"].as_array().unwrap();
    assert_eq!(all.len(), 6);
    let id = |projection: &str, entity: &str, tenant: &str| {
        let is = |name: &str, letter: &serde_json::Value, text: &str| {
            letter[name].as_str().unwrap_or_default() == text
        };
        let found = all.iter().find(|letter| {
            is("projection", letter, projection)
                && is("entity", letter, entity)
                && is("tenant", letter, tenant)
        });
        found.unwrap()["id"].as_u64().unwrap()
    };
    let (a, b) = (id("accounts", "a", ""), id("accounts", "b", ""));
    let (acme, c) = (
        id("accounts", "a", "acme"),
        id("accounts", "c", "Not A Tenant"),
    );
    let (visit, malformed) = (id("visits", "v", ""), id("", "", ""));
    let both = format!("{visit},{b}");
    let cases: [(&[&str], &[u64]); 14] = [
        (&["accounts"], &[a, b, acme, c]),
        (&["visits"], &[visit]),
        (&["--malformed"], &[malformed]),
        (&["--class", "tenant"], &[c]),
        (&["--class", "envelope"], &[malformed]),
        (&["--field", "visits"], &[visit]),
        (&["--type", "OPENED"], &[b]),
        (&["--entity", "a"], &[a, acme]),
        (&["--entity", "a", "--tenant", "acme"], &[acme]),
        (&["--entity", "a", "--tenant", ""], &[a]),
        (
            &["accounts", "--class", "data", "--type", "ADDED"],
            &[a, acme],
        ),
        (&["--id", &both], &[b, visit]),
        (&["--key", "stdin"], &[]),
        (&["--until", "2001-01-01T00:00:00Z"], &[]),
    ];
    for (filter, expected) in cases {
        let mut found = ids(&desk.done("list", filter));
        found.sort_unstable();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(found, expected, "{filter:?}");
    }
    assert_eq!(ids(&desk.done("list", &["--since", "0"])).len(), 6);
}

#[test]
fn a_list_goes_on_where_its_limit_ended_it() {
    let desk = desk();
    let all = ids(&desk.done("list", &[]));
    assert!(all.is_sorted(), "{all:?}");
    let mut seen = Vec::new();
    let mut after = "0".to_owned();
    loop {
        let page = desk.done("list", &["--limit", "4", "--after", &after]);
        seen.extend(ids(&page));
        match page["more_after"].as_u64() {
            Some(id) => after = id.to_string(),
            None => break,
        }
    }
    assert_eq!(seen, all);
    // Of those that match, not of those that were looked at.
    let first = desk.done("list", &["--tenant", "acme", "--limit", "1"]);
    assert_eq!((ids(&first).len(), &first["more_after"]), (1, &json!(null)));
    let replayed = desk.replay(&["accounts", "--tenant", "", "--limit", "1"]);
    assert_eq!(ids(&replayed).len(), 1);
}

#[test]
fn show_gives_the_event_as_it_came() {
    let desk = Desk::after(&(bad("a", 1, 10) + "oops\n"));
    let shown = desk.done("show", &["accounts"]);
    assert_eq!(
        shown["dead_letters"][0]["event"],
        bad("a", 1, 10).trim_end()
    );
    assert_eq!(shown["dead_letters"][0]["field"], "total");
    let shown = desk.done("show", &["--malformed"]);
    assert_eq!(shown["dead_letters"][0]["event"], "oops");
    for verb in ["show", "list"] {
        let ended = ended(desk.command(verb, &[]).args(["--entity", "a"]));
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let mut text = crate::common::process::command();
    text.args(["dead-letters", "show", "--store", &desk.place.target()]);
    let text = ended(&mut text);
    for words in [
        "dead letter 1",
        "entity       a",
        "\"price\":\"much\"",
        "2 dead letter(s)",
    ] {
        assert!(text.stdout.contains(words), "{words}: {text:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_the_way_out() {
    let desk = desk();
    let before = desk.dump();
    let fixed = desk.fixed();
    let cases: [(&str, &[&str], &str); 7] = [
        ("list", &["acounts"], "did you mean `accounts`?"),
        (
            "replay",
            &["acounts", "--file", &fixed],
            "did you mean `accounts`?",
        ),
        ("discard", &[], "--all"),
        ("list", &["--class", "dta"], "write envelope, data"),
        ("list", &["--since", "yesterday"], "Unix milliseconds"),
        ("list", &["--id", "x"], "such as 17"),
        ("list", &["accounts", "--malformed"], "cannot be used with"),
    ];
    for (verb, more, words) in cases {
        let ended = desk.ended(verb, more);
        assert_eq!(ended.code, 2, "{verb} {more:?}: {ended:?}");
        assert!(ended.stderr.contains(words), "{verb} {more:?}: {ended:?}");
    }
    assert_eq!(desk.dump(), before);
    // The target keeps the declaration of the run, by which they fail again.
    let again = desk.ended("replay", &["accounts", "--dry-run"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(desk.dump(), before);
    let mut nowhere = crate::common::process::command();
    let nowhere = ended(nowhere.args(["dead-letters", "list", "--store", "sqlite:/nowhere/x.db"]));
    assert_eq!(nowhere.code, 1, "{nowhere:?}");
}
