//! The files of the project: what git keeps or would keep, so that build products and a developer's
//! own notes are nobody's fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::failure::{Doing, Failure, Result};
use crate::workspace::Workspace;

/// Endings of the files whose text is read; of all others only the path is known.
const TEXT: [&str; 12] = [
    "css", "html", "js", "json", "md", "rs", "sh", "sql", "toml", "txt", "yaml", "yml",
];

/// Paths from the root of the checkout, with `/`, and the text of those that people write.
pub(crate) struct Files {
    texts: BTreeMap<String, String>,
    paths: BTreeSet<String>,
}

impl Files {
    /// Reads the files of the checkout from disk, with the changes that are not yet committed.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        let mut git = workspace.command("git");
        git.args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ]);
        let output = git.output().doing("start git")?;
        if !output.status.success() {
            return Err(Failure::new(
                "tidy asks git for the project's files: run it in a clone",
            ));
        }
        let mut files = Self {
            texts: BTreeMap::new(),
            paths: BTreeSet::new(),
        };
        for path in String::from_utf8_lossy(&output.stdout).split_terminator('\0') {
            let place = workspace.root().join(path);
            // A file that is deleted and not yet committed is still in git's list.
            if !place.is_file() {
                continue;
            }
            if is_text(path) {
                let text = fs::read_to_string(&place).doing(format!("read {path}"))?;
                files.texts.insert(path.to_owned(), text);
            }
            files.add_path(path);
        }
        Ok(files)
    }

    #[cfg(test)]
    pub(crate) fn of(pairs: &[(&str, &str)]) -> Self {
        let mut files = Self {
            texts: BTreeMap::new(),
            paths: BTreeSet::new(),
        };
        for (path, text) in pairs {
            files.texts.insert((*path).to_owned(), (*text).to_owned());
            files.add_path(path);
        }
        files
    }

    fn add_path(&mut self, path: &str) {
        for place in Path::new(path).ancestors() {
            self.paths.insert(place.to_string_lossy().into_owned());
        }
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.get(path).map(String::as_str)
    }

    /// Whether there is such a file, or a folder with such files in it. The root is the empty path.
    pub(crate) fn exists(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    /// Path and text of all files that were read, by path.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

fn is_text(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| TEXT.contains(&ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_exists_through_its_files() {
        let files = Files::of(&[("docs/adr/0001.md", "")]);
        for there in ["", "docs", "docs/adr", "docs/adr/0001.md"] {
            assert!(files.exists(there), "{there}");
        }
        assert!(!files.exists("docs/ad"));
    }

    #[test]
    fn data_is_not_read_as_text() {
        assert!(is_text("crates/core/src/lib.rs"));
        assert!(!is_text("examples/orders/events.jsonl"));
        assert!(!is_text("LICENSE"));
    }
}
