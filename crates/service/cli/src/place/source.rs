//! Where events come from.

use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where events come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file of JSON lines.
    File(PathBuf),
    /// The files of JSON lines whose names match, in the order of their names.
    Files(String),
    /// Standard input, to its end.
    StandardInput,
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "-" {
            return Ok(Self::StandardInput);
        }
        if text.is_empty() {
            return Err(
                "is empty; name a file of JSON lines, a pattern of several, or `-`".to_owned(),
            );
        }
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(format!(
                "this build does not read from `{scheme}://`; name a file of JSON lines, or `-`"
            ));
        }
        let path = PathBuf::from(text);
        // A file may bear such a name, however seldom.
        match text.contains(['*', '?', '[']) && !path.exists() {
            true => Ok(Self::Files(text.to_owned())),
            false => Ok(Self::File(path)),
        }
    }
}

impl Source {
    /// How many bytes there are now; `None` where that cannot be told.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let length = |path: &Path| std::fs::metadata(path).ok().map(|found| found.len());
        match self {
            Self::File(path) => length(path),
            Self::Files(pattern) => {
                let files = glob::glob(pattern).ok()?;
                Some(files.flatten().filter_map(|path| length(&path)).sum())
            }
            Self::StandardInput => None,
        }
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Files(pattern) => pattern.fmt(f),
            Self::StandardInput => f.write_str("standard input"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_a_dash_are_sources_and_an_unknown_scheme_is_named() {
        assert_eq!("-".parse(), Ok(Source::StandardInput));
        assert_eq!("a:b.jsonl".parse(), Ok(Source::File("a:b.jsonl".into())));
        let files = Source::Files("logs/*.jsonl".to_owned());
        assert_eq!("logs/*.jsonl".parse(), Ok(files));
        let error = "kafka://host/topic".parse::<Source>().unwrap_err();
        assert!(error.contains("`kafka://`"), "{error}");
    }
}
