//! Measures what the engine costs an envelope when nothing else costs anything.

use std::alloc::System;
use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::callgrind::ONE_RUN;
use projectionist_benchmarks::engine_alone::case::Case;
use projectionist_benchmarks::engine_alone::report::Plan;
use projectionist_benchmarks::engine_alone::{instructions, report, run, waiting};
use projectionist_benchmarks::failure::{Outcome, exit};
use projectionist_benchmarks::flavor::Flavor;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

/// Counts every allocation. An engine that allocates nothing an envelope pays nothing for it.
#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() -> ExitCode {
    exit(benchmark())
}

fn benchmark() -> Outcome<()> {
    let known = ["case", "envelopes", "peer-envelopes", "runs"];
    let arguments = Arguments::parse(std::env::args().skip(1), &known)?;
    match arguments.command.as_deref() {
        None => report::report(Plan {
            envelopes: arguments.get("envelopes", 4_000_000)?,
            envelopes_of_peer: arguments.get("peer-envelopes", 1_000_000)?,
            runs: arguments.get("runs", 5)?,
        }),
        Some("instructions") => instructions::report(arguments.get("envelopes", 200_000)?),
        Some("waiting") => {
            waiting::report(arguments.get("envelopes", 800)?, arguments.get("runs", 5)?)
        }
        Some(ONE_RUN) => {
            let case = Case::of_name(arguments.text("case")?)?;
            let envelopes = arguments.get("envelopes", 200_000)?;
            run::run(case, Flavor::Single, envelopes).map(drop)
        }
        Some(other) => {
            let wrong =
                format!("there is no command `{other}`; give none, `instructions` or `waiting`");
            Err(wrong.into())
        }
    }
}
