//! The program on files of unlike shape, beside the loop by hand with the same promise.

use std::path::Path;

use super::files::run_program;
use super::input::{Shape, projection};
use super::loops;
use crate::child::measure;
use crate::database;
use crate::declared_sqlite::input::TENANT;
use crate::declared_sqlite::subject::text;
use crate::declared_sqlite::verify::rows;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

fn shapes(events: u64) -> [(&'static str, Shape); 4] {
    let plain = Shape::plain(events);
    [
        ("100,000 users, one row each", plain),
        (
            "10,000 users, 20 rows each",
            Shape {
                users: 10_000,
                artists_a_user: 20,
                ..plain
            },
        ),
        (
            "nine tenths of 10 users, 20 rows each",
            Shape {
                hot: 10,
                artists_a_user: 20,
                ..plain
            },
        ),
        (
            "2,000,000 users, larger than the cache",
            Shape {
                users: 2_000_000,
                ..plain
            },
        ),
    ]
}

/// Measures and prints.
///
/// # Errors
/// When a run fails, or when a table differs.
pub fn report(folder: &Path, events: u64, runs: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let projections = format!(
        "projections:\n{}",
        projection(&loops::table(0), &[String::new()])
    );
    let mut table = Table::new(&[
        "file",
        "program, CPU µs/event",
        "loop, CPU µs/event",
        "program's CPU rate",
        "peak MiB",
        "rows",
        "database MiB",
    ]);
    for (name, shape) in shapes(events) {
        let input = folder.join("shape.jsonl");
        shape.write(&input)?;
        let (mut program, mut by_hand, mut peak) = <(Sample, Sample, Sample)>::default();
        let (ours, theirs) = (
            folder.join("shape-program.db"),
            folder.join("shape-loop.db"),
        );
        let mut count = 0;
        for _ in 0..runs {
            database::remove(&ours)?;
            let usage = run_program(folder, &projections, &input, &ours)?;
            program.push(usage.cpu.as_secs_f64() * 1e6 / events as f64);
            peak.push(usage.peak_kib as f64 / 1024.0);
            database::remove(&theirs)?;
            let this = std::env::current_exe()?;
            let input = format!("input={}", text(&input)?);
            let database = format!("database={}", text(&theirs)?);
            let usage = measure(&[text(&this)?, "loop", &input, &database, "tables=1"])?;
            by_hand.push(usage.cpu.as_secs_f64() * 1e6 / events as f64);
            let found = rows(&ours, &format!("{TENANT}__{}", loops::table(0)))?;
            if found != rows(&theirs, &loops::table(0))? {
                return Err(format!("{name}: the tables differ").into());
            }
            count = found.len();
        }
        table.row([
            name.to_owned(),
            program.spread(2),
            by_hand.spread(2),
            format!("{:.0} %", by_hand.median() / program.median() * 100.0),
            format!("{:.0}", peak.median()),
            count.to_string(),
            format!(
                "{:.0}",
                std::fs::metadata(&ours)?.len() as f64 / f64::from(1 << 20)
            ),
        ]);
    }
    println!(
        "tables of unlike shape: {events} events, {runs} runs in turn, medians (least..most); tables compared\n"
    );
    print!("{table}");
    Ok(())
}
