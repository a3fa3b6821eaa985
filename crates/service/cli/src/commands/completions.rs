//! Prints a script that completes commands and options in a shell.

use clap::CommandFactory;

use crate::args::{Arguments, CompletionsArguments};
use crate::exit::Failure;
use crate::output::print;

/// The name under which the program is called.
const PROGRAM: &str = "projectionist";

pub(crate) fn execute(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, PROGRAM, &mut script);
    print(String::from_utf8_lossy(&script))
}
