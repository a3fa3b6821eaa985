//! The progress of one lane, whether it is settled in order or not.

use projectionist_core::{
    Commit, Counters, DeadLetter, Error, LaneState, Offset, ParkedEnvelope, Position, ProjectionId,
    RequestAnswer, Result,
};

use super::held::Held;
use super::stored_ahead::StoredAhead;
use super::window::{Settled, Ticket, Window};

/// What to do with an envelope that the source delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is next.
    Next,
    /// It was settled before: it is the boundary that an inclusive source delivers again, or an
    /// earlier run has settled it ahead of the low-water mark.
    Boundary,
}

/// The progress of one lane.
///
/// `low` is the position up to which everything is settled. It never passes an envelope that is
/// not, and never moves back. What is settled and not yet stored stands in `unsaved`.
///
/// A delivery in order [admits](Self::admit) and [settles](Self::settle) one record after the
/// other; the window stays empty. One that settles in another order [looks at](Self::follows) a
/// record, [takes](Self::deliver) it and [settles it by its ticket](Self::settle_delivered).
#[derive(Debug)]
pub(crate) struct LaneProgress<P> {
    lane: ProjectionId,
    low: Option<P>,
    stored: Option<Offset>,
    /// The counters that the row holds.
    stored_counters: Counters,
    unsaved: Unsaved,
    /// Whether `low` moved since the lane was loaded. Only the position that a source was opened
    /// behind may come again.
    moved: bool,
    /// How far the lane had come before management moved it back.
    replay_until: Option<P>,
    /// What is delivered and not yet below `low`, where it is settled in any order.
    window: Window<P>,
    ahead: StoredAhead<P>,
    /// Whether the store keeps what is settled ahead. If not, all of that is unsaved.
    stores_ahead: bool,
}

/// What is settled and not yet handed to the store.
#[derive(Debug, Default)]
struct Unsaved {
    counters: Counters,
    letters: Vec<DeadLetter>,
    parked: Vec<ParkedEnvelope>,
    unparked: Vec<Offset>,
    answers: Vec<RequestAnswer>,
    /// Envelopes and malformed records; the bound on what a crash repeats.
    records: u64,
    /// `low` moved over records that an earlier run has settled.
    passed: bool,
}

impl<P: Position> LaneProgress<P> {
    /// The progress that the lane's row tells.
    pub(crate) fn load(lane: &ProjectionId, row: LaneState) -> Result<Self> {
        let position = |offset: &Offset| offset.position(lane);
        let replay_until = row.replay_until.as_ref().map(position).transpose()?;
        let low = row.offset.as_ref().map(position).transpose()?;
        let ahead = StoredAhead::load(lane, &row.ahead, low.as_ref())?;
        Ok(Self {
            lane: lane.clone(),
            low,
            stored: row.offset,
            stored_counters: row.counters,
            unsaved: Unsaved::default(),
            moved: false,
            replay_until,
            window: Window::default(),
            ahead,
            stores_ahead: true,
        })
    }

    /// The store keeps the low-water mark alone.
    pub(crate) fn stores_low_alone(&mut self) {
        self.stores_ahead = false;
    }

    /// Everything up to here is settled.
    pub(crate) fn low(&self) -> Option<&P> {
        self.low.as_ref()
    }

    /// The offset that the row holds.
    pub(crate) fn stored(&self) -> &Option<Offset> {
        &self.stored
    }

    /// What the commits have counted that the store has taken, on top of what the row counted when
    /// the lane was loaded.
    pub(crate) fn stored_counters(&self) -> &Counters {
        &self.stored_counters
    }

    /// How many records are settled and not stored: what a crash repeats.
    pub(crate) fn unsaved_records(&self) -> u64 {
        self.unsaved.records
    }

    /// How many of these the next commit brings away.
    pub(crate) fn savable_records(&self) -> u64 {
        if self.stores_ahead {
            self.unsaved.records
        } else {
            self.unsaved.records.saturating_sub(self.window.ahead())
        }
    }

    /// Looks at a delivered position before anything is done with its envelope, in a delivery in
    /// order. One that an earlier run has settled is passed.
    #[inline]
    pub(crate) fn admit(&mut self, position: &P) -> Result<Admission> {
        // Nearly every envelope: it stands behind the last one, and no earlier run was ahead.
        if self.low.as_ref().is_none_or(|low| low < position) && self.ahead.is_passed() {
            return Ok(Admission::Next);
        }
        self.admit_closely(position)
    }

    fn admit_closely(&mut self, position: &P) -> Result<Admission> {
        let admission = self.follows(position)?;
        if admission == Admission::Next && self.settled_ahead(position) {
            self.low = Some(position.clone());
            self.moved = true;
            self.unsaved.passed = true;
            return Ok(Admission::Boundary);
        }
        Ok(admission)
    }

