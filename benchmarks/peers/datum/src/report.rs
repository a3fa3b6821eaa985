//! The command line, and the report: one line a run, fields as `name=value`.

use std::process::ExitCode;

use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::{Builder, Runtime};

use crate::mode::Mode;
use crate::scenario;

const USAGE: &str = "usage: datum-bars mem [mode=alo|amo|grouped-20|grouped-500] [runtime=threads|single] \
     [events=1000000] [runs=1]";

/// What to run.
struct Request {
    modes: Vec<Mode>,
    flavor: Flavor,
    events: u64,
    runs: u64,
}

/// The two kinds of tokio's runtime: what a service uses, and what wakes no second thread.
#[derive(Clone, Copy)]
enum Flavor {
    Threads,
    Single,
}

impl Flavor {
    fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Single => "single",
        }
    }

    fn runtime(self) -> std::io::Result<Runtime> {
        let mut builder = match self {
            Self::Threads => Builder::new_multi_thread(),
            Self::Single => Builder::new_current_thread(),
        };
        builder.enable_all().build()
    }
}

/// Runs what the command line asks for. `allocations` tells the allocations of the process so far,
/// where they are counted.
pub fn main(allocations: Option<fn() -> u64>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(request) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let runtime = match request.flavor.runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("cannot start the runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    for &mode in &request.modes {
        for run in 0..request.runs {
            let allocated = allocations.map(|count| count());
            let cpu = cpu_nanos();
            if let Err(error) = runtime.block_on(scenario::run(mode, run, request.events)) {
                eprintln!("mode {}: {error}", mode.name());
                return ExitCode::FAILURE;
            }
            let cpu = cpu_nanos() - cpu;
            let allocated = allocations
                .zip(allocated)
                .map(|(count, before)| count() - before);
            println!("{}", line(mode, &request, cpu, allocated));
        }
    }
    ExitCode::SUCCESS
}

fn parse(arguments: &[String]) -> Option<Request> {
    let (scenario, options) = arguments.split_first()?;
    if scenario != "mem" {
        return None;
    }
    let mut request = Request {
        modes: Mode::ALL.to_vec(),
        flavor: Flavor::Threads,
        events: 1_000_000,
        runs: 1,
    };
    for option in options {
        match option.split_once('=')? {
            ("mode", name) => request.modes = vec![Mode::of_name(name)?],
            ("runtime", "threads") => request.flavor = Flavor::Threads,
            ("runtime", "single") => request.flavor = Flavor::Single,
            ("events", count) => request.events = count.parse().ok().filter(|count| *count > 0)?,
            ("runs", count) => request.runs = count.parse().ok()?,
            _ => return None,
        }
    }
    Some(request)
}

fn line(mode: Mode, request: &Request, cpu_nanos: i128, allocated: Option<u64>) -> String {
    let events = request.events;
    let runtime = request.flavor.name();
    let an_event = |sum: f64| sum / events as f64;
    let cpu = an_event(cpu_nanos as f64);
    let allocations = match allocated {
        Some(count) => format!("{:.3}", an_event(count as f64)),
        None => "uncounted".to_owned(),
    };
    format!(
        "peer=datum scenario=mem mode={} runtime={runtime} events={events} \
         cpu_ns_per_event={cpu:.1} \
         allocations_per_event={allocations}",
        mode.name()
    )
}

/// User and system time of all threads of this process.
fn cpu_nanos() -> i128 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec)
}
