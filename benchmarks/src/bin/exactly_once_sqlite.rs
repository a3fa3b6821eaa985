//! Measures exactly-once into SQLite, beside a loop written by hand.

use std::process::ExitCode;

use projectionist_benchmarks::arguments::Arguments;
use projectionist_benchmarks::callgrind::ONE_RUN;
use projectionist_benchmarks::exactly_once_sqlite::case::{Case, Who};
use projectionist_benchmarks::exactly_once_sqlite::report::{Plan, report};
use projectionist_benchmarks::exactly_once_sqlite::{instructions, run};
use projectionist_benchmarks::failure::{Outcome, exit};

fn main() -> ExitCode {
    exit(benchmark())
}

fn benchmark() -> Outcome<()> {
    let known = [
        "case",
        "envelopes",
        "folder",
        "grouped-envelopes",
        "runs",
        "who",
    ];
    let arguments = Arguments::parse(std::env::args().skip(1), &known)?;
    let default_folder = std::env::temp_dir().join("projectionist-exactly-once-sqlite");
    let folder = arguments.get("folder", default_folder)?;
    match arguments.command.as_deref() {
        None => {
            let plan = Plan {
                envelopes: arguments.get("envelopes", 50_000)?,
                grouped_envelopes: arguments.get("grouped-envelopes", 1_000_000)?,
                runs: arguments.get("runs", 7)?,
            };
            report(&folder, plan)
        }
        Some("instructions") => instructions::report(&folder, arguments.get("envelopes", 10_000)?),
        Some(ONE_RUN) => {
            let case = Case::of_name(arguments.text("case")?)?;
            let who = Who::of_name(arguments.text("who")?)?;
            let envelopes = arguments.get("envelopes", 10_000)?;
            run::run(&folder, case, who, envelopes).map(drop)
        }
        Some(other) => {
            let wrong = format!("there is no command `{other}`; give none, or `instructions`");
            Err(wrong.into())
        }
    }
}
