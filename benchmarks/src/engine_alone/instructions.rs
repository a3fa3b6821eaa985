//! Counts instructions an envelope: a figure that does not depend on what else the machine does.

use std::process::Command;

use super::case::Case;
use crate::failure::Outcome;
use crate::table::Table;

/// The word with which this program runs one case alone, to be counted by callgrind.
pub const ONE_RUN: &str = "one-run";

/// Runs each case under callgrind with `envelopes` and with twice as many. What starting and ending
/// cost is in both, so the difference is what the envelopes cost.
///
/// # Errors
/// When valgrind is not there, or a run fails.
pub fn report(envelopes: u64) -> Outcome<()> {
    let mut table = Table::new(&["case", "instructions/envelope"]);
    for case in Case::ALL {
        let (few, many) = (count(case, envelopes)?, count(case, 2 * envelopes)?);
        let an_envelope = (many as f64 - few as f64) / envelopes as f64;
        table.row([case.name(), format!("{an_envelope:.1}")]);
    }
    println!("engine alone under callgrind, {envelopes} envelopes, one thread\n");
    print!("{table}");
    Ok(())
}

/// The instructions of one run.
fn count(case: Case, envelopes: u64) -> Outcome<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .arg(ONE_RUN)
        .arg(format!("case={}", case.name()))
        .arg(format!("envelopes={envelopes}"))
        .output()
        .map_err(|error| format!("cannot start valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{} under valgrind: {said}", case.name()).into());
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
