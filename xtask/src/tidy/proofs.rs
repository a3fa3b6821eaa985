//! Every function that a document of proofs names is there: a table of what is shown must not
//! outlive the tests that show it.

use super::functions::functions;
use super::project::Project;
use super::report::Report;
use crate::markdown;

/// Where the documents of proofs lie.
const FOLDER: &str = "docs/proofs/";

pub(crate) fn check(project: &Project, report: &mut Report) {
    let documents = project.files.texts();
    let documents = documents.filter(|(path, _)| path.starts_with(FOLDER) && path.ends_with(".md"));
    for (path, text) in documents {
        for (line, prose) in markdown::prose(text) {
            for (file, function) in named(prose) {
                if let Some(wrong) = fault(project, file, function) {
                    let remedy = "name the test that shows it now, or write one";
                    report.fault(path, line, wrong, remedy);
                }
            }
        }
    }
}

/// The functions that a line names as `` `file.rs::function` ``.
fn named(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let code = line.split('`').skip(1).step_by(2);
    code.filter_map(|code| {
        let (file, function) = code.split_once(".rs::")?;
        Some((&code[..file.len() + ".rs".len()], function))
    })
}

/// What is wrong with such a name, if anything is. Files are named from `crates/` on.
fn fault(project: &Project, file: &str, function: &str) -> Option<String> {
    let Some(text) = project.files.text(&format!("crates/{file}")) else {
        return Some(format!("there is no file crates/{file}"));
    };
    // A file that cannot be parsed is a fault of another check.
    let found = functions(text).ok()?;
    let is_there = found.iter().any(|one| one.name == function);
    (!is_there && !is_in_a_macro(text, function))
        .then(|| format!("crates/{file} has no function {function}"))
}

/// Whether a line begins the function. What stands within a call of a macro, as the properties of
/// `proptest!` do, is no item of the file yet.
fn is_in_a_macro(text: &str, function: &str) -> bool {
    let begin = format!("fn {function}(");
    text.lines()
        .any(|line| line.trim_start().starts_with(&begin))
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn faults(line: &str) -> Vec<String> {
        let cases = "//! Cases.\n#[test]\nfn it_holds() {}\n\
                     proptest! {\n    #[test]\n    fn it_always_holds(n in 0..9) {}\n}\n";
        let files = [
            ("docs/proofs/FACTS.md", line),
            ("docs/other.md", "`engine/tests/gone.rs::it_holds`"),
            ("crates/engine/tests/cases.rs", cases),
        ];
        faults_of(check, &files)
    }

    #[test]
    fn tests_that_are_there_pass() {
        for line in [
            "| 1 | it holds | `engine/tests/cases.rs::it_holds` |",
            "| 2 | it always holds | `engine/tests/cases.rs::it_always_holds` |",
            "`Vec::new` and `cases.rs` are no names of tests",
        ] {
            assert_eq!(faults(line), [""; 0], "{line}");
        }
    }

    #[test]
    fn tests_that_are_gone_are_faults() {
        let line = "`engine/tests/cases.rs::it_held`, `engine/tests/gone.rs::it_holds`";
        let found = faults(line);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("crates/engine/tests/cases.rs has no function it_held"));
        assert!(found[1].contains("there is no file crates/engine/tests/gone.rs"));
    }
}
