//! What a source says when it is asked to vouch for a position.

use std::collections::{BTreeMap, BTreeSet};

/// What a source vouches for, and what it was asked.
#[derive(Debug, Default)]
pub(super) struct Verification {
    /// Whether the source verifies at all.
    pub(super) is_on: bool,
    refused: BTreeSet<u64>,
    asked: BTreeMap<u64, usize>,
    /// Why the next call fails.
    fault: Option<String>,
}

impl Verification {
    pub(super) fn refuse(&mut self, position: u64) {
        self.is_on = true;
        self.refused.insert(position);
    }

    pub(super) fn vouch(&mut self, position: u64) {
        self.refused.remove(&position);
    }

    pub(super) fn fail_next(&mut self, reason: &str) {
        self.is_on = true;
        self.fault = Some(reason.to_owned());
    }

    /// How often it was asked about `position`.
    pub(super) fn asked(&self, position: u64) -> usize {
        self.asked.get(&position).copied().unwrap_or_default()
    }

    /// Answers, and counts the call; or why it cannot answer.
    pub(super) fn ask(&mut self, position: u64) -> Result<bool, String> {
        *self.asked.entry(position).or_default() += 1;
        match self.fault.take() {
            Some(reason) => Err(reason),
            None => Ok(!self.refused.contains(&position)),
        }
    }
}
