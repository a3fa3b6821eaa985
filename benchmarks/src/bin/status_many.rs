//! Measures how long it takes to tell how many projections stand.

use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::failure::{Outcome, exit};
use projectionist_benchmarks::flavor::Flavor;
use projectionist_benchmarks::status_many::report::report;

fn main() -> ExitCode {
    exit(benchmark())
}

fn benchmark() -> Outcome<()> {
    let known = ["folder", "lanes", "runs"];
    let arguments = Arguments::parse(std::env::args().skip(1), &known)?;
    if let Some(command) = &arguments.command {
        return Err(format!("there is no command `{command}`; give settings only").into());
    }
    let folder = arguments.get(
        "folder",
        std::env::temp_dir().join("projectionist-status-many"),
    )?;
    let (lanes, runs) = (arguments.get("lanes", 1_000)?, arguments.get("runs", 50)?);
    Flavor::Threads
        .runtime()?
        .block_on(report(&folder, lanes, runs))
}
