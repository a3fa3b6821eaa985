//! The project's own tasks, as a program of the workspace: one command for a developer and for CI,
//! the same on every machine that has cargo.

mod failure;
mod markdown;
mod soak;
mod stopwatch;
mod stream;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Result;
use crate::workspace::Workspace;

/// The tasks of this project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the shape of the code and of the documents; print every fault
    Tidy,
    /// Prove everything that a change needs proven: what CI runs
    Test(test::Options),
    /// Run the long proofs with their full counts
    Soak(soak::Options),
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    let workspace = Workspace::find()?;
    match &arguments.task {
        Task::Tidy => tidy::run(&workspace),
        Task::Test(options) => test::run(&workspace, options),
        Task::Soak(options) => soak::run(&workspace, options),
    }
}
