//! What may be typed, and the exit codes.

use crate::common::process::{command, ended};
use crate::common::{Ended, Place};
use crate::{TWO, counted, event, visits};

fn place() -> Place {
    Place::with_events(TWO, event("NAMED", 1) + &visits(2..=4))
}

/// The command is refused before anything is touched.
fn assert_usage(place: &Place, ended: &Ended, words: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""), "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word}: {ended:?}");
    }
    assert!(!place.views().exists(), "{ended:?}");
}

#[test]
fn what_cannot_be_understood_is_exit_code_2() {
    let place = place();
    let events = place.events().display().to_string();
    let cases: [(&[&str], &[&str]); 8] = [
        (&["--no-such-option"], &["--no-such-option"]),
        (&["--only", "nmaes"], &["`nmaes`", "names, visits"]),
        (&["--except", "nobody"], &["`nobody`", "names, visits"]),
        (
            &["--only", "names", "--except", "visits"],
            &["cannot be used with"],
        ),
        (
            &["--except", "names,visits"],
            &["no projection is left to run"],
        ),
        (&["--max-batch", "0"], &["--max-batch"]),
        (&["--start", "yesterday"], &["earliest", "latest"]),
        (&["--format", "xml"], &["text", "json"]),
    ];
    for (more, words) in cases {
        assert_usage(&place, &ended(place.run(&["--once"]).args(more)), words);
    }
    assert_usage(&place, &ended(&mut place.run(&["--show"])), &["--once"]);
    let kafka = place.run_from("kafka://host/topic", &[]);
    assert_usage(
        &place,
        &ended(&mut { kafka }),
        &["`kafka://`", "a file of JSON lines"],
    );
    let views = place.views().display().to_string();
    for (target, words) in [
        (views.clone(), format!("write sqlite:{views}")),
        ("postgres://host/db".to_owned(), "`postgres:`".to_owned()),
        ("sqlite:".to_owned(), "write sqlite:PATH".to_owned()),
    ] {
        let mut run = command();
        run.arg("run").arg(place.projections());
        run.args(["--from", &events, "--into", &target, "--once"]);
        assert_usage(&place, &ended(&mut run), &[&words]);
    }
}

#[test]
fn help_tells_the_exit_codes_and_a_version_is_told() {
    let help = ended(command().arg("--help"));
    assert_eq!((help.code, help.stderr.as_str()), (0, ""), "{help:?}");
    for words in ["run", "check", "status", "Exit codes: 0 "] {
        assert!(help.stdout.contains(words), "{words}: {help:?}");
    }
    let version = ended(command().arg("--version"));
    let expected = format!("projectionist {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((version.code, version.stdout), (0, expected));
}

#[test]
fn only_and_except_leave_the_others_for_later() {
    let place = place();
    let summary = place.run_once(&["--only", "visits"]);
    let names: Vec<_> = summary["projections"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["visits"]);
    let lanes = place.client().lanes();
    assert_eq!(lanes.keys().collect::<Vec<_>>(), ["visits"]);
    let summary = place.run_once(&["--except", "visits"]);
    let names: Vec<_> = summary["projections"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["names"]);
    place.run_once(&[]);
    let lanes = place.client().lanes();
    assert!(
        lanes.values().all(|lane| lane.counts["read"] == 4),
        "{lanes:?}"
    );
    assert_eq!(counted(&place), 3);
}

#[test]
fn a_table_of_another_shape_is_exit_code_4() {
    let place = place();
    place.run_once(&[]);
    place.append(visits(5..=5));
    let before = place.client().tables();
    for (old, new, words) in [
        ("visits: BIGINT", "visits: INT", "`visits`"),
        ("name: TEXT }", "name: BIGINT }", "`name`"),
        (
            "primary_key: [id] }\n    fields: { id: TEXT, name",
            "primary_key: [id, name] }\n    fields: { id: TEXT, name",
            "key (id)",
        ),
    ] {
        assert_eq!(TWO.matches(old).count(), 1);
        std::fs::write(place.projections(), TWO.replace(old, new)).unwrap();
        let ended = place.ended(&[]);
        assert_eq!(ended.code, 4, "{ended:?}");
        assert!(ended.stderr.contains(words), "{ended:?}");
        assert!(ended.stderr.contains("new target"), "what to do: {ended:?}");
        let now = place.client().tables();
        let changed = if new.starts_with("visits") {
            "visits"
        } else {
            "names"
        };
        assert_eq!(now[changed], before[changed]);
    }
    std::fs::write(place.projections(), TWO).unwrap();
    place.run_once(&[]);
    assert_eq!(counted(&place), 4);
}

/// One projection cannot go on: its row says that something else than a file was read.
#[test]
fn one_projection_fails_the_others_go_on_and_the_exit_code_is_1() {
    let place = place();
    place.run_once(&[]);
    let connection = rusqlite::Connection::open(place.views()).unwrap();
    let sql = "UPDATE projectionist_lanes SET manifest = 'pages' WHERE name = 'names'";
    assert_eq!(connection.execute(sql, []), Ok(1));
    place.append(visits(5..=9));
    let ended = place.ended(&[]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let failed = "projection names failed: ";
    let line = ended.stderr.lines().find(|line| line.starts_with(failed));
    assert!(
        line.is_some_and(|line| line.contains("`pages`")),
        "{ended:?}"
    );
    let summary = ended.last_line_as_json();
    assert_eq!(crate::count(&summary, "visits", "read"), 9);
    assert_eq!(crate::count(&summary, "names", "read"), 4);
    assert_eq!(counted(&place), 8);
}
