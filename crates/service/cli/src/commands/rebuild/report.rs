//! What a person is told of a rebuild.

use projectionist_core::Counters;
use projectionist_core::contract::RebuildStore;
use projectionist_core::rebuild::{Comparison, Difference, TableComparison, TableSum};
use projectionist_store_sqlite::SqliteStore;

use super::arguments::RebuildArguments;
use super::driver::Job;
use crate::exit::Failure;
use crate::output::{on_one_line, print_line};

/// What would be done.
pub(super) async fn dry_run(
    store: &SqliteStore,
    jobs: &[Job],
    arguments: &RebuildArguments,
) -> Result<(), Failure> {
    let begun = store.rebuilds().await?;
    for job in jobs {
        let rebuild = &job.rebuild;
        let (name, source) = (rebuild.projection(), &rebuild.source);
        let what = match (arguments.in_place, &arguments.ir) {
            (true, _) => "would be emptied and read again".to_owned(),
            (false, None) => "would be built anew as it is deployed".to_owned(),
            (false, Some(file)) => format!("would be built anew as {} declares it", file.display()),
        };
        print_line(format_args!("{name}: {what}, from {source}"))?;
        if begun.iter().any(|begun| begun.projection() == name) {
            print_line(format_args!(
                "{name}: a rebuild is not finished, and would be resumed"
            ))?;
        }
    }
    Ok(())
}

/// What became of a rebuild.
pub(super) fn swapped(name: &str, counters: &Counters, keep: bool) -> String {
    let Counters {
        read,
        applied,
        dead_lettered,
        ..
    } = counters;
    let kept = match keep {
        true => format!("; what was in use is kept: `rebuild {name} --revert` puts it back"),
        false => String::new(),
    };
    format!(
        "{name}: built anew and in use: {read} event(s) read, {applied} applied, {dead_lettered} \
         dead letter(s){kept}"
    )
}

/// What the comparison of both sides has found.
pub(super) fn compared(name: &str, comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for table in &comparison.tables {
        lines.push(format!("{name}: table {}: {}", table.name, sums(table)));
        for row in &table.sample {
            let key = on_one_line(&row.key);
            let difference = match &row.difference {
                Difference::OnlyLive => "only in use".to_owned(),
                Difference::OnlyShadow => "only built anew".to_owned(),
                Difference::Columns(columns) => format!("other {}", columns.join(", ")),
            };
            lines.push(format!("{name}:   {key}: {difference}"));
        }
    }
    if comparison.tables.is_empty() {
        lines.push(format!("{name}: no table on either side"));
    }
    if !comparison.is_equal() && comparison.live != comparison.shadow {
        lines.push(format!(
            "{name}: the two did not stand at the same event, so rows may differ by what lies between"
        ));
    }
    lines
}

fn sums(table: &TableComparison) -> String {
    let side = |sum: Option<TableSum>| match sum {
        None => "missing".to_owned(),
        Some(sum) => format!("{} row(s)", sum.rows),
    };
    let (live, shadow) = (side(table.live), side(table.shadow));
    match table.differing {
        Some(0) if table.live == table.shadow => {
            let digest = table.live.map_or(0, |sum| sum.digest);
            format!("{live}, equal, digest {digest:016x}")
        }
        Some(differing) => {
            format!("{live} in use, {shadow} built anew, {differing} of them differ")
        }
        None => format!("{live} in use, {shadow} built anew, with other columns"),
    }
}

/// That a source grows as fast as it is read.
pub(super) fn uncatchable(name: &str, source: &str, left: u64) -> String {
    format!(
        "{name}: {source} grows as fast as it is read: {left} bytes are left, no fewer than a minute \
         ago. The rebuild goes on; when this does not change, slow down the writers, or stop it"
    )
}
