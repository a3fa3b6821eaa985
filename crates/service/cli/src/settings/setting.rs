//! What may be set, as the command line defines it.

use clap::{Arg, ArgAction, Command};

/// The only command with settings of its own: the others are told once, by hand.
const OWN: &str = "run";

/// Arguments of [`OWN`] that are for a single call: they choose what it prints, or take the place
/// of another one.
const FOR_ONE_CALL: [&str; 4] = ["ir", "show", "config", "help"];

/// What several commands share, each with what it is about.
const TARGET: (&str, &str) = (
    "target",
    "Where the tables go, and where the state of projections is kept: sqlite:PATH",
);
const SOURCE: (&str, &str) = (
    "source",
    "Where the events are: a file of JSON lines, or `-` for standard input",
);
const FORMAT: (&str, &str) = ("format", "How what a command has to tell is printed");

/// Something that may be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// The table of the file that it stands in; `None` for what several commands share.
    pub(crate) section: Option<&'static str>,
    /// Its name within the table.
    pub(crate) key: String,
    /// What a value looks like.
    pub(crate) kind: Kind,
    /// What a value is called.
    pub(crate) value_name: String,
    /// Its default, where it has one.
    pub(crate) default: Option<String>,
    /// The values that there are, where they are few.
    pub(crate) possible: Vec<String>,
    /// What it is about.
    pub(crate) help: String,
}

/// What a value of a setting looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `true` or `false`.
    Flag,
    /// Several texts or numbers.
    List,
    /// One text or number.
    Single,
}

impl Setting {
    /// The setting behind an argument of a command; `None` for one that is only typed.
    pub(crate) fn of(command: &str, argument: &Arg) -> Option<Self> {
        let value_name = argument.get_value_names().and_then(|names| names.first());
        let value_name = value_name.map_or(String::new(), ToString::to_string);
        let shared = match value_name.as_str() {
            // Where one may be left out, leaving it out means something.
            "TARGET" if argument.is_required_set() => Some(TARGET),
            "SOURCE" if argument.is_required_set() => Some(SOURCE),
            _ => (argument.get_long() == Some("format")).then_some(FORMAT),
        };
        let id = argument.get_id().as_str();
        let (section, key, help) = match shared {
            Some((key, help)) => (None, key, help.to_owned()),
            None if command == OWN && !FOR_ONE_CALL.contains(&id) => {
                let help = argument
                    .get_help()
                    .map_or(String::new(), ToString::to_string);
                (Some(OWN), argument.get_long().unwrap_or(id), help)
            }
            None => return None,
        };
        let default = argument.get_default_values().first();
        Some(Self {
            section,
            key: key.to_owned(),
            kind: match argument.get_action() {
                ArgAction::SetTrue => Kind::Flag,
                ArgAction::Append => Kind::List,
                _ => Kind::Single,
            },
            value_name,
            default: default.map(|default| default.to_string_lossy().into_owned()),
            possible: (argument.get_possible_values().iter())
                .map(|value| value.get_name().to_owned())
                .collect(),
            help,
        })
    }

    /// The variable that sets it.
    pub(crate) fn variable(&self) -> String {
        format!(
            "PROJECTIONIST_{}",
            self.key.to_uppercase().replace('-', "_")
        )
    }
}

/// Everything that may be set, each once, what is shared in front.
pub(crate) fn all(command: &Command) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    gather(command, &mut settings);
    settings.sort_by_key(|setting| setting.section.is_some());
    settings
}

fn gather(command: &Command, settings: &mut Vec<Setting>) {
    for argument in command.get_arguments() {
        let setting = Setting::of(command.get_name(), argument);
        let is_known = |one: &Setting| {
            let key = |setting: &Setting| (setting.section, setting.key.clone());
            settings.iter().any(|known| key(known) == key(one))
        };
        if let Some(setting) = setting.filter(|one| !is_known(one)) {
            settings.push(setting);
        }
    }
    for subcommand in command.get_subcommands() {
        gather(subcommand, settings);
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Arguments;

    #[test]
    fn a_variable_sets_one_thing() {
        let settings = all(&Arguments::command());
        let mut variables: Vec<String> = settings.iter().map(Setting::variable).collect();
        variables.push(super::super::VARIABLE.to_owned());
        variables.push("PROJECTIONIST_LOG".to_owned());
        let count = variables.len();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), count, "{variables:?}");
    }

    #[test]
    fn what_is_typed_for_one_call_is_no_setting() {
        let settings = all(&Arguments::command());
        let has = |key: &str| settings.iter().any(|setting| setting.key == key);
        for key in ["target", "source", "format", "max-batch", "file", "once"] {
            assert!(has(key), "{key} is missing");
        }
        for key in [
            "force", "dry-run", "into", "store", "from", "ir", "show", "id",
        ] {
            assert!(!has(key), "{key} can be set");
        }
    }
}
