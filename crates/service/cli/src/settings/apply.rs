//! Makes what is set the default of what may be typed.

use clap::builder::Resettable;
use clap::{Arg, Command};

use super::config_file::ConfigFile;
use super::setting::Setting;

/// The command, with a variable and the value of the file behind every argument that may be set.
pub(super) fn with_settings(command: Command, file: &ConfigFile) -> Command {
    let name = command.get_name().to_owned();
    command
        .mut_args(|argument| match Setting::of(&name, &argument) {
            Some(setting) => set(argument, &setting, file),
            None => argument,
        })
        .mut_subcommands(|subcommand| with_settings(subcommand, file))
}

fn set(argument: Arg, setting: &Setting, file: &ConfigFile) -> Arg {
    // A value may be one that is nobody's business: the help names the variable alone.
    let argument = argument.env(setting.variable()).hide_env_values(true);
    match file.values(setting) {
        // What has a default is not asked for.
        Some(values) => argument
            .required(false)
            .required_unless_present(Resettable::Reset)
            .default_values(values.iter().cloned()),
        None => argument,
    }
}
