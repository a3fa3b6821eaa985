//! No crate needs another unless the table of arrows says so. An arrow drawn by accident is how a
//! store comes to know the engine.

use super::arrow_table::{ArrowTable, names_role};
use super::packages::{Need, Package};
use super::project::Project;
use super::report::Report;

/// The document with the table.
pub(crate) const DOCUMENT: &str = "docs/ARCHITECTURE.md";

pub(crate) fn check(project: &Project, report: &mut Report) {
    let Some(table) = project.files.text(DOCUMENT).and_then(ArrowTable::parse) else {
        let remedy = "list the allowed arrows there in a block ```arrows```";
        report.fault(DOCUMENT, 1, "has no table of arrows", remedy);
        return;
    };
    for &line in &table.unreadable {
        let remedy = "write `from -> to, to`, `dev: from -> to` or `closed: name`";
        report.fault(DOCUMENT, line, "the arrow cannot be read", remedy);
    }
    stale_names(&table, &project.packages, report);
    for package in &project.packages {
        if !table.has_row(&package.role) {
            let wrong = format!("no arrow says what {} may need", package.role);
            report.fault(DOCUMENT, 1, wrong, "add its line to the table");
        }
        let forbidden = package
            .needs
            .iter()
            .filter(|need| !table.allows(&package.role, &need.role, need.for_tests));
        for need in forbidden {
            let path = format!("{}/Cargo.toml", package.folder);
            let line = project
                .files
                .text(&path)
                .map_or(1, |manifest| line_in(manifest, need));
            let wrong = format!("{} must not need {}", package.role, need.role);
            let wrong = if need.for_tests {
                format!("{wrong}, not even for tests")
            } else {
                wrong
            };
            let remedy = format!("remove the dependency, or argue for the arrow in {DOCUMENT}");
            report.fault(&path, line, wrong, remedy);
        }
    }
}

fn stale_names(table: &ArrowTable, packages: &[Package], report: &mut Report) {
    for (line, name) in table.names() {
        if !packages
            .iter()
            .any(|package| names_role(name, &package.role))
        {
            let wrong = format!("the table of arrows names {name}, which is no crate");
            report.fault(DOCUMENT, line, wrong, "remove the name, or correct it");
        }
    }
}

/// The line of a manifest that declares the dependency.
fn line_in(manifest: &str, need: &Need) -> usize {
    let mut section_is_for_tests = false;
    for (index, line) in manifest.lines().enumerate() {
        if line.starts_with('[') {
            section_is_for_tests = line.contains("dev-dependencies");
        }
        let declares = line
            .strip_prefix(need.name.as_str())
            .is_some_and(|rest| rest.starts_with([' ', '=', '.']));
        if declares && section_is_for_tests == need.for_tests {
            return index + 1;
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[dependencies]\np-core = {}\n[dev-dependencies]\np-engine = {}\n";

    fn faults(table: &str) -> Vec<String> {
        let document = format!("```arrows\n{table}\n```\n");
        let mut project = Project::of(&[
            (DOCUMENT, &document),
            ("crates/stores/sqlite/Cargo.toml", MANIFEST),
        ]);
        let need = |name: &str, role: &str, for_tests| Need {
            name: name.into(),
            role: role.into(),
            for_tests,
        };
        let package = |role: &str, needs| Package {
            role: role.into(),
            folder: format!("crates/{role}"),
            needs,
        };
        let needs = vec![
            need("p-core", "core", false),
            need("p-engine", "engine", true),
        ];
        project.packages = vec![
            package("core", vec![]),
            package("engine", vec![]),
            package("stores/sqlite", needs),
        ];
        let mut report = Report::default();
        check(&project, &mut report);
        report.faults().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn listed_arrows_pass() {
        let table = "core -> nothing\nengine -> core\nstores/* -> core\ndev: stores/* -> engine";
        assert_eq!(faults(table), [""; 0]);
    }

    #[test]
    fn an_arrow_that_is_not_listed_is_a_fault_in_the_manifest() {
        let found = faults("core, engine -> nothing\nstores/* -> core");
        assert_eq!(found.len(), 1, "{found:?}");
        let start =
            "crates/stores/sqlite/Cargo.toml:4: stores/sqlite must not need engine, not even";
        assert!(found[0].starts_with(start), "{found:?}");
    }

    #[test]
    fn a_crate_without_a_line_and_a_line_without_a_crate_are_faults() {
        let found = faults("core -> nothing\nstores/* -> core, engine, cache");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("docs/ARCHITECTURE.md:3: the table of arrows names cache"));
        assert!(found[1].contains("no arrow says what engine may need"));
    }

    #[test]
    fn a_missing_table_is_a_fault() {
        assert_eq!(super::super::report::faults_of(check, &[]).len(), 1);
    }
}
