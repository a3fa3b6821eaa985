//! The table of allowed dependencies, read from the block ```` ```arrows ```` in the architecture
//! document, so that what people read is what is checked.
//!
//! A line `engine -> core, telemetry` lets the left side need the right side. With `dev:` in front it
//! holds only for tests. `stores/*` is every crate of a folder, `*` is every crate that is not
//! closed, `nothing` is no crate. `closed: facade` names crates that only an arrow which names them
//! may reach.

use crate::markdown;

/// A line of the table.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub(crate) line: usize,
    pub(crate) for_tests: bool,
    pub(crate) from: Vec<String>,
    pub(crate) to: Vec<String>,
}

/// The whole table.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ArrowTable {
    pub(crate) arrows: Vec<Arrow>,
    /// Names of closed crates, with their lines.
    closed: Vec<(usize, String)>,
    /// Lines that are not of the table's form.
    pub(crate) unreadable: Vec<usize>,
}

impl ArrowTable {
    /// The table in a document, if it has one.
    pub(crate) fn parse(document: &str) -> Option<Self> {
        let block = markdown::fences(document).find(|fence| fence.language == "arrows")?;
        let mut table = Self::default();
        for (index, text) in block.lines.iter().enumerate() {
            table.read_line(block.line + 1 + index, text.trim());
        }
        Some(table)
    }

    fn read_line(&mut self, line: usize, text: &str) {
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        if let Some(closed) = text.strip_prefix("closed:") {
            self.closed
                .extend(names(closed).into_iter().map(|name| (line, name)));
            return;
        }
        let (for_tests, arrow) = match text.strip_prefix("dev:") {
            Some(arrow) => (true, arrow),
            None => (false, text),
        };
        match arrow
            .split_once("->")
            .map(|(from, to)| (names(from), names(to)))
        {
            Some((from, to)) if !from.is_empty() && !to.is_empty() => {
                self.arrows.push(Arrow {
                    line,
                    for_tests,
                    from,
                    to,
                });
            }
            _ => self.unreadable.push(line),
        }
    }

    /// Whether a crate of that role may need another.
    pub(crate) fn allows(&self, from: &str, to: &str, for_tests: bool) -> bool {
        self.arrows
            .iter()
            .filter(|arrow| for_tests || !arrow.for_tests)
            .filter(|arrow| arrow.from.iter().any(|pattern| names_role(pattern, from)))
            .any(|arrow| arrow.to.iter().any(|pattern| self.reaches(pattern, to)))
    }

    /// Whether a line says what a crate of that role may need beside its tests.
    pub(crate) fn has_row(&self, role: &str) -> bool {
        let mut rows = self.arrows.iter().filter(|arrow| !arrow.for_tests);
        rows.any(|arrow| arrow.from.iter().any(|pattern| names_role(pattern, role)))
    }

    fn reaches(&self, pattern: &str, role: &str) -> bool {
        let closed = || {
            self.closed
                .iter()
                .any(|(_, closed)| names_role(closed, role))
        };
        names_role(pattern, role) || (pattern == "*" && !closed())
    }

    /// Every name in the table with its line, save the ones that stand for any number of crates.
    pub(crate) fn names(&self) -> impl Iterator<Item = (usize, &str)> {
        let closed = self
            .closed
            .iter()
            .map(|(line, name)| (*line, name.as_str()));
        let sides = self.arrows.iter().flat_map(|arrow| {
            arrow
                .from
                .iter()
                .chain(&arrow.to)
                .map(|name| (arrow.line, name.as_str()))
        });
        sides
            .chain(closed)
            .filter(|(_, name)| *name != "*" && *name != "nothing")
    }
}

/// Whether the name means that crate: its role, the last part of its role, or its folder with `/*`.
pub(crate) fn names_role(name: &str, role: &str) -> bool {
    match name.strip_suffix("/*") {
        Some(folder) => role
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/')),
        None => role == name || role.rsplit('/').next() == Some(name),
    }
}

fn names(list: &str) -> Vec<String> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(lines: &str) -> ArrowTable {
        ArrowTable::parse(&format!("# Shape\n\n```arrows\n{lines}\n```\n")).unwrap()
    }

    #[test]
    fn what_is_not_listed_is_forbidden() {
        let table = table("core -> nothing\nengine -> core, telemetry\nstores/* -> core");
        assert!(table.allows("engine", "core", false));
        assert!(table.allows("stores/sqlite", "core", false));
        assert!(!table.allows("core", "engine", false));
        assert!(!table.allows("stores/sqlite", "engine", false));
        assert!(table.has_row("core") && !table.has_row("facade"));
    }

    #[test]
    fn tests_may_need_more_than_production() {
        let table = table("engine -> core\ndev: engine -> testkit");
        assert!(table.allows("engine", "testing/testkit", true));
        assert!(table.allows("engine", "core", true));
        assert!(!table.allows("engine", "testing/testkit", false));
    }

    #[test]
    fn a_closed_crate_is_reached_only_by_its_name() {
        let table = table("closed: facade\ncli -> *\nexamples -> *, facade");
        assert!(table.allows("service/cli", "engine", false));
        assert!(!table.allows("service/cli", "facade", false));
        assert!(table.allows("examples", "facade", false));
    }

    #[test]
    fn lines_keep_their_numbers_and_unreadable_ones_are_kept() {
        let table = table("core -> nothing\nengine core\n-> core");
        assert_eq!(table.arrows[0].line, 4);
        assert_eq!(table.unreadable, [5, 6]);
        assert_eq!(ArrowTable::parse("no table here"), None);
    }
}
