//! How much a rebuild slows the run in use.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use super::target::Target;
use crate::child::Usage;
use crate::failure::Outcome;

/// Measures a run of the events of `more`, which come behind those that the target has read: alone,
/// and while a rebuild of the same table reads all of them.
///
/// # Errors
/// When the program fails, or the rebuild ends before the run does.
pub fn measured(target: &Target, all: &[u8], more: &Path, is_rebuilding: bool) -> Outcome<Usage> {
    std::fs::write(&target.events, all)?;
    target.run_from_nothing()?;
    let rebuilding = match is_rebuilding {
        true => Some(target.rebuilding()?),
        false => None,
    };
    let mut file = OpenOptions::new().append(true).open(&target.events)?;
    file.write_all(&std::fs::read(more)?)?;
    let usage = target.run()?;
    if let Some(mut rebuilding) = rebuilding {
        let was_over = rebuilding.try_wait()?.is_some();
        let status = rebuilding.wait()?;
        if was_over || !status.success() {
            let wrong = format!("the rebuild ended too early, or with {status}; take more events");
            return Err(wrong.into());
        }
    }
    Ok(usage)
}
