//! The way from the text of a file to the model.

use crate::check;
use crate::fault::{Fault, Faults};
use crate::ir;
use crate::model::Program;
use crate::report::Report;
use crate::source::Place;
use crate::tree::{self, Node};

/// The largest file, in bytes.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Reads the declared projections of a file in YAML or JSON.
///
/// ```
/// let text = "
/// projections:
///   orders:
///     source_events: [ORDER_PLACED]
///     target: { table: orders, primary_key: [order_id] }
///     fields: { order_id: TEXT }
///     derive: { order_id: event.entityId }
///     mutations:
///       ORDER_PLACED: { op: upsert }
/// ";
/// let program = projectionist_language::parse("orders.yaml", text).unwrap();
/// assert_eq!(&*program.projections[0].table, "orders");
///
/// let faults = projectionist_language::parse("orders.yaml", "projektions: {}").unwrap_err();
/// assert!(faults.to_string().contains("did you mean `projections`?"));
/// ```
///
/// # Errors
/// All faults of the file in one go. A text that is no YAML is one fault, because nothing behind
/// it can be told; every other fault hides no other.
pub fn parse(file_name: &str, text: &str) -> Result<Program, Faults> {
    inspect(file_name, text).outcome
}

/// What is to be said about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The model, or everything that is wrong.
    pub outcome: Result<Program, Faults>,
    /// What is allowed and yet seldom meant, by place; also found beside faults.
    pub warnings: Vec<Fault>,
}

/// As [`parse()`], and with warnings.
#[must_use]
pub fn inspect(file_name: &str, text: &str) -> Inspection {
    if text.len() > ir::read::max_bytes(text) {
        // The text is not shown: nobody reads it in a message, and it may be no text at all.
        let mut report = Report::new("");
        let message = format!(
            "the file has {} bytes; at most {} are read",
            text.len(),
            ir::read::max_bytes(text)
        );
        report.fault_with_help(Place::START, message, "split it into several files");
        return Inspection {
            outcome: Err(report.into_faults(file_name)),
            warnings: Vec::new(),
        };
    }
    let mut report = Report::new(text);
    let program = tree::build(text, &mut report)
        .and_then(|root| program(&mut report, root))
        .filter(|_| report.is_clean());
    let warnings = report.take_warnings();
    Inspection {
        outcome: program.ok_or_else(|| report.into_faults(file_name)),
        warnings,
    }
}

/// The program of a file, or of an IR, whose additions are checked against its declarations.
fn program(report: &mut Report<'_>, mut root: Node) -> Option<Program> {
    let compiled = ir::read::take(report, &mut root).ok()?;
    let program = check::program(report, &root)?;
    if let Some(compiled) = compiled
        && report.is_clean()
    {
        compiled.check(report, &program);
    }
    Some(program)
}
