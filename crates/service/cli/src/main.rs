//! The program: runs and operates declared projections.
//!
//! Data goes to standard output, talk to standard error. One file a command under [`commands`];
//! [`args`] is what a person may type, [`exit`] what the program ends with.

#![warn(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "they panic when nothing can be written; `output` does not"
)]

mod admin;
mod args;
mod commands;
mod exit;
mod output;
mod place;
mod settings;

use std::io::IsTerminal;
use std::process::ExitCode;

use tracing_subscriber::EnvFilter;

use args::Command;

fn main() -> ExitCode {
    let arguments = match settings::parse() {
        Ok(arguments) => arguments,
        Err(failure) => return failure.report(),
    };
    log_to_stderr(match arguments.command {
        // What they find of events they tell themselves.
        Command::Test(_) | Command::Explain(_) | Command::Audit(_) => TEST_LOG,
        _ => DEFAULT_LOG,
    });
    let ended = match arguments.command {
        Command::Run(run) => commands::run::execute(&run),
        Command::Init(init) => commands::init::execute(&init),
        Command::Check(check) => commands::check::execute(&check),
        Command::Test(test) => commands::test::execute(&test),
        Command::Schema => commands::schema::execute(),
        Command::Settings => commands::settings::execute(),
        Command::Compile(compile) => commands::compile::execute(&compile),
        Command::Diff(diff) => commands::diff::execute(&diff),
        Command::Deploy(deploy) => commands::deploy::execute(&deploy),
        Command::Rebuild(rebuild) => commands::rebuild::execute(&rebuild),
        Command::SchemaName(names) => commands::schema_name::execute(&names),
        Command::Status(status) => commands::status::execute(&status),
        Command::Pause(pause) => commands::pause::execute(&pause),
        Command::Resume(resume) => commands::resume::execute(&resume),
        Command::Skip(skip) => commands::skip::execute(&skip),
        Command::Offset(offset) => commands::offset::execute(&offset),
        Command::Explain(row) => commands::explain::execute(&row),
        Command::Audit(projection) => commands::audit::execute(&projection),
        Command::DeadLetters(letters) => commands::dead_letters::execute(&letters),
        Command::Completions(completions) => commands::completions::execute(&completions),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Everything from `info` on, but the end of a projection: the program tells that itself.
const DEFAULT_LOG: &str = "info,projectionist::ended=off";

/// A case tells itself which dead letters it does not expect.
const TEST_LOG: &str = "error,projectionist::ended=off";

/// Talk goes to standard error; `PROJECTIONIST_LOG` filters it as `RUST_LOG` does elsewhere.
fn log_to_stderr(default: &str) {
    let filter = EnvFilter::try_from_env("PROJECTIONIST_LOG");
    let filter = filter.unwrap_or_else(|_| EnvFilter::new(default));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        // It would tell of a line that cannot be written in a way that panics.
        .log_internal_errors(false)
        .init();
}
