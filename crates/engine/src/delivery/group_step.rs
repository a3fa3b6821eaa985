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
    /// Writes down what settling `part` commits, which reaches `position`. What is passed over up to
    /// there is passed by it.
    pub(super) fn stage<P: SourceProvider, S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        group: &mut Group<P>,
        part: &Range<usize>,
        position: Option<&P::Position>,
        attempts: u32,
    ) {
        let envelopes = &group.envelopes[part.clone()];
        let commit = &mut self.commit;
        commit.expected.clone_from(run.progress.stored());
        match (position, &mut commit.offset) {
            (Some(position), Some(offset)) => offset.set(position),
            (position, offset) => *offset = position.map(Offset::of),
        }
        commit.replay_passed = run.progress.passes_replay(position);
        run.progress.fill_rest(commit);
        run.progress.fill_ahead(position, commit);
        for (index, defect) in self.report.defects() {
            if let Some(envelope) = envelopes.get(*index) {
                commit
                    .dead_letters
                    .push(run.letter(envelope, defect.clone(), attempts));
            }
        }
        let passed = group
            .asides
            .partition_point(|aside| position.is_some_and(|end| aside.position <= *end));
        for aside in group.asides.drain(..passed) {
            commit.counters.add(&aside.counters);
            commit.dead_letters.extend(aside.letter);
        }
        let read = part.len() as u64;
        let mut handled = Counters {
            read,
            ..*self.report.counters()
        };
        handled.applied = read.saturating_sub(handled.not_applied());
        commit.counters.add(&handled);
    }

    /// Takes over what the store has committed, and tells it.
    pub(super) fn committed<P: SourceProvider, S>(
        &mut self,
        run: &mut Incarnation<'_, P, S>,
        group: &mut Group<P>,
        part: Range<usize>,
        position: Option<P::Position>,
    ) {
        run.goes_on();
        self.tell_defects(run, group, &part);
        let lane = &run.claim.lane;
        if let Some(end) = group.envelopes[part.clone()].last() {
            let end = run.provider.position(end);
            observe(|| run.observer().after_process(lane, &end, part.len()));
        }
        if let Some(offset) = &self.commit.offset {
            observe(|| run.observer().progress(lane, offset));
        }
        let reached = group
            .skipped
            .partition_point(|skip| position.as_ref().is_some_and(|end| skip.position <= *end));
        run.progress.advance(position, &mut self.commit);
        run.waiters.passed(run.progress.low());
        run.shared.committed(&self.commit);
        for skip in group.skipped.drain(..reached) {
            skip.order.asker.tell(Ok(()));
        }
    }

    /// Tells the envelopes that the handler reported as defects.
    fn tell_defects<P: SourceProvider, S>(
        &self,
        run: &Incarnation<'_, P, S>,
        group: &Group<P>,
        part: &Range<usize>,
    ) {
        let defects = self.report.defects();
        let Some((index, defect)) = defects.first() else {
            return;
        };
        let Some(envelope) = group.envelopes[part.clone()].get(*index) else {
            return;
        };
        EventsDeadLettered {
            lane: run.lane(),
            events: defects.len() as u64,
            first: &Offset::of(&run.provider.position(envelope)).text,
            class: defect.class.name(),
            field: defect.field.as_deref().unwrap_or_default(),
        }
        .emit();
    }
}
