//! Brings the browser that the tests of the dashboard steer.

use std::process::Command;

use crate::failure::{Failure, Result};
use crate::stream;
use crate::workspace::Workspace;

/// The programs, each with the package of Debian that brings it.
const PROGRAMS: [(&str, &str); 2] = [
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
];

/// Installs what is missing where this user may, and starts each program once: what cannot be started
/// would fail in the middle of the tests.
pub(crate) fn bring(workspace: &Workspace) -> Result<()> {
    let missing: Vec<&str> = PROGRAMS
        .iter()
        .filter(|(program, _)| !starts(workspace.command(*program)))
        .map(|(_, package)| *package)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!(
        "apt-get update && apt-get install -y --no-install-recommends {}",
        missing.join(" ")
    );
    if !is_root(workspace) {
        return Err(Failure::new(format!(
            "the tests of the dashboard need a browser; install it: sudo sh -c '{line}'"
        )));
    }
    stream::succeed(workspace.command("sh").args(["-c", &line]))?;
    match PROGRAMS
        .iter()
        .find(|(program, _)| !starts(workspace.command(*program)))
    {
        None => Ok(()),
        Some((program, _)) => Err(Failure::new(format!(
            "{program} is installed and does not start; run `{program} --version` to see why"
        ))),
    }
}

/// Whether a program tells its version.
fn starts(mut program: Command) -> bool {
    let output = program.arg("--version").output();
    output.is_ok_and(|output| output.status.success())
}

fn is_root(workspace: &Workspace) -> bool {
    let output = workspace.command("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_that_is_there_and_succeeds() {
        assert!(starts(Command::new("cargo")));
        assert!(!starts(Command::new("false")));
        assert!(!starts(Command::new("no-such-program-at-all")));
    }
}
