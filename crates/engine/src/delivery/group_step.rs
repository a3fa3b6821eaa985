//! What settling a group, or a part of it, commits.

use std::ops::Range;

use projectionist_core::contract::{GroupReport, SourceProvider};
use projectionist_core::{Commit, Counters, Offset};
use projectionist_telemetry::EventsDeadLettered;

use super::group::Group;
use super::incarnation::Incarnation;
use super::observe;

/// The commit and the report of a step, used again for each group.
#[derive(Default)]
pub(super) struct GroupStep {
    pub(super) commit: Commit,
    pub(super) report: GroupReport,
}

impl GroupStep {
    /// Writes down what settling `part` commits; gives the position that it reaches.
    ///
    /// It also passes the malformed records before its end, and with the last part of a group
    /// those behind it.
    pub(super) fn stage<P: SourceProvider, S>(
        &mut self,
        run: &Incarnation<'_, P, S>,
        group: &mut Group<P>,
        part: &Range<usize>,
        is_last: bool,
        attempts: u32,
    ) -> Option<P::Position> {
        let envelopes = &group.envelopes[part.clone()];
        let end = envelopes.last().map(|end| run.provider.position(end));
        let position = if is_last { group.last.clone() } else { end };
        let commit = &mut self.commit;
        commit.expected.clone_from(run.progress.stored());
        match (&position, &mut commit.offset) {
            (Some(position), Some(offset)) => offset.set(position),
            (position, offset) => *offset = position.as_ref().map(Offset::of),
        }
        commit.dead_letters.clear();
        for (index, defect) in self.report.defects() {
            if let Some(envelope) = envelopes.get(*index) {
                commit
                    .dead_letters
                    .push(run.letter(envelope, defect.clone(), attempts));
            }
        }
        let passed = group
            .malformed
            .partition_point(|record| position.as_ref().is_some_and(|end| record.position <= *end));
        let letters = group
            .malformed
            .drain(..passed)
            .map(|record| run.malformed_letter(record));
        commit.dead_letters.extend(letters);
        let (read, malformed) = (part.len() as u64, passed as u64);
        commit.counters = Counters {
            read,
            malformed,
            ..*self.report.counters()
        };
        commit.counters.applied = read.saturating_sub(commit.counters.not_applied());
        position
    }

    /// Takes over what the store has committed, and tells it.
    pub(super) fn committed<P: SourceProvider, S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        group: &Group<P>,
        part: Range<usize>,
        position: Option<P::Position>,
    ) {
        run.streak.ended();
        let defects = self.report.defects();
        if let (Some((_, defect)), Some(letter)) =
            (defects.first(), self.commit.dead_letters.first())
        {
            let (lane, events) = (run.lane(), defects.len() as u64);
            let field = defect.field.as_deref().unwrap_or_default();
            EventsDeadLettered {
                lane,
                events,
                first: &letter.offset.text,
                class: defect.class.name(),
                field,
            }
            .emit();
        }
        let lane = &run.claim.lane;
        if let Some(end) = group.envelopes[part.clone()].last() {
            let end = run.provider.position(end);
            observe(|| run.observer().after_process(lane, &end, part.len()));
        }
        if let Some(offset) = &self.commit.offset {
            observe(|| run.observer().progress(lane, offset));
        }
        run.progress.advance(position, &self.commit);
    }
}
