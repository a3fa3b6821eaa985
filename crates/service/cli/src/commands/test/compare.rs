//! Compares what a run left behind with what a case expects.

use projectionist_core::row::{OwnedCell, TableName};
use projectionist_core::{COUNTER_NAMES, Counters};
use projectionist_language::Program;
use projectionist_language::fixtures::{
    Case, ExpectedCounts, ExpectedLetter, ExpectedLetters, ExpectedRow, ExpectedTable,
};
use projectionist_language::model::Projection;

use super::cell::is_equal;
use super::finding::{Cells, ChangedColumn, Finding, What};
use super::matching::pairs;
use super::trial::{Letter, Trial};

/// Everything that is not as the case expects it.
pub(super) fn findings(program: &Program, case: &Case, trial: &Trial) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &case.tables {
        if let Some(projection) = program.projections.get(table.projection) {
            compare_table(&mut findings, projection, table, trial);
        }
    }
    compare_letters(&mut findings, case, &trial.letters);
    for expected in &case.counts {
        let projection = program.projections.get(expected.projection);
        let counters = trial.counters.get(expected.projection);
        if let (Some(projection), Some(counters)) = (projection, counters) {
            compare_counts(&mut findings, projection, expected, counters);
        }
    }
    findings
}

fn compare_table(
    findings: &mut Vec<Finding>,
    projection: &Projection,
    table: &ExpectedTable,
    trial: &Trial,
) {
    let name = TableName {
        tenant: table.tenant.clone(),
        name: projection.table.clone(),
    };
    let subject = match &table.tenant {
        None => projection.table.to_string(),
        Some(tenant) => format!("{tenant}__{}", projection.table),
    };
    let rows = trial.rows(&name);
    let pairs = pairs(&table.rows, rows, &projection.key);
    let mut push = |line, what| {
        let subject = subject.clone();
        findings.push(Finding {
            line,
            subject,
            what,
        });
    };
    for (row, pair) in table.rows.iter().zip(&pairs) {
        match pair.and_then(|index| rows.get(index)) {
            None => push(row.line, What::Missing(named(projection, &row.cells))),
            Some(actual) => {
                let columns = changed(projection, row, actual);
                if !columns.is_empty() {
                    let key = key_of(projection, actual);
                    push(row.line, What::Changed { key, columns });
                }
            }
        }
    }
    for (index, row) in rows.iter().enumerate() {
        if !pairs.contains(&Some(index)) {
            let cells: Vec<_> = row.iter().cloned().enumerate().collect();
            push(table.line, What::Unexpected(named(projection, &cells)));
        }
    }
}

fn changed(projection: &Projection, row: &ExpectedRow, actual: &[OwnedCell]) -> Vec<ChangedColumn> {
    let columns = row.cells.iter().filter_map(|(column, expected)| {
        let actual = actual.get(*column)?;
        (!is_equal(expected, actual)).then(|| ChangedColumn {
            column: column_name(projection, *column),
            expected: expected.clone(),
            actual: actual.clone(),
        })
    });
    columns.collect()
}

pub(super) fn key_of(projection: &Projection, row: &[OwnedCell]) -> Cells {
    let key = projection.key.iter();
    let cells = key.filter_map(|column| Some((*column, row.get(*column)?.clone())));
    named(projection, &cells.collect::<Vec<_>>())
}

fn named(projection: &Projection, cells: &[(usize, OwnedCell)]) -> Cells {
    let cells = cells.iter();
    cells
        .map(|(column, cell)| (column_name(projection, *column), cell.clone()))
        .collect()
}

fn column_name(projection: &Projection, column: usize) -> String {
    let column = projection.columns.get(column);
    column.map_or_else(String::new, |column| column.name.to_string())
}

fn compare_letters(findings: &mut Vec<Finding>, case: &Case, letters: &[Letter]) {
    let mut push = |line, what| {
        let subject = "dead letters".to_owned();
        findings.push(Finding {
            line,
            subject,
            what,
        });
    };
    let unexpected = |letter: &Letter| What::Other(format!("unexpected: {}", told(letter)));
    match &case.dead_letters {
        ExpectedLetters::Count(expected) => {
            let actual = letters.len() as u64;
            if actual == *expected {
                return;
            }
            let of = "dead letters".to_owned();
            push(
                case.line,
                What::Count {
                    of,
                    expected: *expected,
                    actual,
                },
            );
            letters.iter().for_each(|letter| {
                push(case.line, What::Other(told(letter)));
            });
        }
        ExpectedLetters::Each(expected) => {
            let mut left: Vec<&Letter> = letters.iter().collect();
            for letter in expected {
                match left.iter().position(|actual| is_letter(letter, actual)) {
                    Some(index) => drop(left.remove(index)),
                    None => push(
                        letter.line,
                        What::Other("missing: there is no such one".into()),
                    ),
                }
            }
            left.iter()
                .for_each(|letter| push(case.line, unexpected(letter)));
        }
    }
}

fn is_letter(expected: &ExpectedLetter, actual: &Letter) -> bool {
    let is_projection = |name: &str| *name == *actual.projection;
    let is_field = |name: &str| actual.field.as_deref() == Some(name);
    expected.projection.as_deref().is_none_or(is_projection)
        && expected.event.is_none_or(|event| event == actual.event)
        && expected.field.as_deref().is_none_or(is_field)
        && expected
            .error
            .as_deref()
            .is_none_or(|words| actual.error.contains(words))
}

/// A dead letter in a sentence.
fn told(letter: &Letter) -> String {
    let Letter {
        event,
        projection,
        field,
        error,
    } = letter;
    let projection = match projection.as_str() {
        "" => "no envelope".to_owned(),
        name => format!("projection {name}"),
    };
    match field {
        Some(field) => format!("event {event}, {projection}, {field}: {error}"),
        None => format!("event {event}, {projection}: {error}"),
    }
}

fn compare_counts(
    findings: &mut Vec<Finding>,
    projection: &Projection,
    expected: &ExpectedCounts,
    counters: &Counters,
) {
    for (name, count) in &expected.counts {
        let actual = value_of(counters, name);
        if actual != *count {
            findings.push(Finding {
                line: expected.line,
                subject: format!("counters of {}", projection.name),
                what: What::Count {
                    of: (*name).to_owned(),
                    expected: *count,
                    actual,
                },
            });
        }
    }
}

/// The count of that name.
fn value_of(counters: &Counters, name: &str) -> u64 {
    let mut named = COUNTER_NAMES.iter().zip(counters.values());
    named
        .find(|(known, _)| **known == name)
        .map_or(0, |(_, count)| count)
}
