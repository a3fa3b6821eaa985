//! Where tables go, and where the state of projections is kept.

use std::path::PathBuf;
use std::str::FromStr;

/// Where tables go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A SQLite file.
    Sqlite(PathBuf),
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(PathBuf::from(path))),
            Some(("sqlite", _)) => Err("names no file; write sqlite:PATH".to_owned()),
            Some((scheme, _)) => Err(format!(
                "this build does not write to `{scheme}:`; write sqlite:PATH"
            )),
            None => Err(format!("does not say what it is; write sqlite:{text}")),
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Sqlite(path) = self;
        write!(f, "sqlite:{}", path.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_file_is_a_target_and_other_texts_name_the_way_out() {
        assert_eq!("sqlite:a b.db".parse(), Ok(Target::Sqlite("a b.db".into())));
        for (text, word) in [
            ("views.db", "write sqlite:views.db"),
            ("postgres://host/db", "`postgres:`"),
            ("sqlite:", "names no file"),
        ] {
            let error = text.parse::<Target>().unwrap_err();
            assert!(error.contains(word), "{error}");
        }
    }
}
