//! Every Rust file opens with a line of `//!`: what is here, and why it is here.

use super::project::Project;
use super::report::Report;
use super::rust_files::rust_files;

pub(crate) fn check(project: &Project, report: &mut Report) {
    for (path, text) in rust_files(&project.files) {
        let first = text.lines().next().unwrap_or_default();
        if first
            .strip_prefix("//!")
            .is_none_or(|words| words.trim().is_empty())
        {
            let remedy = "say on its first line, after `//!`, what the file holds and why";
            report.fault(path, 1, "does not say what it is for", remedy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    #[test]
    fn a_file_without_its_opening_line_is_a_fault() {
        let found = faults_of(
            check,
            &[
                ("crates/core/src/lane.rs", "//! A lane.\n"),
                ("crates/core/src/slice.rs", "use std::fmt;\n//! Late.\n"),
                ("xtask/src/empty.rs", "//!\n"),
                ("crates/core/tests/ui/case.rs", "fn main() {}\n"),
            ],
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/slice.rs:1: "));
        assert!(found[1].starts_with("xtask/src/empty.rs:1: "));
    }
}
