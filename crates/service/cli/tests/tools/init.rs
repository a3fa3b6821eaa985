//! `projectionist init`: what it writes works as it stands, and it overwrites nothing.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::Ended;
use crate::common::process::{command, ended};

const FILES: [&str; 4] = [
    "projections.yaml",
    "events.jsonl",
    "fixtures.yaml",
    "projections.schema.json",
];

fn init(folder: &Path, arguments: &[&str]) -> Ended {
    let mut init = command();
    ended(init.current_dir(folder).arg("init").args(arguments))
}

/// Runs a command line that `init` has printed, as a shell would.
fn typed(folder: &Path, line: &str) -> Ended {
    let program = command().get_program().to_owned();
    let script = line.replacen("projectionist", "\"$PROGRAM\"", 1);
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder);
    ended(shell.env("PROGRAM", program))
}

#[test]
fn the_next_three_commands_work_as_they_are_printed() {
    for folder in [None, Some("views"), Some("a b/it's")] {
        let place = TempDir::new().unwrap();
        let written = init(place.path(), folder.as_slice());
        assert_eq!(
            (written.code, written.stderr.as_str()),
            (0, ""),
            "{written:?}"
        );
        let (_, next) = written.stdout.split_once("try next:\n").unwrap();
        let next: Vec<&str> = next.lines().map(str::trim).collect();
        assert_eq!(next.len(), 3, "{written:?}");
        for (line, words) in next
            .iter()
            .zip(["no fault", "3 of 3 case(s) passed", "24.00"])
        {
            let ended = typed(place.path(), line);
            assert_eq!(
                (ended.code, ended.stderr.as_str()),
                (0, ""),
                "{line}: {ended:?}"
            );
            assert!(ended.stdout.contains(words), "{line}: {ended:?}");
        }
        // Nothing stands anywhere but in the folder.
        let root = place.path().join(folder.unwrap_or("."));
        assert!(root.join("views.db").is_file());
        for name in FILES {
            assert!(written.stdout.contains(name) && root.join(name).is_file());
        }
    }
}

#[test]
fn every_line_of_the_starter_is_explained_and_an_editor_finds_the_schema() {
    let place = TempDir::new().unwrap();
    init(place.path(), &[]);
    let text = fs::read_to_string(place.path().join("projections.yaml")).unwrap();
    let schema = text
        .lines()
        .next()
        .unwrap()
        .rsplit_once("$schema=./")
        .unwrap()
        .1;
    let printed = ended(command().arg("schema")).stdout;
    assert_eq!(
        fs::read_to_string(place.path().join(schema)).unwrap(),
        printed
    );
    let keys = ["source_events", "target", "fields", "derive", "mutations"];
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for key in keys {
        let at = lines.iter().position(|line| line.starts_with(key)).unwrap();
        assert!(lines[at - 1].starts_with("# "), "{key} is explained");
    }
}

#[test]
fn what_is_there_is_kept_unless_force_is_given() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("other.txt"), "mine").unwrap();
    fs::write(place.path().join("events.jsonl"), "mine").unwrap();
    let refused = init(place.path(), &[]);
    assert_eq!(
        (refused.code, refused.stdout.as_str()),
        (1, ""),
        "{refused:?}"
    );
    for words in ["events.jsonl", "--force", "nothing was written"] {
        assert!(refused.stderr.contains(words), "{refused:?}");
    }
    assert!(!refused.stderr.contains("fixtures.yaml"), "{refused:?}");
    let names = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(names, 2, "nothing was written");
    let forced = init(place.path(), &["--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    let events = fs::read_to_string(place.path().join("events.jsonl")).unwrap();
    assert!(events.contains("ORDER_PLACED"));
    assert_eq!(
        fs::read_to_string(place.path().join("other.txt")).unwrap(),
        "mine"
    );
}

#[test]
fn a_file_in_the_place_of_the_folder_is_told() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("file"), "mine").unwrap();
    let ended = init(place.path(), &["file"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(
        ended.stderr.starts_with("cannot make the folder file: "),
        "{ended:?}"
    );
}
