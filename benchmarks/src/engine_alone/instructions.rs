//! Counts instructions an envelope, case by case.

use super::case::Case;
use crate::callgrind::instructions_an_envelope;
use crate::failure::Outcome;
use crate::table::Table;

/// Runs each case under callgrind with `envelopes` and with twice as many.
///
/// # Errors
/// When valgrind is not there, or a run fails.
pub fn report(envelopes: u64) -> Outcome<()> {
    let mut table = Table::new(&["case", "instructions/envelope"]);
    for case in Case::ALL {
        let settings = [format!("case={}", case.name())];
        let an_envelope = instructions_an_envelope(&settings, envelopes)?;
        table.row([case.name(), format!("{an_envelope:.1}")]);
    }
    println!("engine alone under callgrind, {envelopes} envelopes, one thread\n");
    print!("{table}");
    Ok(())
}
