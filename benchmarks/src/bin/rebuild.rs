//! Measures a rebuild beside a run into an empty target, and a live run beside a rebuild.

use std::path::PathBuf;
use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::child;
use projectionist_benchmarks::declared_sqlite::input::Shape;
use projectionist_benchmarks::failure::{Outcome, exit};
use projectionist_benchmarks::rebuild::report::report;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    exit(match words.split_first() {
        Some((first, command)) if first == child::COMMAND => child::be_the_parent(command),
        _ => benchmark(words),
    })
}

fn benchmark(words: Vec<String>) -> Outcome<()> {
    let known = ["entities", "events", "folder", "runs", "seed"];
    let arguments = Arguments::parse(words.into_iter(), &known)?;
    let shape = Shape {
        events: arguments.get("events", 1_000_000)?,
        entities: arguments.get("entities", 100_000)?,
        seed: arguments.get("seed", 1)?,
    };
    let folder = std::env::temp_dir().join("projectionist-rebuild");
    let folder: PathBuf = arguments.get("folder", folder)?;
    report(&folder, shape, arguments.get("runs", 5)?)
}
