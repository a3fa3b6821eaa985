//! Lets the cases take turns, compares their tables, and prints what they used.

use std::path::Path;

use super::beside;
use super::target::Target;
use crate::child::Usage;
use crate::declared_sqlite::input::{self, Shape};
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// One in so many events comes while the rebuild goes on.
const MORE_ONE_IN: u64 = 20;

/// The measurements of one case.
struct Measured {
    name: &'static str,
    events: u64,
    cpu_micros: Sample,
    wall_micros: Sample,
}

impl Measured {
    fn new(name: &'static str, events: u64) -> Self {
        Self {
            name,
            events,
            cpu_micros: Sample::default(),
            wall_micros: Sample::default(),
        }
    }

    fn add(&mut self, usage: Usage) {
        let an_event = |seconds: f64| seconds * 1e6 / self.events as f64;
        self.cpu_micros.push(an_event(usage.cpu.as_secs_f64()));
        self.wall_micros.push(an_event(usage.wall.as_secs_f64()));
    }
}

/// Measures and prints. The database and the events stay in `folder`.
///
/// # Errors
/// When the program fails, or a rebuilt table differs from the one that a run has made.
pub fn report(folder: &Path, shape: Shape, runs: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let events = shape.events;
    let more = events / MORE_ONE_IN;
    let file = input::file(folder, shape)?;
    let all = std::fs::read(&file)?;
    let behind = behind(folder, &all, more)?;
    let target = Target::new(folder, file)?;
    let mut run = Measured::new("run", events);
    let mut rebuild = Measured::new("rebuild", events);
    let mut keep = Measured::new("rebuild --keep", events);
    let mut in_place = Measured::new("rebuild --in-place", events);
    let mut alone = Measured::new("live, alone", more);
    let mut beside = Measured::new("live, beside a rebuild", more);
    for _ in 0..runs {
        std::fs::write(&target.events, &all)?;
        run.add(target.run_from_nothing()?);
        let rows = target.rows()?;
        for (case, arguments) in [
            (&mut rebuild, &[][..]),
            (&mut keep, &["--keep"]),
            (&mut in_place, &["--in-place"]),
        ] {
            case.add(target.rebuild(arguments)?);
            if target.rows()? != rows {
                return Err(format!("{} has made another table than the run", case.name).into());
            }
        }
        alone.add(beside::measured(&target, &all, &behind, false)?);
        let rows = target.rows()?;
        beside.add(beside::measured(&target, &all, &behind, true)?);
        if target.rows()? != rows {
            return Err("a rebuild beside a run has made another table".into());
        }
    }
    println!(
        "rebuild: {events} events, {} entities; live: {more} events behind them; {runs} runs in \
         turn, medians (least..most)\n",
        shape.entities
    );
    print!("{}", table(&[&run, &rebuild, &keep, &in_place], &run));
    println!();
    print!("{}", table(&[&alone, &beside], &alone));
    Ok(())
}

/// The first events once more, with numbers that make them new.
fn behind(folder: &Path, all: &[u8], count: u64) -> Outcome<std::path::PathBuf> {
    let text = std::str::from_utf8(all)?;
    let mut lines = String::new();
    for line in text.lines().take(usize::try_from(count)?) {
        lines.push_str(&line.replace("\"sequenceNumber\":", "\"sequenceNumber\":1000000"));
        lines.push('\n');
    }
    let path = folder.join("behind.jsonl");
    std::fs::write(&path, lines)?;
    Ok(path)
}

fn table(all: &[&Measured], first: &Measured) -> Table {
    let mut table = Table::new(&[
        "what",
        "CPU µs/event",
        "events/CPU s",
        "wall µs/event",
        "its CPU rate",
        "its wall rate",
    ]);
    for measured in all {
        let against = |of: fn(&Measured) -> &Sample| {
            format!(
                "{:.0} %",
                of(first).median() / of(measured).median() * 100.0
            )
        };
        table.row([
            measured.name.to_owned(),
            measured.cpu_micros.spread(2),
            format!("{:.0}", 1e6 / measured.cpu_micros.median()),
            measured.wall_micros.spread(2),
            against(|measured| &measured.cpu_micros),
            against(|measured| &measured.wall_micros),
        ]);
    }
    table
}
