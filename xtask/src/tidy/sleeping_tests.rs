//! A test waits for a condition. One that sleeps is slow on a good day and wrong on a bad one.

use super::project::Project;
use super::report::Report;
use super::rust_files::{is_test, production_lines, rust_files};

/// What a line says that sleeps as a part of what it measures.
const PERMIT: &str = "// a workload, not a wait";
const CALLS: [&str; 2] = ["sleep(", "sleep_until("];

pub(crate) fn check(project: &Project, report: &mut Report) {
    for (path, text) in rust_files(&project.files) {
        let production = if is_test(path) {
            0
        } else {
            production_lines(text)
        };
        for (index, line) in text.lines().enumerate().skip(production) {
            if sleeps(line) && !line.contains(PERMIT) {
                let remedy = format!("wait for the condition itself, or mark it `{PERMIT}`");
                report.fault(path, index + 1, "the test sleeps", remedy);
            }
        }
    }
}

/// Whether the line calls a function that sleeps; a method (of a clock that a test steers) is none.
fn sleeps(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    CALLS.iter().any(|call| {
        code.match_indices(call).any(|(at, _)| {
            let before = &code[..at];
            let goes_on = |last: char| last.is_alphanumeric() || "_.\"".contains(last);
            !before.ends_with(goes_on) && !before.ends_with("fn ")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn tests_that(line: &str) -> Vec<String> {
        let inline = format!("//! A lane.\n#[cfg(test)]\nmod tests {{\n{line}\n}}\n");
        let whole = format!("//! Cases.\n{line}\n");
        let production = format!("//! A pump.\n{line}\n");
        let files = [
            ("crates/core/src/lane.rs", inline.as_str()),
            ("crates/core/src/pump.rs", production.as_str()),
            ("crates/core/tests/cases.rs", whole.as_str()),
        ];
        faults_of(check, &files)
    }

    #[test]
    fn tests_that_sleep_are_faults_and_production_is_not() {
        for call in CALLS {
            for path in ["", "std::thread::", "tokio::time::"] {
                let found = tests_that(&format!("{path}{call}second).await;"));
                assert_eq!(found.len(), 2, "{found:?}");
                assert!(found[0].starts_with("crates/core/src/lane.rs:4: the test sleeps"));
                assert!(found[1].starts_with("crates/core/tests/cases.rs:2: the test sleeps"));
            }
        }
    }

    #[test]
    fn a_workload_and_a_steered_clock_pass() {
        let call = CALLS[0];
        for line in [
            format!("std::thread::{call}cost); {PERMIT}"),
            format!("clock.{call}second).await;"),
            format!("fn {call}time: Duration) {{}}"),
            format!("// never {call}"),
        ] {
            assert_eq!(tests_that(&line), [""; 0], "{line}");
        }
    }
}
