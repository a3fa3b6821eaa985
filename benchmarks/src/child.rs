//! Measures a whole process from its start to its end.
//!
//! The system adds up the usage of all children of a process, and keeps the largest memory of any.
//! So each process that is measured gets a small parent of its own, which has no other child: this
//! same program, called with [`COMMAND`].

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::Instant;

use crate::cpu;
use crate::failure::Outcome;

/// The word with which a benchmark calls itself to be that parent. What follows is the command.
pub const COMMAND: &str = "measure-child";

/// What a process used.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// User and system time, all threads.
    pub cpu: Duration,
    /// From start to end.
    pub wall: Duration,
    /// The largest resident memory, in KiB.
    pub peak_kib: u64,
}

/// Runs `command` under a parent of its own. What it prints goes nowhere, except its errors.
///
/// # Errors
/// When it cannot be started, or ends with another code than 0.
pub fn measure(command: &[&str]) -> Outcome<Usage> {
    let parent = std::env::current_exe()?;
    let output = Command::new(parent)
        .arg(COMMAND)
        .args(command)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("`{}` ended with {}", command.join(" "), output.status).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut fields = text.split_whitespace().map(str::parse::<u64>);
    let mut field = || {
        fields
            .next()
            .ok_or("the measuring parent printed too little")
    };
    Ok(Usage {
        cpu: Duration::from_micros(field()??),
        wall: Duration::from_micros(field()??),
        peak_kib: field()??,
    })
}

/// The part of the parent: runs the command and prints what it used.
///
/// # Errors
/// When the command cannot be started or fails.
pub fn be_the_parent(command: &[String]) -> Outcome<()> {
    let (program, arguments) = command.split_first().ok_or("no command to measure")?;
    let started = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("cannot start {program}: {error}"))?;
    let wall = started.elapsed();
    if !status.success() {
        let program = Path::new(program).display();
        return Err(format!("{program} ended with {status}").into());
    }
    let usage = cpu::of_children()?;
    println!(
        "{} {} {}",
        usage.cpu.as_micros(),
        wall.as_micros(),
        usage.peak_kib
    );
    Ok(())
}
