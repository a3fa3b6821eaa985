//! One file a command.

pub(crate) mod check;
pub(crate) mod run;
pub(crate) mod status;

use std::path::Path;

use projectionist_language::{Program, parse};

use crate::exit::Failure;

/// Reads and checks the file that declares the projections.
fn load(file: &Path) -> Result<Program, Failure> {
    let name = file.display().to_string();
    let text = read(file)?;
    parse(&name, &text).map_err(|faults| Failure::invalid(faults.render(&name, &text)))
}

fn read(file: &Path) -> Result<String, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::at_run_time(format!("cannot read {}: {error}", file.display()))
    };
    let bytes = std::fs::read(file).map_err(cannot)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::invalid(format!(
            "{}: is no UTF-8 text (at byte {at})",
            file.display()
        ))
    })
}
