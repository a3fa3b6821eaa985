//! Every wrong file of `faults/` gives exactly the text that stands next to it, written for the
//! person who wrote the file.

use std::fs;
use std::path::PathBuf;

use projectionist_language::parse;

#[test]
fn wrong_files_are_explained() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "yaml")
        })
        .collect();
    files.sort();
    assert!(
        files.len() >= 120,
        "only {} wrong files were found",
        files.len()
    );
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let expected = fs::read_to_string(path.with_extension("expected"))
            .unwrap_or_else(|error| panic!("{name} has no .expected next to it: {error}"));
        let faults = parse(name, &text).expect_err(name);
        let rendered = faults.render(name, &text);
        assert!(
            rendered == expected,
            "{name} is explained otherwise than expected:\n{rendered}"
        );
    }
}

#[test]
fn faults_come_by_place_and_can_be_read_field_by_field() {
    let text = "projections:\n  b: 1\n  a: 2\nenvelop: causet\n";
    let faults = parse("f.yaml", text).unwrap_err();
    let places: Vec<_> = faults
        .as_slice()
        .iter()
        .map(|fault| (fault.line, fault.column))
        .collect();
    assert_eq!(places, [(2, 6), (3, 6), (4, 1)]);
    let last = faults.clone().into_iter().next_back().unwrap();
    assert_eq!(
        last.message,
        "unknown key `envelop`; did you mean `envelope`?"
    );
    assert_eq!(last.help, None);
    let lines = faults.to_string();
    assert_eq!(lines.lines().count(), 3);
    assert!(
        lines.starts_with("f.yaml:2:6: the projection `b` must be a mapping, not a number (help: ")
    );
}

#[test]
fn what_a_terminal_might_obey_is_not_repeated() {
    let text = "projections:\n  \"\\e[2J\": 1\n  \u{85}x: 1\n";
    let faults = parse("f.yaml", text).unwrap_err();
    for shown in [faults.render("f.yaml", text), faults.to_string()] {
        let kept = shown.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(kept, None, "{shown:?}");
    }
}
