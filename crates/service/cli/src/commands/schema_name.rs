//! Names the schema of a fork of an application.

use clap::Args;
use projectionist_language::schema_name;

use crate::exit::Failure;
use crate::output::print_line;

#[derive(Debug, Args)]
pub(crate) struct SchemaNameArguments {
    /// The platform
    platform: String,
    /// The application
    app: String,
    /// The fork
    fork: String,
}

pub(crate) fn execute(arguments: &SchemaNameArguments) -> Result<(), Failure> {
    let SchemaNameArguments {
        platform,
        app,
        fork,
    } = arguments;
    print_line(schema_name(platform, app, fork))
}
