//! Runs test cases: events, and the rows that they must lead to.
//!
//! The events of a case go through the codec, the engine and the handler that a run has, into a
//! store in memory. That is done more than once: what an event does must not depend on how events
//! are grouped, nor on whether they are delivered a second time.

mod cell;
mod compare;
mod finding;
mod matching;
mod report;
mod stability;
mod trial;

use std::path::Path;
use std::sync::Arc;

use projectionist_language::Program;
use projectionist_language::fixtures::{Case, Fixtures, parse_fixtures};

use super::{NOT_UTF8, Text, load, read};
use crate::args::TestArguments;
use crate::exit::{Failure, both};
use finding::Finding;
use trial::{Grouping, Trial};

/// The cases of one file, and what each of them came to.
struct Tested {
    file: String,
    cases: Vec<(Case, Vec<Finding>)>,
}

pub(crate) fn execute(arguments: &TestArguments) -> Result<(), Failure> {
    let program = Arc::new(load(&arguments.file)?);
    let mut files = Vec::new();
    let mut valid = Ok(());
    for path in &arguments.fixtures {
        match fixtures(path, &program) {
            Ok(fixtures) => files.push((path.display().to_string(), fixtures)),
            Err(failure) => valid = both(valid, Err(failure)),
        }
    }
    valid?;
    let runtime = super::run::blocking_runtime()?;
    let tested = runtime.block_on(async {
        let mut tested = Vec::new();
        for (file, fixtures) in files {
            let mut cases = Vec::new();
            for case in fixtures.cases {
                let findings = findings(&program, &case).await?;
                cases.push((case, findings));
            }
            tested.push(Tested { file, cases });
        }
        Ok::<_, Failure>(tested)
    })?;
    report::print_all(&tested, arguments.format)?;
    let outcomes = || tested.iter().flat_map(|tested| &tested.cases);
    let failed = outcomes()
        .filter(|(_, findings)| !findings.is_empty())
        .count();
    if failed == 0 {
        return Ok(());
    }
    let all = outcomes().count();
    Err(Failure::at_run_time(format!(
        "{failed} of {all} case(s) failed"
    )))
}

fn fixtures(path: &Path, program: &Program) -> Result<Fixtures, Failure> {
    let name = path.display().to_string();
    match read(path)? {
        Text::Utf8(text) => parse_fixtures(&name, &text, program)
            .map_err(|faults| Failure::invalid(faults.render(&name, &text))),
        Text::Other { line, column } => Err(Failure::invalid(format!(
            "{name}:{line}:{column}: {NOT_UTF8}"
        ))),
    }
}

/// Everything that is not as the case expects it.
async fn findings(program: &Arc<Program>, case: &Case) -> Result<Vec<Finding>, Failure> {
    let records: Vec<&str> = case.records.iter().map(|record| &*record.text).collect();
    let run = |records, grouping| Trial::run(program, records, grouping);
    let together = run(records.clone(), Grouping::Together).await?;
    let one_by_one = run(records.clone(), Grouping::OneByOne).await?;
    let twice = run([records.clone(), records].concat(), Grouping::Together).await?;
    let mut findings = compare::findings(program, case, &together);
    findings.extend(stability::of_groups(program, &together, &one_by_one));
    findings.extend(stability::of_repetition(program, &together, &twice));
    for finding in findings.iter_mut().filter(|finding| finding.line == 0) {
        finding.line = case.line;
    }
    Ok(findings)
}
