//! A `lib.rs` is the table of contents of its crate: documentation, modules, re-exports, nothing
//! that runs.

use syn::Item;
use syn::spanned::Spanned;

use super::project::Project;
use super::report::Report;
use super::rust_files::rust_files;

const MOST_LINES: usize = 150;

pub(crate) fn check(project: &Project, report: &mut Report) {
    let contents = |path: &str| path.ends_with("/src/lib.rs");
    for (path, text) in rust_files(&project.files).filter(|(path, _)| contents(path)) {
        let lines = text.lines().count();
        if lines > MOST_LINES {
            let wrong = format!("{lines} lines, more than {MOST_LINES}");
            report.fault(path, 1, wrong, "move what it says to the modules");
        }
        // A file that does not parse is reported with the functions.
        let items = syn::parse_file(text)
            .map(|file| file.items)
            .unwrap_or_default();
        for line in lines_with_logic(&items) {
            let wrong = "holds more than documentation, modules and re-exports";
            report.fault(path, line, wrong, "move the item to a module");
        }
    }
}

fn lines_with_logic(items: &[Item]) -> Vec<usize> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Use(_) => vec![],
            Item::Mod(module) => match &module.content {
                Some((_, items)) => lines_with_logic(items),
                None => vec![],
            },
            other => vec![other.span().start().line],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    const PATH: &str = "crates/core/src/lib.rs";

    #[test]
    fn documentation_modules_and_re_exports_pass() {
        let text = "//! Words.\n#![forbid(unsafe_code)]\n/// A lane.\npub mod lane;\nmod slice;\n\
                    pub mod prelude {\n    pub use crate::lane::*;\n}\npub use slice::Slice;\n";
        assert_eq!(faults_of(check, &[(PATH, text)]), [""; 0]);
    }

    #[test]
    fn an_item_of_its_own_is_a_fault() {
        let text = "//! Words.\nmod lane;\nmod tests {\n    fn helper() {}\n}\npub struct Slice;\n";
        let found = faults_of(check, &[(PATH, text), ("xtask/src/main.rs", text)]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/lib.rs:4: holds more"));
        assert!(found[1].starts_with("crates/core/src/lib.rs:6: holds more"));
    }

    #[test]
    fn a_long_table_of_contents_is_a_fault() {
        let text = "//! Words.\n".repeat(MOST_LINES + 1);
        assert_eq!(faults_of(check, &[(PATH, &text)]).len(), 1);
    }
}
