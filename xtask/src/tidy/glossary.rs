//! A glossary fixes each noun once; the public types of the core and of the engine are those nouns.

use syn::{Ident, Item, Visibility};

use super::project::Project;
use super::report::Report;
use super::rust_files::{is_test, rust_files};
use super::words;

const GLOSSARY: &str = "docs/GLOSSARY.md";
const FOLDERS: [&str; 2] = ["crates/core/src/", "crates/engine/src/"];

pub(crate) fn check(project: &Project, report: &mut Report) {
    let Some(glossary) = project.files.text(GLOSSARY) else {
        report.fault(
            GLOSSARY,
            1,
            "is missing",
            "write the glossary of the public types",
        );
        return;
    };
    let of_interest = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
    for (path, text) in rust_files(&project.files) {
        if !of_interest(path) || is_test(path) {
            continue;
        }
        // A file that does not parse is reported with the functions.
        let items = syn::parse_file(text)
            .map(|file| file.items)
            .unwrap_or_default();
        for name in public_types(&items) {
            if !words::contains(glossary, &name.to_string()) {
                let wrong = format!("the public type {name} is not in the glossary");
                let remedy = format!("explain it in {GLOSSARY}, or use a word that is there");
                report.fault(path, name.span().start().line, wrong, remedy);
            }
        }
    }
}

fn public_types(items: &[Item]) -> Vec<&Ident> {
    items
        .iter()
        .flat_map(|item| match item {
            Item::Struct(item) if is_public(&item.vis) => vec![&item.ident],
            Item::Enum(item) if is_public(&item.vis) => vec![&item.ident],
            Item::Trait(item) if is_public(&item.vis) => vec![&item.ident],
            Item::Mod(module) if is_public(&module.vis) => match &module.content {
                Some((_, items)) => public_types(items),
                None => vec![],
            },
            _ => vec![],
        })
        .collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    const TEXT: &str = "//! Lanes.\npub struct Lane;\npub(crate) struct Row;\nstruct Own;\n\
                        pub mod key {\n    pub enum LaneKey {}\n}\npub trait Handler {}\n";

    fn faults(glossary: &str) -> Vec<String> {
        faults_of(
            check,
            &[("crates/core/src/lane.rs", TEXT), (GLOSSARY, glossary)],
        )
    }

    #[test]
    fn public_types_must_be_explained() {
        assert_eq!(faults("- `Lane`, `LaneKey`: …\n- `Handler`: …\n"), [""; 0]);
        let found = faults("- `LaneKey`: …\n- `Handler`: …\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/lane.rs:2: the public type Lane "));
    }

    #[test]
    fn a_missing_glossary_is_one_fault() {
        assert_eq!(
            faults_of(check, &[("crates/core/src/lane.rs", TEXT)]).len(),
            1
        );
    }
}
