//! The program with one projection and with ten, beside the loop by hand with as many tables.
//!
//! Ten *alike* take every event into a table of their own: whatever the program shares, it writes
//! ten times as much. Ten *of kinds* have each a tenth of the events: together they write as much
//! as one projection that takes all.

use std::path::Path;

use super::input::{Shape, projection};
use super::loops;
use crate::child::{Usage, measure};
use crate::database;
use crate::declared_sqlite::input::TENANT;
use crate::declared_sqlite::subject::{program, text};
use crate::declared_sqlite::verify::rows;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// How many are compared with one.
const MANY: u64 = 10;

/// One who turns a file into tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    Program { projections: u64, kinds: bool },
    Loop { tables: u64 },
}

const ALL: [Who; 6] = [
    Who::Program {
        projections: 1,
        kinds: false,
    },
    Who::Program {
        projections: MANY,
        kinds: false,
    },
    Who::Loop { tables: 1 },
    Who::Loop { tables: MANY },
    Who::Program {
        projections: 1,
        kinds: true,
    },
    Who::Program {
        projections: MANY,
        kinds: true,
    },
];

impl Who {
    fn name(self) -> String {
        match self {
            Self::Program {
                projections,
                kinds: false,
            } => format!("program, {projections} alike"),
            Self::Program {
                projections,
                kinds: true,
            } => format!("program, {projections} of kinds"),
            Self::Loop { tables } => format!("loop with the guard, {tables} tables"),
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::Program { kinds: true, .. } => "kinds.jsonl",
            _ => "alike.jsonl",
        }
    }

    fn tables(self) -> u64 {
        match self {
            Self::Program {
                projections: tables,
                ..
            }
            | Self::Loop { tables } => tables,
        }
    }

    fn declares(self) -> String {
        let mut text = "projections:\n".to_owned();
        for index in 0..self.tables() {
            let ends: Vec<String> = match self {
                Self::Program {
                    kinds: true,
                    projections: 1,
                } => (0..MANY).map(|end| format!("_{end}")).collect(),
                Self::Program { kinds: true, .. } => vec![format!("_{index}")],
                _ => vec![String::new()],
            };
            text.push_str(&projection(&loops::table(index), &ends));
        }
        text
    }

    fn run(self, folder: &Path, database: &Path) -> Outcome<Usage> {
        database::remove(database)?;
        let input = folder.join(self.file());
        match self {
            Self::Loop { tables } => {
                let this = std::env::current_exe()?;
                let input = format!("input={}", text(&input)?);
                let database = format!("database={}", text(database)?);
                let tables = format!("tables={tables}");
                measure(&[text(&this)?, "loop", &input, &database, &tables])
            }
            Self::Program { .. } => run_program(folder, &self.declares(), &input, database),
        }
    }
}

/// Runs the program with these projections, as a process.
///
/// # Errors
/// When it fails.
pub fn run_program(
    folder: &Path,
    projections: &str,
    input: &Path,
    database: &Path,
) -> Outcome<Usage> {
    let file = folder.join("projections.yaml");
    std::fs::write(&file, projections)?;
    let target = format!("sqlite:{}", text(database)?);
    let from = text(input)?;
    measure(&[
        text(&program()?)?,
        "run",
        text(&file)?,
        "--from",
        from,
        "--into",
        &target,
        "--once",
    ])
}

/// Measures and prints.
///
/// # Errors
/// When a run fails, or when a table differs from the others.
pub fn report(folder: &Path, events: u64, runs: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let alike = Shape::plain(events);
    let kinds = Shape {
        kinds: MANY,
        ..alike
    };
    alike.write(&folder.join("alike.jsonl"))?;
    kinds.write(&folder.join("kinds.jsonl"))?;
    let mut all = ALL.map(|who| (who, Sample::default(), Sample::default(), Sample::default()));
    for _ in 0..runs {
        for (index, (who, cpu, wall, peak)) in all.iter_mut().enumerate() {
            let usage = who.run(folder, &folder.join(format!("files-{index}.db")))?;
            cpu.push(usage.cpu.as_secs_f64() * 1e6 / events as f64);
            wall.push(usage.wall.as_secs_f64() * 1e6 / events as f64);
            peak.push(usage.peak_kib as f64 / 1024.0);
        }
        verify(folder)?;
    }
    let mut table = Table::new(&[
        "who",
        "CPU µs/event",
        "events/CPU s",
        "wall µs/event",
        "peak MiB",
        "of one",
    ]);
    let mut one = f64::NAN;
    for (who, cpu, wall, peak) in &all {
        if who.tables() == 1 {
            one = cpu.median();
        }
        // The loop with one table stands before that with ten, as everyone does.
        let against = match who {
            Who::Loop { tables: MANY } => all[2].1.median(),
            Who::Program {
                projections: MANY,
                kinds: false,
            } => all[0].1.median(),
            _ => one,
        };
        table.row([
            who.name(),
            cpu.spread(2),
            format!("{:.0}", 1e6 / cpu.median()),
            wall.spread(2),
            format!("{:.0}", peak.median()),
            format!("{:.2}", cpu.median() / against),
        ]);
    }
    println!(
        "one projection and ten: {events} events, {runs} runs in turn, medians (least..most); all tables compared\n"
    );
    print!("{table}");
    Ok(())
}

/// Compares the tables of all who had the same file.
fn verify(folder: &Path) -> Outcome<()> {
    let database = |index: usize| folder.join(format!("files-{index}.db"));
    let expected = rows(&database(2), &loops::table(0))?;
    for (index, who) in ALL.iter().enumerate().take(4) {
        for table in (0..who.tables()).map(loops::table) {
            let name = match who {
                Who::Loop { .. } => table,
                Who::Program { .. } => format!("{TENANT}__{table}"),
            };
            if rows(&database(index), &name)? != expected {
                return Err(format!("{} left another {name}", who.name()).into());
            }
        }
    }
    // Each kind has its own users: together the ten tables are the one.
    let whole = rows(&database(4), &format!("{TENANT}__{}", loops::table(0)))?;
    let mut parts = Vec::new();
    for table in (0..MANY).map(loops::table) {
        parts.extend(rows(&database(5), &format!("{TENANT}__{table}"))?);
    }
    parts.sort();
    if parts != whole || whole.is_empty() {
        return Err(format!(
            "ten of kinds left {} rows, one {}",
            parts.len(),
            whole.len()
        )
        .into());
    }
    Ok(())
}
