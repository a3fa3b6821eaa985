//! What a projection may set for itself and a file for all of its projections.

use super::choice;
use crate::model::{OnGap, Retries, Start};
use crate::report::Report;
use crate::tree::Mapping;
use crate::vocabulary::Level;

/// The settings in force.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub(super) start: Start,
    pub(super) on_gap: OnGap,
    pub(super) retries: Retries,
}

impl Settings {
    /// These settings with those of `mapping` in their place. Keys whose only choice is their
    /// default are looked at too.
    pub(super) fn overridden(
        mut self,
        report: &mut Report<'_>,
        mapping: &Mapping,
        level: &Level,
    ) -> Self {
        match choice::word(report, mapping, level, "start") {
            Some("latest") => self.start = Start::Latest,
            Some(_) => self.start = Start::Earliest,
            None => {}
        }
        match choice::word(report, mapping, level, "on_gap") {
            Some("warn") => self.on_gap = OnGap::Warn,
            Some(_) => self.on_gap = OnGap::Ignore,
            None => {}
        }
        if let Some(retries) = choice::count(report, mapping, level, "data_retries") {
            self.retries.data = retries;
        }
        if let Some(retries) = choice::count(report, mapping, level, "max_retries") {
            self.retries.other = retries;
        }
        choice::word(report, mapping, level, "checkpoint");
        choice::word(report, mapping, level, "ir");
        self
    }
}
