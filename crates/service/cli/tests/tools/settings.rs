//! Settings: what is typed wins over a variable, a variable over the file, the file over the default.

use std::fs;
use std::path::Path;

use crate::common::process::{command, ended};
use crate::common::{Ended, Place};

const COUNTED: &str = r#"
projections:
  counted:
    source_events: [SEEN]
    target: { table: counted, primary_key: [id] }
    fields: { id: TEXT, times: { type: BIGINT, default: 0 } }
    derive: { id: event.entityId }
    mutations: { SEEN: { op: increment, by: { times: 1 } } }
"#;

const EVENT: &str = r#"{"eventType":"SEEN","entityId":"a","sequenceNumber":1,"payload":{}}"#;

/// A folder with projections, one event and this configuration.
fn place(configuration: &str) -> Place {
    let place = Place::with(COUNTED);
    fs::write(place.path("events.jsonl"), format!("{EVENT}\n")).unwrap();
    fs::write(place.path("settings.toml"), configuration).unwrap();
    place
}

fn called(place: &Place, variables: &[(&str, &str)], words: &[&str]) -> Ended {
    let folder = place.path("settings.toml");
    let mut called = command();
    called.current_dir(folder.parent().unwrap()).args(words);
    ended(called.envs(variables.iter().copied()))
}

fn read_of(run: &Ended) -> u64 {
    assert_eq!(run.code, 0, "{run:?}");
    let counters = &run.last_line_as_json()["projections"]["counted"];
    counters["read"].as_u64().unwrap()
}

#[test]
fn a_file_says_all_that_a_run_needs() {
    let place = place(
        "target = \"sqlite:views.db\"\nsource = \"events.jsonl\"\nformat = \"json\"\n\n\
         [run]\nfile = \"projections.yaml\"\nonce = true\nmax-batch = 1\nonly = [\"counted\"]\n",
    );
    let run = called(&place, &[], &["run", "--config", "settings.toml"]);
    assert_eq!(read_of(&run), 1);
    let variable = [("PROJECTIONIST_CONFIG", "settings.toml")];
    let status = called(&place, &variable, &["status"]);
    assert!(status.last_line_as_json()["projections"]["counted"].is_array());
}

#[test]
fn the_nearest_word_wins() {
    let place = place(
        "target = \"sqlite:file.db\"\nsource = \"missing.jsonl\"\n[run]\nfile = \"projections.yaml\"\n",
    );
    let exists = |name: &str| place.path(name).exists();
    let variables = [
        ("PROJECTIONIST_CONFIG", "settings.toml"),
        ("PROJECTIONIST_SOURCE", "events.jsonl"),
        ("PROJECTIONIST_TARGET", "sqlite:variable.db"),
        ("PROJECTIONIST_FORMAT", "json"),
    ];
    let run = called(&place, &variables, &["run", "--once"]);
    assert_eq!(read_of(&run), 1);
    assert!(exists("variable.db") && !exists("file.db"));
    let typed = ["run", "--once", "--into", "sqlite:typed.db"];
    assert_eq!(read_of(&called(&place, &variables, &typed)), 1);
    assert!(exists("typed.db") && !exists("file.db"));
}

#[test]
fn what_is_wrong_with_a_file_is_told_at_once_with_its_places() {
    let place = place(
        "traget = \"sqlite:views.db\"\nmax-batch = 5\n[run]\nonce = \"yes\"\nmax-bach = 5\n\
         only = [[\"a\"]]\nsource = \"a\"\n[status]\n",
    );
    let run = called(&place, &[], &["run", "--config", "settings.toml"]);
    assert_eq!((run.code, run.stdout.as_str()), (3, ""), "{run:?}");
    let expected = "\
settings.toml:2:1: there is no setting `max-batch`; it stands under [run]. `projectionist settings` prints all there are
settings.toml:5:1: there is no setting `max-bach`; did you mean `max-batch`?. `projectionist settings` prints all there are
settings.toml:4:8: `once` takes true or false, not this string
settings.toml:6:8: `only` takes a list of texts, such as [\"a\", \"b\"], not this array
settings.toml:7:1: there is no setting `source`; it stands above all tables. `projectionist settings` prints all there are
settings.toml:8:2: there is no setting `status`. `projectionist settings` prints all there are
settings.toml:1:1: there is no setting `traget`; did you mean `target`?. `projectionist settings` prints all there are
";
    let mut expected: Vec<&str> = expected.lines().collect();
    let mut told: Vec<&str> = run.stderr.lines().collect();
    expected.sort_unstable();
    told.sort_unstable();
    assert_eq!(told, expected);
}

#[test]
fn a_value_that_does_not_fit_is_told_with_its_place() {
    let place =
        place("source = \"a\"\ntarget = \"views.db\"\n[run]\nfile = \"projections.yaml\"\n");
    let run = called(&place, &[], &["run", "--config", "settings.toml"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(
        run.stderr
            .starts_with("settings.toml:2:10: invalid value 'views.db'"),
        "{run:?}"
    );
    assert!(run.stderr.contains("write sqlite:views.db"), "{run:?}");
}

#[test]
fn no_toml_and_no_file_are_told() {
    let place = place("target = \n");
    let run = called(&place, &[], &["run", "--config", "settings.toml"]);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.stderr.starts_with("settings.toml:1:"), "{run:?}");
    let run = called(&place, &[], &["status", "--config=none.toml"]);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(
        run.stderr
            .contains("cannot read the configuration none.toml"),
        "{run:?}"
    );
}

/// The reference in the docs is what the program prints, and is a configuration file.
#[test]
fn the_reference_is_what_the_program_prints() {
    let printed = ended(command().arg("settings"));
    let kept =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/reference/projectionist.toml");
    let kept = fs::read_to_string(kept).unwrap();
    assert_eq!(
        printed.stdout, kept,
        "write it anew: projectionist settings > docs/reference/projectionist.toml"
    );
    // With every setting taken in: each is one, and each example has its shape.
    let place = place("");
    let set = |line: &str| {
        line.strip_prefix('#')
            .filter(|rest| !rest.starts_with([' ', '\n']))
            .map(str::to_owned)
    };
    let all: Vec<String> = printed
        .stdout
        .lines()
        .map(|line| set(line).unwrap_or_else(|| line.to_owned()))
        .collect();
    fs::write(place.path("all.toml"), all.join("\n")).unwrap();
    let taken = called(&place, &[], &["schema", "--config", "all.toml"]);
    assert_eq!(taken.code, 0, "{taken:?}");
}
