//! The architecture document answers a newcomer's four questions and shows every crate on its map.

use super::arrows::DOCUMENT;
use super::packages::Package;
use super::project::Project;
use super::report::Report;
use super::words;
use crate::markdown;

const HEADINGS: [&str; 4] = ["Bird's-eye view", "Entry points", "Code map", "Invariants"];

pub(crate) fn check(project: &Project, report: &mut Report) {
    let Some(document) = project.files.text(DOCUMENT) else {
        report.fault(DOCUMENT, 1, "is missing", "describe the architecture there");
        return;
    };
    for heading in HEADINGS {
        if section(document, heading).is_none() {
            let wrong = format!("has no heading `{heading}`");
            report.fault(DOCUMENT, 1, wrong, "write that section");
        }
    }
    let Some((line, map)) = section(document, "Code map") else {
        return;
    };
    for package in project
        .packages
        .iter()
        .filter(|package| !is_on(&map, package))
    {
        let wrong = format!("the code map does not name {}", package.folder);
        report.fault(
            DOCUMENT,
            line,
            wrong,
            "say in a line what that crate is for",
        );
    }
}

/// Line and text of the section with that heading, up to the next heading of its level or above.
fn section(document: &str, title: &str) -> Option<(usize, String)> {
    let headings = markdown::headings(document);
    let at = headings
        .iter()
        .position(|heading| heading.title.replace('’', "'") == title)?;
    let start = &headings[at];
    let end = headings[at + 1..]
        .iter()
        .find(|heading| heading.level <= start.level)
        .map_or(usize::MAX, |heading| heading.line - 1);
    let lines: Vec<&str> = document.lines().take(end).skip(start.line).collect();
    Some((start.line, lines.join("\n")))
}

/// A crate is on the map by its path, with or without `crates/`, by its name as code, or as `name/`
/// in a drawn tree.
fn is_on(map: &str, package: &Package) -> bool {
    let name = package.role.rsplit('/').next().unwrap_or_default();
    let by_path = [&package.folder, &package.role]
        .into_iter()
        .any(|path| path.contains('/') && words::contains(map, path));
    by_path
        || map.contains(&format!("`{name}`"))
        || words::places(map, name).any(|at| map[at + name.len()..].starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(document: &str) -> Vec<String> {
        let mut project = Project::of(&[(DOCUMENT, document)]);
        for role in ["core", "sources/file", "stores/memory"] {
            let folder = format!("crates/{role}");
            project.packages.push(Package {
                role: role.into(),
                folder,
                needs: vec![],
            });
        }
        let mut report = Report::default();
        check(&project, &mut report);
        report.faults().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_document_with_all_sections_and_crates_passes() {
        let text = "# A\n## Bird’s-eye view\n## Entry points\n## Code map\n`crates/core`\n\
                    ### Technologies\nsources/file\n  memory/  rows\n## Invariants\n";
        assert_eq!(faults(text), [""; 0]);
    }

    #[test]
    fn a_missing_heading_and_a_missing_crate_are_faults() {
        let text = "# A\n## Bird's-eye view\nThe stores/memory crate.\n## Code map\nThe core and \
                    a file of crates/core, crates/sources/file\n## Invariants\n";
        let found = faults(text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("has no heading `Entry points`"));
        assert!(found[1].contains(":4: the code map does not name crates/stores/memory"));
    }
}
