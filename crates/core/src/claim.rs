//! Who may move a lane: owners, claims and their fencing numbers.

use std::fmt;
use std::time::Duration;

use crate::words::{read_word, write_word};
use crate::{Error, LaneState, ProjectionId, Result, Timestamp};

/// The fencing number of a claim. Every grant of a lane has a higher one than the grant before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A process as the kernel tells it apart from every other, on this machine since its last boot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProcessIdentity {
    /// The boot of the machine; another value means that the process cannot be alive.
    pub boot_id: String,
    /// The process-id namespace in which `pid` counts.
    pub pid_namespace: String,
    /// The process id.
    pub pid: u32,
    /// When the process started, in the kernel's ticks since boot: a reused pid has another one.
    pub start_ticks: u64,
}

/// The one who asks for a claim: a run of a projection in a process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Unique for each runtime, also within one process. Any text but the empty one.
    pub instance: String,
    /// The process, where the system tells; a claim of a dead local process is released at once.
    pub process: Option<ProcessIdentity>,
}

impl fmt::Display for Owner {
    /// The stored form: `instance`, or `instance boot namespace pid start`. A space within a part
    /// is written `%20`, and `%` itself `%25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_word(f, &self.instance)?;
        if let Some(process) = &self.process {
            let ProcessIdentity {
                boot_id,
                pid_namespace,
                pid,
                start_ticks,
            } = process;
            f.write_str(" ")?;
            write_word(f, boot_id)?;
            f.write_str(" ")?;
            write_word(f, pid_namespace)?;
            write!(f, " {pid} {start_ticks}")?;
        }
        Ok(())
    }
}

impl Owner {
    /// Reads the stored form.
    ///
    /// # Errors
    /// [`Error::Damaged`] when the text is not one that `Display` writes.
    pub fn parse(text: &str) -> Result<Self> {
        let damaged = || Error::Damaged {
            what: "owner of a claim".into(),
            text: text.to_owned(),
        };
        let parts: Vec<&str> = text.split(' ').collect();
        let process = match parts.get(1..) {
            Some([]) => None,
            Some([boot_id, pid_namespace, pid, start_ticks]) => Some(ProcessIdentity {
                boot_id: read_word(boot_id).ok_or_else(damaged)?,
                pid_namespace: read_word(pid_namespace).ok_or_else(damaged)?,
                pid: pid.parse().map_err(|_| damaged())?,
                start_ticks: start_ticks.parse().map_err(|_| damaged())?,
            }),
            _ => return Err(damaged()),
        };
        match parts.first() {
            Some(instance) if !instance.is_empty() => Ok(Self {
                instance: read_word(instance).ok_or_else(damaged)?,
                process,
            }),
            _ => Err(damaged()),
        }
    }

    /// The owner for people: `process 4711` where the process is known.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.process {
            Some(process) => format!("process {}", process.pid),
            None => format!("instance {}", self.instance),
        }
    }
}

/// A granted claim: the right to move one lane, until a higher epoch is granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The lane.
    pub lane: ProjectionId,
    /// Who holds it.
    pub owner: Owner,
    /// Its fencing number.
    pub epoch: Epoch,
}

/// When a claim may be granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// When nobody holds the lane, or its holder's time is over by the store's clock.
    Free,
    /// Also when its holder's time is not over, if the lane's epoch is still this one. Used for a
    /// holder that is known to be dead, and to steal.
    From(Epoch),
}

/// Asks for a lane.
#[derive(Clone, Debug)]
pub struct ClaimRequest {
    /// The lane.
    pub lane: ProjectionId,
    /// Who asks.
    pub owner: Owner,
    /// How long the claim holds without being renewed.
    pub ttl: Duration,
    /// Whether a present holder is respected.
    pub take: Take,
}

/// Who holds a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The owner of the claim.
    pub owner: Owner,
    /// When the claim ends if it is not renewed, by the store's clock.
    pub expires_at: Timestamp,
}

/// The answer to a [`ClaimRequest`].
#[expect(
    clippy::large_enum_variant,
    reason = "made once a claim; a box would only hide the state"
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The lane is the asker's, in this state.
    Granted {
        /// The right to move it.
        claim: Claim,
        /// Where it stands.
        lane: LaneState,
    },
    /// Another one holds it.
    Held {
        /// Who.
        holder: Holder,
        /// The epoch of that claim.
        epoch: Epoch,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_reads_back_as_written() {
        let process = |boot_id: &str| ProcessIdentity {
            boot_id: boot_id.into(),
            pid_namespace: "4026531836".into(),
            pid: 7,
            start_ticks: 99,
        };
        for part in [
            "one",
            " ",
            "a b  c ",
            "%",
            "%20",
            "100 %25 %",
            "a\tb",
            "日 本",
        ] {
            for process in [None, Some(process(part))] {
                let owner = Owner {
                    instance: part.into(),
                    process,
                };
                assert_eq!(Owner::parse(&owner.to_string()).unwrap(), owner);
            }
        }
    }

    #[test]
    fn the_stored_form_is_the_one_that_is_written_down() {
        let owner = Owner {
            instance: "web 1 at 5%".into(),
            process: Some(ProcessIdentity {
                boot_id: "b".into(),
                pid_namespace: "n".into(),
                pid: 7,
                start_ticks: 99,
            }),
        };
        assert_eq!(owner.to_string(), "web%201%20at%205%25 b n 7 99");
    }

    #[test]
    fn a_damaged_owner_is_an_error() {
        for text in [
            "",
            " ",
            "a b",
            "a b c d e",
            "a b c 1 2 3",
            "a%",
            "a%2",
            "a%41",
            "a b% c 1 2",
        ] {
            assert!(Owner::parse(text).is_err(), "{text:?}");
        }
    }
}
