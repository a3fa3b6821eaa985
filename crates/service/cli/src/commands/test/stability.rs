//! What must not change the outcome: how events are grouped, and that they come a second time.

use projectionist_core::Counters;
use projectionist_core::row::{OwnedCell, TableName};
use projectionist_language::Program;
use projectionist_language::model::{Projection, Sequence};

use super::compare::key_of;
use super::finding::{Finding, What};
use super::trial::{Rows, Trial};

/// What a user can do about an outcome that must not be.
const REPORT: &str = "this is a fault of projectionist, not of your files: please report it";

/// Rows, dead letters and counters are the same whether all events share a group or each has its
/// own.
pub(super) fn of_groups(program: &Program, together: &Trial, one_by_one: &Trial) -> Vec<Finding> {
    let when = "when every event has a group of its own";
    let mut findings = Vec::new();
    for (index, projection) in program.projections.iter().enumerate() {
        compare_tables(&mut findings, projection, together, one_by_one, when);
        let counters = |trial: &Trial| trial.counters.get(index).map(without_folded);
        if counters(together) != counters(one_by_one) {
            let told = format!("other counters {when}; {REPORT}");
            findings.push(unstable(&projection.name, told));
        }
    }
    if together.letters != one_by_one.letters {
        findings.push(unstable("dead letters", format!("others {when}; {REPORT}")));
    }
    findings
}

/// Rows are the same when all events come once more.
///
/// Only the guard promises that. And an event that is a dead letter does not move the guard: it is
/// tried again, and may fit by then.
pub(super) fn of_repetition(program: &Program, once: &Trial, twice: &Trial) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, projection) in program.projections.iter().enumerate() {
        let counters = once.counters.get(index);
        let has_letters = counters.is_some_and(|counters| counters.dead_lettered > 0);
        if projection.sequence == Sequence::Guarded && !has_letters {
            let when = "when all events come a second time";
            compare_tables(&mut findings, projection, once, twice, when);
        }
    }
    findings
}

fn compare_tables(
    findings: &mut Vec<Finding>,
    projection: &Projection,
    expected: &Trial,
    actual: &Trial,
    when: &str,
) {
    let names = expected.tables.keys().chain(actual.tables.keys());
    let mut names: Vec<&TableName> = names.filter(|name| name.name == projection.table).collect();
    names.sort();
    names.dedup();
    for name in names {
        let rows = |trial: &Trial| trial.tables.get(name).cloned().unwrap_or_default();
        if let Some(row) = first_difference(&rows(expected), &rows(actual)) {
            let key = key_of(projection, &row);
            let key: Vec<String> = key
                .iter()
                .map(|(column, cell)| format!("{column}={}", super::cell::as_text(cell)))
                .collect();
            let key = key.join(" ");
            let told = format!("other rows {when}, the first one {key}; {REPORT}");
            findings.push(unstable(&name.to_string(), told));
        }
    }
}

fn first_difference(expected: &Rows, actual: &Rows) -> Option<Vec<OwnedCell>> {
    let longest = expected.len().max(actual.len());
    let differs = |index: &usize| expected.get(*index) != actual.get(*index);
    let index = (0..longest).find(differs)?;
    expected.get(index).or(actual.get(index)).cloned()
}

/// How many events were folded away is what groups are for.
fn without_folded(counters: &Counters) -> Counters {
    Counters {
        folded: 0,
        ..*counters
    }
}

fn unstable(subject: &str, told: String) -> Finding {
    Finding {
        line: 0,
        subject: subject.to_owned(),
        what: What::Other(told),
    }
}

#[cfg(test)]
mod tests {
    use projectionist_language::parse;

    use super::*;

    fn program(sequence: &str) -> Program {
        let text = format!(
            "projections: {{ sums: {{ source_events: [ADDED], {sequence} \
             target: {{ table: sums, primary_key: [id] }}, fields: {{ id: INT, n: INT }}, \
             derive: {{ id: event.id }}, mutations: {{ ADDED: {{ op: increment, by: {{ n: 1 }} }} }} }} }}"
        );
        parse("sums.yaml", &text).unwrap()
    }

    fn trial(rows: &[[i64; 2]], counters: Counters) -> Trial {
        let name = TableName {
            tenant: None,
            name: "sums".into(),
        };
        let rows = rows.iter().map(|row| row.map(OwnedCell::Int).to_vec());
        Trial {
            tables: [(name, rows.collect())].into(),
            letters: Vec::new(),
            counters: vec![counters],
        }
    }

    fn told(findings: &[Finding]) -> String {
        format!("{findings:?}")
    }

    #[test]
    fn rows_and_counters_that_depend_on_groups_are_told_and_folding_is_not() {
        let program = program("");
        let once = trial(&[[1, 5], [2, 7]], Counters::ZERO);
        let folded = Counters {
            folded: 3,
            ..Counters::ZERO
        };
        let same = trial(&[[1, 5], [2, 7]], folded);
        assert_eq!(of_groups(&program, &once, &same), []);
        let other = of_groups(&program, &once, &trial(&[[1, 5], [2, 8]], folded));
        assert!(told(&other).contains("the first one id=2;"), "{other:?}");
        let more = of_groups(&program, &once, &trial(&[[1, 5], [2, 7], [3, 0]], folded));
        assert!(told(&more).contains("the first one id=3;"), "{more:?}");
        let stale = Counters {
            stale: 1,
            ..Counters::ZERO
        };
        let counted = of_groups(&program, &once, &trial(&[[1, 5], [2, 7]], stale));
        assert!(told(&counted).contains("other counters"), "{counted:?}");
    }

    #[test]
    fn a_repetition_must_change_nothing_where_the_guard_promises_that() {
        let (once, twice) = ([[1, 1]], [[1, 2]]);
        let letters = Counters {
            dead_lettered: 1,
            ..Counters::ZERO
        };
        let told = |sequence: &str, counters| {
            let (once, twice) = (trial(&once, counters), trial(&twice, counters));
            of_repetition(&program(sequence), &once, &twice).len()
        };
        assert_eq!(told("", Counters::ZERO), 1);
        assert_eq!(told("sequence: none,", Counters::ZERO), 0);
        assert_eq!(told("", letters), 0);
    }
}
