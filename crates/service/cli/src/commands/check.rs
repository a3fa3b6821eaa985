//! Tells every fault of a file.

use projectionist_language::parse;
use serde_json::{Value, json};

use super::{NOT_UTF8, Text, read};
use crate::args::{CheckArguments, Format};
use crate::exit::Failure;
use crate::output::print_line;

pub(crate) fn execute(arguments: &CheckArguments) -> Result<(), Failure> {
    let name = arguments.file.display().to_string();
    let text = match read(&arguments.file)? {
        Text::Utf8(text) => text,
        Text::Other { line, column } => {
            return Err(match arguments.format {
                Format::Text => Failure::invalid(format!("{name}:{line}:{column}: {NOT_UTF8}")),
                Format::Json => as_json(&name, vec![fault(line, column, NOT_UTF8, None)]),
            });
        }
    };
    match (parse(&name, &text), arguments.format) {
        (Ok(program), Format::Text) => {
            let projections = program.projections.len();
            print_line(format_args!(
                "{name}: {projections} projection(s), no fault"
            ))
        }
        (Ok(_), Format::Json) => print_line(json!({ "file": name, "faults": [] })),
        (Err(faults), Format::Text) => Err(Failure::invalid(faults.render(&name, &text))),
        (Err(faults), Format::Json) => {
            let faults = faults.into_iter().map(|found| {
                let help = found.help.as_deref();
                fault(found.line, found.column, &found.message, help)
            });
            Err(as_json(&name, faults.collect()))
        }
    }
}

fn fault(line: usize, column: usize, message: &str, help: Option<&str>) -> Value {
    json!({ "line": line, "column": column, "message": message, "help": help })
}

/// Prints the faults; what is left to say is the exit code.
fn as_json(name: &str, faults: Vec<Value>) -> Failure {
    let invalid = Failure::invalid("");
    match print_line(json!({ "file": name, "faults": faults })) {
        Ok(()) => invalid,
        Err(unwritten) => unwritten.and(invalid),
    }
}
