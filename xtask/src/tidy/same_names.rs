//! The same concept has the same file name in every store, so that whoever knows one store knows
//! where to look in the next. What only some stores have is listed with a reason.

use std::collections::{BTreeMap, BTreeSet};

use super::files::Files;
use super::lists;
use super::project::Project;
use super::report::Report;
use super::rust_files::{is_test, rust_files};

const STORES: &str = "crates/stores/";
const LIST: &str = "xtask/tidy/store-extras.txt";

pub(crate) fn check(project: &Project, report: &mut Report) {
    let stores = stores(&project.files);
    let mut extras = read_list(project.files.text(LIST).unwrap_or_default(), report);
    let names: BTreeSet<&str> = stores.values().flatten().copied().collect();
    for name in names {
        let (with, without): (Vec<_>, Vec<_>) =
            stores.iter().partition(|(_, names)| names.contains(name));
        if without.is_empty() {
            continue;
        }
        let without: Vec<&str> = without.into_iter().map(|(store, _)| *store).collect();
        for (store, _) in with {
            if extras.remove(&(*store, name)).is_none() {
                let path = format!("{STORES}{store}/src/{name}");
                let wrong = format!("is not in {}", without.join(", "));
                let remedy = format!("use one name for one concept, or list it in {LIST}");
                report.fault(&path, 1, wrong, remedy);
            }
        }
    }
    for ((store, name), line) in extras {
        let wrong = format!("{name} is no file that only {store} has");
        report.fault(LIST, line, wrong, "remove the entry");
    }
}

/// The production files of each store, relative to its `src` folder.
fn stores(files: &Files) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut stores = BTreeMap::<&str, BTreeSet<&str>>::new();
    for (path, _) in rust_files(files).filter(|(path, _)| !is_test(path)) {
        let place = path
            .strip_prefix(STORES)
            .and_then(|path| path.split_once("/src/"));
        if let Some((store, name)) = place {
            stores.entry(store).or_default().insert(name);
        }
    }
    stores
}

fn read_list<'text>(
    list: &'text str,
    report: &mut Report,
) -> BTreeMap<(&'text str, &'text str), usize> {
    let mut extras = BTreeMap::new();
    for entry in lists::entries(list) {
        match entry.words[..] {
            [store, name, _, ..] => {
                extras.insert((store, name), entry.line);
            }
            _ => {
                let remedy = "write `store file reason`";
                report.fault(LIST, entry.line, "the entry has no reason", remedy);
            }
        }
    }
    extras
}

#[cfg(test)]
mod tests {
    use super::super::report::faults_of;
    use super::*;

    fn faults(list: &str) -> Vec<String> {
        let paths = [
            "crates/stores/memory/src/lib.rs",
            "crates/stores/sqlite/src/lib.rs",
            "crates/stores/sqlite/src/lib/tests.rs",
            "crates/stores/sqlite/src/schema.rs",
            "crates/stores/sqlite/tests/conformance.rs",
        ];
        let mut files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
        files.push((LIST, list));
        faults_of(check, &files)
    }

    #[test]
    fn a_file_that_one_store_has_needs_a_reason() {
        let found = faults("");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/stores/sqlite/src/schema.rs:1: is not in memory"));
        assert_eq!(
            faults("sqlite schema.rs  only SQL has tables to create\n"),
            [""; 0]
        );
        assert!(faults("sqlite schema.rs\n")[0].contains("has no reason"));
    }

    #[test]
    fn an_entry_that_excuses_nothing_is_a_fault() {
        let list = "sqlite schema.rs tables\nsqlite lib.rs why\n";
        let found = faults(list);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("xtask/tidy/store-extras.txt:2: lib.rs is no file"));
    }
}
