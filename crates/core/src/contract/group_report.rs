//! What a handler of groups is told, and where it reports.

use crate::{Counters, Defect, OffsetText, ProjectionId};

/// What a handler of groups is told besides the group, and where it reports.
pub struct GroupContext<'a> {
    /// The projection, and the lane it reads.
    pub lane: &'a ProjectionId,
    /// Where the last envelope of the group stands.
    pub position: &'a dyn OffsetText,
    /// 1 for the first attempt at this group in this run. Counts every attempt at the group or at a
    /// part of it; above 1 what the attempt before wrote may have been rolled back.
    pub attempt: u32,
    /// Whether the lane had come this far before: management moved it back, as a rebuild does. A
    /// group never holds both envelopes that are a replay and such that are none.
    pub replay: bool,
    /// What became of the envelopes.
    pub report: &'a mut GroupReport,
}

/// What became of the envelopes of a group, as its handler says.
///
/// Envelopes that are not reported were applied. The report is part of the group's commit: when
/// the transaction rolls back, so does what was reported.
#[derive(Debug, Default)]
pub struct GroupReport {
    /// What is to be counted beside `read` and `applied`, which follow from the group.
    counters: Counters,
    /// The envelopes that could not be applied, by their index in the group.
    defects: Vec<(usize, Defect)>,
}

impl GroupReport {
    /// Envelopes of a type that the handler does not name.
    pub fn unmatched(&mut self, envelopes: u64) {
        self.counters.unmatched += envelopes;
    }

    /// Envelopes whose condition was false.
    pub fn filtered(&mut self, envelopes: u64) {
        self.counters.filtered += envelopes;
    }

    /// Envelopes that by declaration change nothing.
    pub fn ignored(&mut self, envelopes: u64) {
        self.counters.ignored += envelopes;
    }

    /// Envelopes at or below the last applied sequence number of their entity.
    pub fn stale(&mut self, envelopes: u64) {
        self.counters.stale += envelopes;
    }

    /// Applied envelopes that were folded into a later write.
    pub fn folded(&mut self, envelopes: u64) {
        self.counters.folded += envelopes;
    }

    /// The envelope at `index` could not be applied; nothing of it was. It becomes a dead letter
    /// in the group's commit.
    pub fn dead_letter(&mut self, index: usize, defect: Defect) {
        self.counters.dead_lettered += 1;
        self.defects.push((index, defect));
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The envelopes that could not be applied, by their index in the group.
    #[must_use]
    pub fn defects(&self) -> &[(usize, Defect)] {
        &self.defects
    }

    /// Forgets everything, for the next attempt or group.
    pub fn clear(&mut self) {
        self.counters = Counters::default();
        self.defects.clear();
    }
}
