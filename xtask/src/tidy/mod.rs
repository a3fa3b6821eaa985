//! `cargo xtask tidy`: the habits of this code base that a machine can check. One file a check; each
//! reads the project's files from memory, so its tests feed it small strings.

mod architecture;
mod arrow_table;
mod arrows;
mod contract_sections;
mod file_budget;
mod files;
mod forbidden_words;
mod function_length;
mod functions;
mod glossary;
mod lib_rs;
mod links;
mod lists;
mod module_docs;
mod packages;
mod project;
mod proofs;
mod report;
mod rust_files;
mod same_names;
mod sleeping_tests;
mod words;

pub(crate) use files::Files;
pub(crate) use functions::functions;

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use project::Project;
use report::Report;

/// A check reports every fault it finds.
type Check = fn(&Project, &mut Report);

const CHECKS: [Check; 13] = [
    architecture::check,
    arrows::check,
    contract_sections::check,
    file_budget::check,
    forbidden_words::check,
    function_length::check,
    glossary::check,
    lib_rs::check,
    links::check,
    module_docs::check,
    proofs::check,
    same_names::check,
    sleeping_tests::check,
];

/// Runs every check, prints all faults, and fails at the end when there are some.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let project = Project::read(workspace)?;
    let mut report = Report::default();
    for check in CHECKS {
        check(&project, &mut report);
    }
    print!("{report}");
    match report.faults().len() {
        0 => Ok(()),
        1 => Err(Failure::new("tidy: 1 fault")),
        count => Err(Failure::new(format!("tidy: {count} faults"))),
    }
}