    /// Whether a delivered position follows the last one, or is the one that the source was opened
    /// behind.
    pub(crate) fn follows(&self, position: &P) -> Result<Admission> {
        let last = self.window.last().or(self.low.as_ref());
        if last.is_none_or(|last| last < position) {
            return Ok(Admission::Next);
        }
        match (last, admit(&self.lane, last, position)?) {
            (Some(last), Admission::Boundary) if self.moved => {
                Err(regressed(&self.lane, last, position))
            }
            (_, admission) => Ok(admission),
        }
    }

    /// Whether an earlier run has settled the record at `position`.
    pub(crate) fn settled_ahead(&self, position: &P) -> bool {
        self.ahead.contains(position)
    }

    /// A record was delivered that is settled in any order; `bytes` is what it keeps in memory until
    /// then.
    pub(crate) fn deliver(&mut self, position: P, bytes: usize) -> Ticket {
        self.moved = true;
        self.window.deliver(position, bytes)
    }

    /// A record was delivered that an earlier run has settled.
    pub(crate) fn deliver_settled(&mut self, position: P) {
        let ticket = self.deliver(position, 0);
        self.window.settle(&ticket, &mut self.low);
        self.unsaved.passed = true;
    }

    /// The record of `ticket` is settled, and counted by `count` if it was not before.
    pub(crate) fn settle_delivered(
        &mut self,
        ticket: &Ticket,
        count: impl FnOnce(&mut Counters),
    ) -> Settled {
        let settled = self.window.settle(ticket, &mut self.low);
        if settled == Settled::Now {
            count(&mut self.unsaved.counters);
            self.unsaved.records += 1;
        }
        settled
    }

    /// The record of `ticket` failed and is to be tried again.
    pub(crate) fn hold(&mut self, ticket: &Ticket, held: Held<P>) {
        self.window.hold(ticket, held);
    }

    /// What is delivered and not yet below the low-water mark.
    pub(crate) fn window(&self) -> &Window<P> {
        &self.window
    }

    /// Whether the lane had come this far before.
    pub(crate) fn is_replay(&self, position: &P) -> bool {
        self.replay_until
            .as_ref()
            .is_some_and(|until| position <= until)
    }

    /// Whether a commit that reaches `low` ends the replay.
    pub(crate) fn passes_replay(&self, low: Option<&P>) -> bool {
        match (&self.replay_until, low) {
            (Some(until), Some(low)) => low >= until,
            _ => false,
        }
    }

    /// Counts what is no record of the stream: what became of one that was parked, or what is
    /// known only after its position was saved.
    pub(crate) fn count(&mut self, count: impl FnOnce(&mut Counters)) {
        count(&mut self.unsaved.counters);
    }

    /// Parks an envelope with the next commit.
    pub(crate) fn park(&mut self, parked: ParkedEnvelope) {
        self.unsaved.parked.push(parked);
    }

    /// Lets a parked envelope go with the next commit.
    pub(crate) fn unpark(&mut self, offset: Offset) {
        self.unsaved.unparked.push(offset);
    }

    /// Answers a request with the next commit.
    pub(crate) fn answer(&mut self, answer: RequestAnswer) {
        self.unsaved.answers.push(answer);
    }

    /// Whether there is something to store.
    pub(crate) fn has_unsaved(&self) -> bool {
        let unsaved = &self.unsaved;
        unsaved.passed
            || self.savable_records() > 0
            || !unsaved.counters.is_zero()
            || !unsaved.parked.is_empty()
            || !unsaved.unparked.is_empty()
            || !unsaved.answers.is_empty()
    }

    /// The record at `position` is settled, and counted by `count`.
    pub(crate) fn settle(&mut self, position: P, count: impl FnOnce(&mut Counters)) {
        self.low = Some(position);
        self.moved = true;
        count(&mut self.unsaved.counters);
        self.unsaved.records += 1;
    }

    /// Keeps a letter for the next commit.
    pub(crate) fn keep(&mut self, letter: DeadLetter) {
        self.unsaved.letters.push(letter);
    }

    /// Moves what is unsaved into `commit`, whose buffers are used again, and gives how many records
    /// that are.
    pub(crate) fn fill(&mut self, commit: &mut Commit) -> u64 {
        commit.expected.clone_from(&self.stored);
        match (&self.low, &mut commit.offset) {
            (Some(low), Some(offset)) => offset.set(low),
            (low, offset) => *offset = low.as_ref().map(Offset::of),
        }
        commit.replay_passed = self.passes_replay(self.low.as_ref());
        self.fill_rest(commit);
        if self.stores_ahead && !self.ahead.is_settled_with(&self.window, commit) {
            let reached = self.window.last().or(self.low.as_ref());
            self.ahead.fill(&self.window, reached, commit);
        }
        let records = self.savable_records();
        self.unsaved.records -= records;
        self.unsaved.passed = false;
        records
    }

