//! Measures how long a projection that is stuck takes to answer.

use std::process::ExitCode;

use projectionist_benchmarks::answers::report::report;
use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::failure::{Outcome, exit};

fn main() -> ExitCode {
    exit(benchmark())
}

fn benchmark() -> Outcome<()> {
    let arguments = Arguments::parse(std::env::args().skip(1), &["asked", "folder"])?;
    if let Some(command) = &arguments.command {
        return Err(format!("there is no command `{command}`; give settings only").into());
    }
    let folder = arguments.get("folder", std::env::temp_dir().join("projectionist-answers"))?;
    report(&folder, arguments.get("asked", 200)?)
}
