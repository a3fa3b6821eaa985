//! Counts instructions an envelope: a figure that does not depend on what else the machine does.

use std::process::Command;

use crate::failure::Outcome;

/// The word with which a benchmark runs one of its runs alone, to be counted.
pub const ONE_RUN: &str = "one-run";

/// The instructions an envelope of this program's run with these settings. It is run with
/// `envelopes` and with twice as many: what starting and ending cost is in both, so the difference
/// is what the envelopes cost.
///
/// # Errors
/// When valgrind is not there, or a run fails.
pub fn instructions_an_envelope(settings: &[String], envelopes: u64) -> Outcome<f64> {
    let (few, many) = (count(settings, envelopes)?, count(settings, 2 * envelopes)?);
    Ok((many as f64 - few as f64) / envelopes as f64)
}

/// The instructions of one run.
fn count(settings: &[String], envelopes: u64) -> Outcome<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .arg(ONE_RUN)
        .args(settings)
        .arg(format!("envelopes={envelopes}"))
        .output()
        .map_err(|error| format!("cannot start valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{} under valgrind: {said}", settings.join(" ")).into());
    }
    collected(&said).ok_or_else(|| format!("valgrind told no count: {said}").into())
}

/// The count in a line such as `==7== Collected : 123456`.
fn collected(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("Collected : "))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_among_what_valgrind_says() {
        let said = "==7== Callgrind\n==7== Events    : Ir\n==7== Collected : 123456\n==7==\n";
        assert_eq!(collected(said), Some(123_456));
        assert_eq!(collected("==7== Callgrind"), None);
    }
}
