//! Prints the reference of all settings, which is a configuration file too.

use clap::CommandFactory;

use crate::args::Arguments;
use crate::exit::Failure;
use crate::output::print;
use crate::settings::reference;

pub(crate) fn execute() -> Result<(), Failure> {
    print(reference(&Arguments::command()))
}
