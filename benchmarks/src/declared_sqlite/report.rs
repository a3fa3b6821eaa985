//! Lets everyone take turns, compares their tables, and prints what they used beside each other.

use std::path::Path;

use super::input::{self, Shape};
use super::subject::Subject;
use super::verify;
use crate::child::Usage;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// The measurements of one subject.
struct Measured {
    subject: Subject,
    cpu_micros: Sample,
    wall_micros: Sample,
    peak_mib: Sample,
}

impl Measured {
    fn new(subject: Subject) -> Self {
        Self {
            subject,
            cpu_micros: Sample::default(),
            wall_micros: Sample::default(),
            peak_mib: Sample::default(),
        }
    }

    fn add(&mut self, usage: Usage, events: u64) {
        let an_event = |seconds: f64| seconds * 1e6 / events as f64;
        self.cpu_micros.push(an_event(usage.cpu.as_secs_f64()));
        self.wall_micros.push(an_event(usage.wall.as_secs_f64()));
        self.peak_mib.push(usage.peak_kib as f64 / 1024.0);
    }
}

/// Measures and prints. The databases and the input stay in `folder`.
///
/// # Errors
/// When a run fails, or when a table differs from the others.
pub fn report(folder: &Path, shape: Shape, runs: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let input = input::file(folder, shape)?;
    let bytes = std::fs::metadata(&input)?.len();
    let mut all = Subject::ALL.map(Measured::new);
    let mut rows = 0;
    for _ in 0..runs {
        for measured in &mut all {
            let usage = measured.subject.measured(folder, &input)?;
            measured.add(usage, shape.events);
        }
        rows = verify::same_tables(folder)?;
    }
    println!(
        "declared into SQLite: {} events of {:.1} bytes, {} entities, {rows} rows at the end, the \
         same in every table; {runs} runs in turn, medians (least..most)\n",
        shape.events,
        bytes as f64 / shape.events as f64,
        shape.entities,
    );
    print!("{}", table(&all));
    Ok(())
}

fn table(all: &[Measured]) -> Table {
    let mut table = Table::new(&[
        "who",
        "CPU µs/event",
        "events/CPU s",
        "wall µs/event",
        "peak MiB",
        "program's CPU rate",
        "program's wall rate",
    ]);
    let program = all
        .iter()
        .find(|measured| measured.subject == Subject::Program);
    for measured in all {
        let against = |of: fn(&Measured) -> &Sample| match program {
            Some(program) => {
                let percent = of(measured).median() / of(program).median() * 100.0;
                format!("{percent:.0} %")
            }
            None => "-".to_owned(),
        };
        table.row([
            measured.subject.name().to_owned(),
            measured.cpu_micros.spread(2),
            format!("{:.0}", 1e6 / measured.cpu_micros.median()),
            measured.wall_micros.spread(2),
            format!("{:.0}", measured.peak_mib.median()),
            against(|measured| &measured.cpu_micros),
            against(|measured| &measured.wall_micros),
        ]);
    }
    table
}