    /// Puts into `commit` what stays settled ahead when the lane reaches `position`, in a delivery
    /// in order.
    pub(crate) fn fill_ahead(&mut self, position: Option<&P>, commit: &mut Commit) {
        let reached = position.or(self.low.as_ref());
        self.ahead.fill(&self.window, reached, commit);
    }

    /// Moves what is unsaved beside the offset and the records into `commit`, adding to what it
    /// counts.
    #[inline]
    pub(crate) fn fill_rest(&mut self, commit: &mut Commit) {
        let unsaved = &mut self.unsaved;
        commit.counters = std::mem::take(&mut unsaved.counters);
        // Most commits bring away nothing else.
        let others = unsaved.letters.len()
            | unsaved.parked.len()
            | unsaved.unparked.len()
            | unsaved.answers.len()
            | commit.dead_letters.len()
            | commit.parked.len()
            | commit.unparked.len()
            | commit.answers.len();
        if others != 0 {
            hand_over(&mut unsaved.letters, &mut commit.dead_letters);
            hand_over(&mut unsaved.parked, &mut commit.parked);
            hand_over(&mut unsaved.unparked, &mut commit.unparked);
            hand_over(&mut unsaved.answers, &mut commit.answers);
        }
    }

    /// The store has taken `commit`, which settled everything up to `position`.
    pub(crate) fn advance(&mut self, position: Option<P>, commit: &mut Commit) {
        if position.is_some() {
            self.low = position;
            self.moved = true;
        }
        self.committed(commit);
    }

    /// The store has not taken `commit`, which [`fill`](Self::fill) made of `records`: what it
    /// holds is unsaved again. Of a commit that does not move the offset that has to be
    /// [known](Self::shows): nothing would refuse it if it had taken effect after all.
    pub(crate) fn restore(&mut self, commit: &mut Commit, records: u64) {
        self.unsaved.counters.add(&commit.counters);
        give_back(&mut commit.dead_letters, &mut self.unsaved.letters);
        give_back(&mut commit.parked, &mut self.unsaved.parked);
        give_back(&mut commit.unparked, &mut self.unsaved.unparked);
        give_back(&mut commit.answers, &mut self.unsaved.answers);
        self.unsaved.records += records;
        self.unsaved.passed = true;
        if commit.ahead.is_some() {
            self.ahead.lost();
        }
    }

    /// Whether the store has taken `commit`, when it did not say so, by what the row holds now. Only
    /// asked of a commit that moved no offset: that of one that did tells it by itself.
    pub(crate) fn shows(&self, row: &LaneState, commit: &Commit) -> bool {
        let mut with = self.stored_counters;
        with.add(&commit.counters);
        row.counters == with && !commit.counters.is_zero()
    }

    /// The store has taken `commit`. Its offset is kept, and the one before left in its place, whose
    /// buffer the next one uses.
    pub(crate) fn committed(&mut self, commit: &mut Commit) {
        self.stored_counters.add(&commit.counters);
        if commit.offset.is_some() {
            std::mem::swap(&mut self.stored, &mut commit.offset);
        }
        if commit.replay_passed {
            self.replay_until = None;
        }
    }
}

/// Moves what is kept into the buffer of a commit, which holds what another one brought away.
fn hand_over<T>(kept: &mut Vec<T>, commit: &mut Vec<T>) {
    commit.clear();
    commit.append(kept);
}

/// Puts what a commit did not bring away before what has come since.
fn give_back<T>(taken: &mut Vec<T>, kept: &mut Vec<T>) {
    taken.append(kept);
    std::mem::swap(taken, kept);
}

/// Whether `position` follows `last`, is `last` again, or is a fault of the source.
pub(crate) fn admit<P: Position>(
    lane: &ProjectionId,
    last: Option<&P>,
    position: &P,
) -> Result<Admission> {
    match last {
        Some(last) if position < last => Err(regressed(lane, last, position)),
        Some(last) if position == last => Ok(Admission::Boundary),
        _ => Ok(Admission::Next),
    }
}

/// The error of a source that delivers `position` when it is the turn of what follows `last`.
pub(crate) fn regressed<P: Position>(lane: &ProjectionId, last: &P, position: &P) -> Error {
    Error::PositionRegressed {
        lane: lane.clone(),
        low: Offset::of(last).text,
        got: Offset::of(position).text,
    }
}
