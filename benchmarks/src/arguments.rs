//! The command lines of the benchmarks: a word that says what to do, and settings as `name=value`.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::failure::Outcome;

/// A command line, taken apart.
#[derive(Debug, Default)]
pub struct Arguments {
    /// The word without `=`, if there was one.
    pub command: Option<String>,
    settings: BTreeMap<String, String>,
}

impl Arguments {
    /// Takes apart the arguments after the program's name.
    ///
    /// # Errors
    /// A second word without `=`, or a setting whose name is not in `known`.
    pub fn parse(words: impl Iterator<Item = String>, known: &[&str]) -> Outcome<Self> {
        let mut arguments = Self::default();
        for word in words {
            match word.split_once('=') {
                Some((name, value)) if known.contains(&name) => {
                    arguments.settings.insert(name.to_owned(), value.to_owned());
                }
                None if arguments.command.is_none() => arguments.command = Some(word),
                _ => {
                    let known = known.join("=…, ");
                    return Err(format!("cannot use `{word}`; the settings are {known}=…").into());
                }
            }
        }
        Ok(arguments)
    }

    /// The value of a setting, or its default.
    ///
    /// # Errors
    /// A value that is no `T`.
    pub fn get<T: FromStr>(&self, name: &str, default: T) -> Outcome<T> {
        let Some(value) = self.settings.get(name) else {
            return Ok(default);
        };
        let wrong = || format!("cannot use `{name}={value}`").into();
        value.parse().map_err(|_| wrong())
    }

    /// The text of a setting that has no default.
    ///
    /// # Errors
    /// When it was not given.
    pub fn text(&self, name: &str) -> Outcome<&str> {
        let value = self.settings.get(name);
        value
            .map(String::as_str)
            .ok_or_else(|| format!("`{name}=…` is missing").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Outcome<Arguments> {
        let words = words.iter().map(|word| (*word).to_owned());
        Arguments::parse(words, &["events", "runs"])
    }

    #[test]
    fn settings_have_their_values_or_their_defaults() {
        let arguments = parse(&["loop", "events=7"]).unwrap();
        assert_eq!(arguments.command.as_deref(), Some("loop"));
        assert_eq!(arguments.get("events", 1_u64).unwrap(), 7);
        assert_eq!(arguments.get("runs", 5_u64).unwrap(), 5);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        let unknown = parse(&["size=7"]).unwrap_err().to_string();
        assert!(
            unknown.contains("size=7") && unknown.contains("events"),
            "{unknown}"
        );
        assert!(parse(&["a", "b"]).is_err());
        let wrong = parse(&["events=many"]).unwrap().get("events", 1_u64);
        assert!(wrong.unwrap_err().to_string().contains("events=many"));
    }
}
