//! Tells whether the process that holds a claim is still there.

use std::fs;
use std::path::Path;

use projectionist_core::ProcessIdentity;

/// This process, where the system tells: on Linux, from `/proc`.
#[must_use]
pub fn current() -> Option<ProcessIdentity> {
    let pid = std::process::id();
    Some(ProcessIdentity {
        boot_id: boot_id()?,
        pid_namespace: pid_namespace()?,
        pid,
        start_ticks: read_stat(pid)?.start_ticks,
    })
}

/// Whether `process` is known to be gone.
///
/// `false` whenever that cannot be known: a process of another machine, boot or namespace is left
/// to the time of its claim.
#[must_use]
pub fn is_dead(process: &ProcessIdentity) -> bool {
    vitality(process) == Vitality::Gone
}

/// What can be told of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vitality {
    /// Nothing: it is of another machine, boot or namespace.
    Unknown,
    /// It is there.
    Running,
    /// It is there, and was told not to run for now.
    Suspended,
    /// It is gone.
    Gone,
}

/// What can be told of `process`.
pub(crate) fn vitality(process: &ProcessIdentity) -> Vitality {
    let here = boot_id().as_deref() == Some(process.boot_id.as_str())
        && pid_namespace().as_deref() == Some(process.pid_namespace.as_str());
    if !here {
        return Vitality::Unknown;
    }
    match read_stat(process.pid) {
        None if Path::new(&format!("/proc/{}", process.pid)).exists() => Vitality::Unknown,
        None => Vitality::Gone,
        Some(stat) if stat.start_ticks != process.start_ticks => Vitality::Gone,
        Some(stat) => stat.vitality,
    }
}

struct Stat {
    start_ticks: u64,
    vitality: Vitality,
}

/// Reads `/proc/PID/stat` (proc(5)): the state is field 3 and the start time field 22. The name in
/// field 2 may hold spaces and parentheses, so fields are counted from the last parenthesis.
fn read_stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = text.rsplit_once(')')?;
    let mut fields = after_name.split_whitespace();
    let state = fields.next()?;
    let start_ticks = fields.nth(18)?.parse().ok()?;
    Some(Stat {
        start_ticks,
        vitality: match state {
            // Killed, but not yet collected by its parent.
            "Z" | "X" | "x" => Vitality::Gone,
            "T" | "t" => Vitality::Suspended,
            _ => Vitality::Running,
        },
    })
}

fn boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

/// The link reads `pid:[4026531836]`; only the number is kept, which has no space.
fn pid_namespace() -> Option<String> {
    let link = fs::read_link("/proc/self/ns/pid").ok()?;
    let text = link.to_str()?;
    let number: String = text.chars().filter(char::is_ascii_digit).collect();
    Some(number).filter(|number| !number.is_empty())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_a_reaped_child_is_dead() {
        let mut child = std::process::Command::new("sleep")
            .arg("1000")
            .spawn()
            .unwrap();
        let me = current().unwrap();
        let start_ticks = read_stat(child.id()).unwrap().start_ticks;
        let theirs = ProcessIdentity {
            pid: child.id(),
            start_ticks,
            ..me.clone()
        };
        assert!(!is_dead(&me) && !is_dead(&theirs));
        assert_eq!(vitality(&me), Vitality::Running);
        child.kill().unwrap();
        // A killed child is a zombie or gone, collected or not.
        child.wait().unwrap();
        assert!(is_dead(&theirs));
    }

    #[test]
    fn a_reused_pid_is_another_process_and_another_boot_is_unknown() {
        let me = current().unwrap();
        assert!(is_dead(&ProcessIdentity {
            start_ticks: me.start_ticks + 1,
            ..me.clone()
        }));
        assert!(!is_dead(&ProcessIdentity {
            boot_id: "other".into(),
            ..me
        }));
    }
}
