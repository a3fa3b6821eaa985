//! Counts instructions an envelope, the system's own left out.

use std::path::Path;

use super::case::{Case, Who};
use crate::callgrind::instructions_an_envelope;
use crate::failure::Outcome;
use crate::table::Table;

/// Runs both under callgrind, with `envelopes` and with twice as many.
///
/// # Errors
/// When valgrind is not there, or a run fails.
pub fn report(folder: &Path, envelopes: u64) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let mut table = Table::new(&["case", "engine", "by hand", "engine / by hand"]);
    for case in Case::ALL {
        let count = |who: Who| {
            let settings = [
                format!("case={}", case.name()),
                format!("who={}", who.name()),
                format!("folder={}", folder.display()),
            ];
            instructions_an_envelope(&settings, envelopes)
        };
        let (engine, by_hand) = (count(Who::Engine)?, count(Who::ByHand)?);
        table.row([
            case.name(),
            format!("{engine:.0}"),
            format!("{by_hand:.0}"),
            format!("{:.3}", engine / by_hand),
        ]);
    }
    println!("exactly-once into SQLite under callgrind, {envelopes} envelopes, instructions\n");
    print!("{table}");
    Ok(())
}
