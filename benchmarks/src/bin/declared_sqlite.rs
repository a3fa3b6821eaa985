//! Measures the program on a large file into SQLite, beside loops written by hand.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::child;
use projectionist_benchmarks::declared_sqlite::input::Shape;
use projectionist_benchmarks::declared_sqlite::report::report;
use projectionist_benchmarks::declared_sqlite::subject::Subject;
use projectionist_benchmarks::failure::{Outcome, exit};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    exit(match words.split_first() {
        Some((first, command)) if first == child::COMMAND => child::be_the_parent(command),
        _ => benchmark(words),
    })
}

fn benchmark(words: Vec<String>) -> Outcome<()> {
    let known = [
        "database", "entities", "events", "folder", "input", "runs", "seed",
    ];
    let arguments = Arguments::parse(words.into_iter(), &known)?;
    if let Some(name) = &arguments.command {
        let input = Path::new(arguments.text("input")?);
        let database = Path::new(arguments.text("database")?);
        return Subject::of_name(name)?.work(input, database);
    }
    let shape = Shape {
        events: arguments.get("events", 1_000_000)?,
        entities: arguments.get("entities", 100_000)?,
        seed: arguments.get("seed", 1)?,
    };
    let folder = arguments.get("folder", default_folder())?;
    report(&folder, shape, arguments.get("runs", 5)?)
}

fn default_folder() -> PathBuf {
    std::env::temp_dir().join("projectionist-declared-sqlite")
}
