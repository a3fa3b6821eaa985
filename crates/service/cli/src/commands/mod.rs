//! One file a command.

pub(crate) mod audit;
mod blueprint;
pub(crate) mod check;
pub(crate) mod compile;
pub(crate) mod completions;
mod counts;
pub(crate) mod dead_letters;
pub(crate) mod deploy;
mod deployment;
pub(crate) mod diff;
pub(crate) mod explain;
mod files;
pub(crate) mod init;
pub(crate) mod offset;
mod operating;
pub(crate) mod pause;
pub(crate) mod rebuild;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod schema_name;
pub(crate) mod settings;
pub(crate) mod skip;
pub(crate) mod status;
mod tables;
pub(crate) mod test;

use std::path::Path;

use projectionist_language::ir::newer_format;
use projectionist_language::{Program, parse};

use crate::exit::Failure;

/// Reads and checks the file that declares the projections.
fn load(file: &Path) -> Result<Program, Failure> {
    let name = file.display().to_string();
    match read(file)? {
        Text::Utf8(text) => parse(&name, &text).map_err(|faults| {
            let faults = faults.render(&name, &text);
            match newer_format(&text) {
                Some(_) => Failure::incompatible(faults),
                None => Failure::invalid(faults),
            }
        }),
        Text::Other { line, column } => Err(Failure::invalid(format!(
            "{name}:{line}:{column}: {NOT_UTF8}"
        ))),
    }
}

/// What is said of a file that is no text.
const NOT_UTF8: &str = "the file is no UTF-8 text from here on";

/// What a file holds.
enum Text {
    Utf8(String),
    /// It is no text from this place on.
    Other {
        line: usize,
        column: usize,
    },
}

fn read(file: &Path) -> Result<Text, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::at_run_time(format!("cannot read {}: {error}", file.display()))
    };
    let bytes = std::fs::read(file).map_err(cannot)?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Text::Utf8(text),
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let before = String::from_utf8_lossy(error.as_bytes().get(..valid).unwrap_or_default());
            Text::Other {
                line: before.split('\n').count(),
                column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            }
        }
    })
}
