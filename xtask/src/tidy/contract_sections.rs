//! Whoever implements a contract finds the same questions answered in each of them.

use syn::{Item, ItemTrait, Visibility};

use super::functions::documentation;
use super::project::Project;
use super::report::Report;
use super::rust_files::{is_test, rust_files};

const FOLDER: &str = "crates/core/src/contract/";
const SECTIONS: [&str; 6] = [
    "# Contract",
    "# Ordering",
    "# Durability",
    "# Cancellation",
    "# Errors",
    "# Example",
];

pub(crate) fn check(project: &Project, report: &mut Report) {
    let contracts = |path: &str| path.starts_with(FOLDER) && !is_test(path);
    for (path, text) in rust_files(&project.files).filter(|(path, _)| contracts(path)) {
        // A file that does not parse is reported with the functions.
        let items = syn::parse_file(text)
            .map(|file| file.items)
            .unwrap_or_default();
        for contract in items.iter().filter_map(public_trait) {
            let documentation = documentation(&contract.attrs);
            let missing: Vec<&str> = SECTIONS
                .into_iter()
                .filter(|section| !documentation.iter().any(|line| line == section))
                .collect();
            if !missing.is_empty() {
                let name = &contract.ident;
                let wrong = format!("the contract {name} lacks {}", quoted(&missing));
                let line = name.span().start().line;
                report.fault(path, line, wrong, "answer them in its documentation");
            }
        }
    }
}

fn public_trait(item: &Item) -> Option<&ItemTrait> {
    match item {
        Item::Trait(item) if matches!(item.vis, Visibility::Public(_)) => Some(item),
        _ => None,
    }
}

fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn faults(sections: &[&str]) -> Vec<String> {
        let lines: Vec<String> = sections
            .iter()
            .map(|line| format!("/// {line}\n"))
            .collect();
        let text = format!(
            "//! Stores.\ntrait Own {{}}\n/// A store.\n{}pub trait Store {{}}\n",
            lines.concat()
        );
        faults_of(check, &[("crates/core/src/contract/store.rs", &text)])
    }

    #[test]
    fn all_sections_are_asked_of_public_traits() {
        assert_eq!(faults(&SECTIONS), [""; 0]);
        let found = faults(&SECTIONS[..4]);
        assert_eq!(found.len(), 1, "{found:?}");
        let start = "crates/core/src/contract/store.rs:8: the contract Store lacks `# Errors`, `#";
        assert!(found[0].starts_with(start), "{found:?}");
    }

    #[test]
    fn a_sentence_about_a_section_is_none() {
        let mut sections = SECTIONS;
        sections[2] = "see # Durability elsewhere";
        assert!(faults(&sections)[0].contains("lacks `# Durability`;"));
    }
}
