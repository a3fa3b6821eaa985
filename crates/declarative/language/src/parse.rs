//! The way from the text of a file to the model.

use crate::check;
use crate::fault::Faults;
use crate::model::Program;
use crate::report::Report;
use crate::source::Place;
use crate::tree;

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
    if text.len() > MAX_FILE_BYTES {
        // The text is not shown: nobody reads it in a message, and it may be no text at all.
        let mut report = Report::new("");
        let message = format!(
            "the file has {} bytes; at most {MAX_FILE_BYTES} are read",
            text.len()
        );
        report.fault_with_help(Place::START, message, "split it into several files");
        return Err(report.into_faults(file_name));
    }
    let mut report = Report::new(text);
    let program = tree::build(text, &mut report)
        .and_then(|root| check::program(&mut report, &root))
        .filter(|_| report.is_clean());
    program.ok_or_else(|| report.into_faults(file_name))
}
