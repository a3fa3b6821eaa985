//! Tells every fault of a file, and whether it fits a target.

mod target;

use projectionist_language::{Fault, Faults, Inspection, Program, inspect, render_warnings};
use serde_json::{Value, json};

use super::{NOT_UTF8, Text, read};
use crate::args::{CheckArguments, Format};
use crate::exit::Failure;
use crate::output::{print_line, tell};

pub(crate) fn execute(arguments: &CheckArguments) -> Result<(), Failure> {
    let name = arguments.file.display().to_string();
    let text = match read(&arguments.file)? {
        Text::Utf8(text) => text,
        Text::Other { line, column } => {
            return Err(match arguments.format {
                Format::Text => Failure::invalid(format!("{name}:{line}:{column}: {NOT_UTF8}")),
                Format::Json => {
                    as_json(&name, vec![fault(line, column, NOT_UTF8, None)], Vec::new())
                }
            });
        }
    };
    let Inspection { outcome, warnings } = inspect(&name, &text);
    // Before anything is printed of a file that is right: it may not fit.
    let statements = match (&arguments.into, &outcome) {
        (Some(into), Ok(program)) => Some(target::check(into, program, &arguments.file)?),
        _ => None,
    };
    match arguments.format {
        Format::Text => as_text(&name, &text, outcome, &warnings, statements),
        Format::Json => {
            let told = |faults: Vec<Fault>| -> Vec<Value> { faults.iter().map(told).collect() };
            let warnings = told(warnings);
            match outcome {
                Ok(_) => print_line(json!({
                    "file": name,
                    "faults": [],
                    "warnings": warnings,
                    "statements": statements,
                })),
                Err(faults) => Err(as_json(&name, told(faults.into_iter().collect()), warnings)),
            }
        }
    }
}

/// Warnings are talk, as faults are, and do not change how the command ends.
fn as_text(
    name: &str,
    text: &str,
    outcome: Result<Program, Faults>,
    warnings: &[Fault],
    statements: Option<usize>,
) -> Result<(), Failure> {
    if !warnings.is_empty() {
        tell(render_warnings(warnings, name, text));
    }
    let program = outcome.map_err(|faults| Failure::invalid(faults.render(name, text)))?;
    let projections = program.projections.len();
    let count = match warnings.len() {
        0 => String::new(),
        count => format!(", {count} warning(s)"),
    };
    let planned = match statements {
        None => String::new(),
        Some(statements) => format!("; the target takes all {statements} statement(s)"),
    };
    print_line(format_args!(
        "{name}: {projections} projection(s), no fault{count}{planned}"
    ))
}

fn told(found: &Fault) -> Value {
    let help = found.help.as_deref();
    fault(found.line, found.column, &found.message, help)
}

fn fault(line: usize, column: usize, message: &str, help: Option<&str>) -> Value {
    json!({ "line": line, "column": column, "message": message, "help": help })
}

/// Prints the faults; what is left to say is the exit code.
fn as_json(name: &str, faults: Vec<Value>, warnings: Vec<Value>) -> Failure {
    let invalid = Failure::invalid("");
    match print_line(json!({ "file": name, "faults": faults, "warnings": warnings })) {
        Ok(()) => invalid,
        Err(unwritten) => unwritten.and(invalid),
    }
}
