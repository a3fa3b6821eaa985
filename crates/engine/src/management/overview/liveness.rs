//! Whether the owner of a lane is there, as far as its claim and this machine tell.

use std::collections::HashMap;

use projectionist_core::{Holder, Owner, ProcessIdentity, Timestamp};

use crate::claim::process::{self, Vitality};

/// Whether the owner of a lane is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Liveness {
    /// It renews its claim.
    Alive,
    /// It has not renewed its claim in time, or its process is suspended. It may come back.
    Silent,
    /// Its process is gone.
    Dead,
}

impl Liveness {
    /// The printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Silent => "silent",
            Self::Dead => "dead",
        }
    }
}

/// Looks at processes, at each one once: many lanes have the same owner.
#[derive(Debug, Default)]
pub(super) struct Processes {
    seen: HashMap<ProcessIdentity, Vitality>,
}

impl Processes {
    pub(super) fn vitality(&mut self, owner: &Owner) -> Vitality {
        let Some(process) = &owner.process else {
            return Vitality::Unknown;
        };
        if let Some(seen) = self.seen.get(process) {
            return *seen;
        }
        let vitality = process::vitality(process);
        self.seen.insert(process.clone(), vitality);
        vitality
    }

    pub(super) fn liveness(&mut self, holder: &Holder, now: Timestamp) -> Liveness {
        match self.vitality(&holder.owner) {
            Vitality::Gone => Liveness::Dead,
            Vitality::Suspended => Liveness::Silent,
            Vitality::Running | Vitality::Unknown if holder.expires_at <= now => Liveness::Silent,
            Vitality::Running | Vitality::Unknown => Liveness::Alive,
        }
    }
}
