//! Nothing unfinished and nothing of one person's machine is handed on.

use super::project::Project;
use super::report::Report;
use super::words;

/// Where the words are looked for.
const PLACES: [&str; 6] = [
    "README.md",
    "benchmarks/",
    "crates/",
    "docs/",
    "examples/",
    "xtask/src/",
];

// The words are put together here so that this file does not hold them.
const UNFINISHED: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!"),
    concat!("unimple", "mented!"),
];
const MACHINE: [&str; 4] = [
    concat!("/", "work/"),
    concat!("/", "root/"),
    concat!("/", "home/"),
    concat!("/", "Users/"),
];

pub(crate) fn check(project: &Project, report: &mut Report) {
    let places = |path: &str| PLACES.iter().any(|place| path.starts_with(place));
    for (path, text) in project.files.texts().filter(|(path, _)| places(path)) {
        for word in UNFINISHED {
            for place in words::places(text, word) {
                let line = words::line_of(text, place);
                let remedy = "finish it, or leave it out and say so where it is planned";
                report.fault(path, line, format!("holds the word {word}"), remedy);
            }
        }
        for folder in MACHINE {
            for (place, _) in text.match_indices(folder) {
                if begins_a_path(text, place) {
                    let line = words::line_of(text, place);
                    let wrong = format!("holds a path of one machine, {folder}");
                    report.fault(path, line, wrong, "write a path relative to the checkout");
                }
            }
        }
    }
}

/// Whether the slash at that place is the first of its path, as it is not in `crates/root/`.
fn begins_a_path(text: &str, place: usize) -> bool {
    let before = text[..place].chars().next_back();
    before.is_none_or(|before| !before.is_alphanumeric() && !"_-.}>)$~*".contains(before))
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        faults_of(check, &[("crates/core/src/lane.rs", text)])
    }

    #[test]
    fn unfinished_work_is_a_fault_with_its_line() {
        for word in UNFINISHED {
            let found = faults(&format!("//! A lane.\n// {word} later\n"));
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].starts_with("crates/core/src/lane.rs:2: holds the word"),
                "{found:?}"
            );
        }
        assert_eq!(faults(&format!("// my{}s\n", UNFINISHED[0])), [""; 0]);
    }

    #[test]
    fn a_path_of_one_machine_is_a_fault() {
        for folder in MACHINE {
            assert_eq!(faults(&format!("open(\"{folder}data\")")).len(), 1);
            assert_eq!(
                faults(&format!("crates{folder}lib.rs and ..{folder}")),
                [""; 0]
            );
        }
    }

    #[test]
    fn files_elsewhere_are_not_looked_at() {
        assert_eq!(faults_of(check, &[("notes.md", UNFINISHED[0])]), [""; 0]);
    }
}
