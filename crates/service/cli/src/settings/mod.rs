//! Settings that need not be typed: from a configuration file and from `PROJECTIONIST_*` variables.
//!
//! What may be set is read from the command line's own [definition](crate::args): an option and its
//! [setting](setting) cannot differ. Whoever types an option overrides its variable, a variable
//! overrides the [file](config_file), and the file overrides the default.

mod apply;
mod config_file;
mod reference;
mod setting;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

use crate::args::Arguments;
use crate::exit::Failure;
use apply::with_settings;
use config_file::ConfigFile;
pub(crate) use reference::reference;

/// The option, and behind it the variable, that names the file.
const OPTION: &str = "--config";
pub(crate) const VARIABLE: &str = "PROJECTIONIST_CONFIG";

/// What a person typed, and around it what is set. A command line that cannot be understood ends
/// the program, as does a question for help.
///
/// # Errors
/// When the configuration file cannot be read or does not validate.
pub(crate) fn parse() -> Result<Arguments, Failure> {
    let typed: Vec<OsString> = std::env::args_os().collect();
    let command = Arguments::command();
    let file = match named_file(&typed).or_else(|| std::env::var_os(VARIABLE).map(PathBuf::from)) {
        Some(path) => ConfigFile::read(&path, &setting::all(&command))?,
        None => ConfigFile::default(),
    };
    let mut command = with_settings(command, &file);
    let parsed = command.try_get_matches_from_mut(&typed);
    match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => Ok(arguments),
        Err(error) => match set_wrongly(&error, &file) {
            Some(place) => Err(Failure::invalid(format!("{place}: {}", told(&error)))),
            None => error.exit(),
        },
    }
}

/// The file that the command line names. It is looked for before the line is understood, because
/// it has a say in that.
fn named_file(typed: &[OsString]) -> Option<PathBuf> {
    let mut words = typed.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word == OPTION {
            return words.next().map(PathBuf::from);
        }
        let value = word.to_str().and_then(|word| word.strip_prefix(OPTION));
        if let Some(path) = value.and_then(|value| value.strip_prefix('=')) {
            return Some(PathBuf::from(path));
        }
    }
    None
}

/// Where the value stands that is wrong, when the file gave it.
fn set_wrongly(error: &clap::Error, file: &ConfigFile) -> Option<String> {
    if !matches!(
        error.kind(),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation
    ) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (argument, value) = (
        text(ContextKind::InvalidArg)?,
        text(ContextKind::InvalidValue)?,
    );
    file.place_of_value(argument, OsStr::new(value))
}

/// What is wrong, without the word in front and the advice behind that fit a typed option only.
fn told(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let text = text
        .split("\n\nFor more information")
        .next()
        .unwrap_or(text);
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(words: &[&str]) -> Option<PathBuf> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        named_file(&words)
    }

    #[test]
    fn the_file_is_named_anywhere_before_the_options_end() {
        let file = Some(PathBuf::from("a.toml"));
        assert_eq!(named(&["projectionist", "--config", "a.toml", "run"]), file);
        assert_eq!(named(&["projectionist", "run", "--config=a.toml"]), file);
        assert_eq!(
            named(&["projectionist", "run", "--", "--config=a.toml"]),
            None
        );
        assert_eq!(named(&["projectionist", "run", "--config"]), None);
    }
}
