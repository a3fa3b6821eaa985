//! A function fits on a screen. The longer ones there are stand in a list with their length, and the
//! list is a ratchet: no function joins it and none on it grows.

use std::collections::BTreeMap;

use super::functions::{Function, functions};
use super::lists;
use super::project::Project;
use super::report::Report;
use super::rust_files::rust_files;

const MOST_LINES: usize = 70;
const LIST: &str = "xtask/tidy/long-functions.txt";

/// Line in the list and permitted length, by path and function.
type Permits = BTreeMap<(String, String), (usize, usize)>;

pub(crate) fn check(project: &Project, report: &mut Report) {
    let list = project.files.text(LIST).unwrap_or_default();
    let mut permits = read_list(list, report);
    for (path, text) in rust_files(&project.files) {
        match functions(text) {
            Ok(functions) => {
                for long in functions
                    .iter()
                    .filter(|function| function.lines > MOST_LINES)
                {
                    let permit = permits.remove(&(path.to_owned(), long.name.clone()));
                    judge(path, long, permit, report);
                }
            }
            Err((line, complaint)) => {
                report.fault(
                    path,
                    line,
                    format!("does not parse: {complaint}"),
                    "correct it",
                );
            }
        }
    }
    for ((path, name), (line, _)) in permits {
        let wrong = format!("{path} has no long function {name}");
        report.fault(LIST, line, wrong, "remove the entry");
    }
}

fn judge(path: &str, long: &Function, permit: Option<(usize, usize)>, report: &mut Report) {
    let Function { name, lines, .. } = long;
    match permit {
        None => {
            let wrong = format!("{name} has {lines} lines, more than {MOST_LINES}");
            report.fault(path, long.line, wrong, "give its parts names of their own");
        }
        Some((_, permit)) if permit < *lines => {
            let wrong = format!("{name} grew from {permit} to {lines} lines");
            report.fault(path, long.line, wrong, "make it no longer than it was");
        }
        Some((line, permit)) if permit > *lines => {
            let wrong = format!("{name} has only {lines} lines now");
            report.fault(
                LIST,
                line,
                wrong,
                format!("write {lines} instead of {permit}"),
            );
        }
        Some(_) => {}
    }
}

fn read_list(list: &str, report: &mut Report) -> Permits {
    let mut permits = Permits::new();
    for entry in lists::entries(list) {
        match entry.words[..] {
            [path, name, lines] if lines.parse::<usize>().is_ok() => {
                let lines = lines.parse().unwrap_or_default();
                permits.insert((path.to_owned(), name.to_owned()), (entry.line, lines));
            }
            _ => {
                let remedy = "write `path function lines`";
                report.fault(LIST, entry.line, "the entry cannot be read", remedy);
            }
        }
    }
    permits
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    const PATH: &str = "crates/core/src/lane.rs";

    fn faults(lines: usize, list: &str) -> Vec<String> {
        let text = format!("//! A lane.\nfn long() {{{}}}\n", "\n".repeat(lines - 1));
        faults_of(check, &[(PATH, &text), (LIST, list)])
    }

    #[test]
    fn a_function_of_seventy_lines_passes_and_one_more_does_not() {
        assert_eq!(faults(70, ""), [""; 0]);
        let found = faults(71, "");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/lane.rs:2: long has 71 lines"));
    }

    #[test]
    fn a_listed_function_must_not_grow_and_shrinks_with_its_entry() {
        let list = format!("{PATH} long 80\n");
        assert_eq!(faults(80, &list), [""; 0]);
        assert!(faults(81, &list)[0].contains("grew from 80 to 81"));
        assert!(faults(79, &list)[0].starts_with("xtask/tidy/long-functions.txt:1: "));
    }

    #[test]
    fn an_entry_without_a_long_function_is_a_fault() {
        let list = format!("{PATH} long 80\n");
        assert!(faults(60, &list)[0].contains("has no long function long"));
        assert!(faults(60, "lane.rs long\n")[0].contains("the entry cannot be read"));
    }
}
