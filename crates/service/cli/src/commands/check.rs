//! Tells every fault of a file.

use projectionist_language::parse;
use serde_json::json;

use super::read;
use crate::args::{CheckArguments, Format};
use crate::exit::Failure;

pub(crate) fn execute(arguments: &CheckArguments) -> Result<(), Failure> {
    let name = arguments.file.display().to_string();
    let text = read(&arguments.file)?;
    match (parse(&name, &text), arguments.format) {
        (Ok(program), Format::Text) => {
            let projections = program.projections.len();
            println!("{name}: {projections} projection(s), no fault");
            Ok(())
        }
        (Ok(_), Format::Json) => {
            println!("{}", json!({ "file": name, "faults": [] }));
            Ok(())
        }
        (Err(faults), Format::Text) => Err(Failure::invalid(faults.render(&name, &text))),
        (Err(faults), Format::Json) => {
            let faults: Vec<_> = faults
                .into_iter()
                .map(|fault| {
                    json!({
                        "line": fault.line,
                        "column": fault.column,
                        "message": fault.message,
                        "help": fault.help,
                    })
                })
                .collect();
            println!("{}", json!({ "file": name, "faults": faults }));
            Err(Failure::invalid(""))
        }
    }
}
