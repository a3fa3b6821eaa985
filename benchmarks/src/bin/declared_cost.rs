//! Measures what the parts of declared projections cost: `expressions`, `stages`, `files`, `shapes`.

use std::path::Path;
use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::child;
use projectionist_benchmarks::declared_cost::{expressions, files, loops, shapes, stages};
use projectionist_benchmarks::failure::{Outcome, exit};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    exit(match words.split_first() {
        Some((first, command)) if first == child::COMMAND => child::be_the_parent(command),
        _ => benchmark(words),
    })
}

fn benchmark(words: Vec<String>) -> Outcome<()> {
    let known = ["database", "events", "folder", "input", "runs", "tables"];
    let arguments = Arguments::parse(words.into_iter(), &known)?;
    let folder = std::env::temp_dir().join("projectionist-declared-cost");
    let folder = arguments.get("folder", folder)?;
    let runs = arguments.get("runs", 5)?;
    let events = arguments.get("events", 1_000_000)?;
    // One thread, so that the processor time of the process is that of the stage.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match arguments.command.as_deref() {
        Some("loop") => {
            let input = Path::new(arguments.text("input")?);
            let database = Path::new(arguments.text("database")?);
            loops::run(input, database, arguments.get("tables", 1)?)
        }
        Some("expressions") => {
            runtime.block_on(expressions::report(arguments.get("events", 200_000)?, runs))
        }
        Some("stages") => runtime.block_on(stages::report(&folder, events, runs)),
        Some("files") => files::report(&folder, events, runs),
        Some("shapes") => shapes::report(&folder, events, runs),
        _ => Err("say what: expressions, stages, files or shapes".into()),
    }
}
