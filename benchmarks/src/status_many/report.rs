//! Takes overviews again and again, and prints how long they took.

use std::path::Path;

use projectionist_core::SystemClock;
use projectionist_engine::Overview;
use projectionist_store_sqlite::{SqliteOptions, SqliteStore};
use rusqlite::Connection;
use tokio::time::Instant;

use super::target;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// How long an overview of a thousand projections may take, in milliseconds.
const LIMIT_MILLIS: f64 = 100.0;

/// What the parts took, in milliseconds.
#[derive(Debug, Default)]
struct Measured {
    /// A new handle of the file, an overview, and its JSON: all that a command does.
    command: Sample,
    /// An overview alone, through a handle that is there.
    overview: Sample,
    /// The same rows, read by a client that makes nothing of them.
    client: Sample,
}

/// Measures and prints. The file stays in `folder`.
///
/// # Errors
/// When the file cannot be made or read.
pub async fn report(folder: &Path, lanes: u64, runs: u64) -> Outcome<()> {
    let measured = measure(folder, lanes, runs).await?;
    println!("the overview of {lanes} projections, {runs} of each, wall time in milliseconds\n");
    let mut table = Table::new(&["what", "median ms", "worst ms"]);
    for (what, sample) in [
        ("open, overview, JSON", &measured.command),
        ("overview", &measured.overview),
        ("a client reads the rows", &measured.client),
    ] {
        let cells = [sample.median(), sample.worst()].map(|millis| format!("{millis:.2}"));
        let [median, worst] = cells;
        table.row([what.to_owned(), median, worst]);
    }
    print!("{table}");
    let worst = measured.command.worst();
    println!("\nthe worst: {worst:.2} ms; the limit for 1,000: {LIMIT_MILLIS} ms");
    Ok(())
}

async fn measure(folder: &Path, lanes: u64, runs: u64) -> Outcome<Measured> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("status.db");
    let store = target::make(&path, lanes).await?;
    let mut measured = Measured::default();
    for _ in 0..runs {
        let began = Instant::now();
        let another = SqliteStore::open_apart(
            &path,
            SqliteOptions::default(),
            std::sync::Arc::new(SystemClock),
        )?;
        let overview = Overview::read(&another, &SystemClock).await?;
        let json = overview.as_json().to_string();
        measured.command.push(millis(began));
        if overview.lanes.len() as u64 != lanes || json.is_empty() {
            return Err(format!("{} lanes were told", overview.lanes.len()).into());
        }
        let began = Instant::now();
        Overview::read(&store, &SystemClock).await?;
        measured.overview.push(millis(began));
        let began = Instant::now();
        let read = rows(&path)?;
        measured.client.push(millis(began));
        if read != lanes {
            return Err(format!("the client has read {read} rows").into());
        }
    }
    Ok(measured)
}

fn millis(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1e3
}

/// Reads every column of the lanes and their reports.
fn rows(path: &Path) -> Outcome<u64> {
    let connection = Connection::open(path)?;
    let mut statement = connection.prepare(
        "SELECT * FROM projectionist_lanes JOIN projectionist_owner_reports USING (name, key)",
    )?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut read = 0;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            std::hint::black_box(row.get_ref(column)?);
        }
        read += 1;
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_projections_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let measured = measure(folder.path(), 25, 2).await.unwrap();
        assert_eq!(measured.command.runs(), 2);
    }
}
