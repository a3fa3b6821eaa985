//! Files whose names match a pattern, one after the other in the order of their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use projectionist_core::{Error, Result};

use super::anchor::FileId;
use crate::fault::file_error;

/// A pattern for the names of files in one folder.
#[derive(Clone, Debug)]
pub(super) struct FilePattern {
    /// As it was written.
    whole: PathBuf,
    folder: PathBuf,
    name: glob::Pattern,
}

/// A file that matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) name: String,
    /// Its length in bytes.
    pub(super) length: u64,
    pub(super) id: FileId,
}

impl FilePattern {
    /// Reads `*`, `?` and `[…]` in the last part of a path.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let refused = |reason: String| Error::Configuration {
            subject: format!("pattern `{text}`"),
            reason,
        };
        let whole = PathBuf::from(text);
        let (folder, name) = text.rsplit_once('/').map_or((".", text), |(folder, name)| {
            (if folder.is_empty() { "/" } else { folder }, name)
        });
        if has_wildcard(folder) {
            let reason = "only the name of the file may hold `*`, `?` or `[`, not its folder";
            return Err(refused(reason.to_owned()));
        }
        let name = glob::Pattern::new(name).map_err(|error| refused(error.to_string()))?;
        Ok(Self {
            whole,
            folder: folder.into(),
            name,
        })
    }

    /// As it was written.
    pub(super) fn whole(&self) -> &Path {
        &self.whole
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The files that match, in the order of their names; none where the folder is not there yet.
    pub(super) fn list(&self) -> Result<Vec<Match>> {
        let fail = |error| file_error(self.folder.display(), error);
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(fail)?;
            let Some(name) = self.matching(&entry.file_name())? else {
                continue;
            };
            match fs::metadata(entry.path()) {
                Ok(about) if about.is_file() => found.push(Match {
                    name,
                    length: about.len(),
                    id: FileId::of(&about),
                }),
                Ok(_) => {}
                // It was removed since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(file_error(entry.path().display(), error)),
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// The name when it matches. As in a shell, a wildcard stands for no leading dot.
    fn matching(&self, name: &std::ffi::OsStr) -> Result<Option<String>> {
        let options = glob::MatchOptions {
            require_literal_leading_dot: true,
            ..glob::MatchOptions::new()
        };
        let text = name.to_string_lossy();
        if !self.name.matches_with(&text, options) {
            return Ok(None);
        }
        match name.to_str() {
            Some(name) => Ok(Some(name.to_owned())),
            None => Err(Error::Configuration {
                subject: format!("file `{text}`"),
                reason: "its name is not UTF-8, so an offset cannot hold it; rename it".to_owned(),
            }),
        }
    }
}

/// Whether `text` holds what stands for other text in a pattern.
pub(super) fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_may_be_a_pattern() {
        let pattern = FilePattern::parse("logs/a-*.jsonl").unwrap();
        assert_eq!(pattern.path_of("a-1.jsonl"), Path::new("logs/a-1.jsonl"));
        assert_eq!(FilePattern::parse("/*").unwrap().folder(), Path::new("/"));
        for wrong in ["*/a.jsonl", "a[b/c", "a[b"] {
            let error = FilePattern::parse(wrong).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
    }

    #[test]
    fn files_that_match_are_listed_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        for name in [
            "b.jsonl",
            "a.jsonl",
            "a.json",
            ".c.jsonl",
            "a10.jsonl",
            "a9.jsonl",
        ] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        fs::create_dir(folder.path().join("d.jsonl")).unwrap();
        let text = format!("{}/*.jsonl", folder.path().display());
        let found = FilePattern::parse(&text).unwrap().list().unwrap();
        let names: Vec<_> = found.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a.jsonl", "a10.jsonl", "a9.jsonl", "b.jsonl"]);
        assert_eq!(found[0].length, 7);
        let missing = FilePattern::parse("no/such/folder/*").unwrap();
        assert!(missing.list().unwrap().is_empty());
    }
}
