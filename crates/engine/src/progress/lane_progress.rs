//! The progress of one lane that is read in order.

use projectionist_core::{
    Commit, Counters, DeadLetter, Error, Offset, Position, ProjectionId, Result,
};

/// What to do with an envelope that the source delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is next.
    Next,
    /// It is the boundary that was settled before: an inclusive source delivers it again.
    Boundary,
}

/// The progress of one lane that is read in order.
///
/// `low` is the position up to which everything is settled. It never passes an envelope that is
/// not, and never moves back. What is settled and not yet stored stands in `unsaved`.
#[derive(Debug)]
pub(crate) struct LaneProgress<P> {
    lane: ProjectionId,
    low: Option<P>,
    stored: Option<Offset>,
    unsaved: Unsaved,
    /// Whether `low` moved since the lane was loaded. Only the position that a source was opened
    /// behind may come again.
    moved: bool,
}

/// What is settled and not yet handed to the store.
#[derive(Debug, Default)]
struct Unsaved {
    counters: Counters,
    letters: Vec<DeadLetter>,
    /// Envelopes and malformed records; the bound on what a crash repeats.
    records: u64,
}

impl<P: Position> LaneProgress<P> {
    /// The progress that the lane's row tells.
    pub(crate) fn load(lane: &ProjectionId, stored: Option<Offset>) -> Result<Self> {
        let low = stored
            .as_ref()
            .map(|offset| offset.position(lane))
            .transpose()?;
        Ok(Self {
            lane: lane.clone(),
            low,
            stored,
            unsaved: Unsaved::default(),
            moved: false,
        })
    }

    /// Everything up to here is settled.
    pub(crate) fn low(&self) -> Option<&P> {
        self.low.as_ref()
    }

    /// The offset that the row holds.
    pub(crate) fn stored(&self) -> &Option<Offset> {
        &self.stored
    }

    /// How many records are settled and not stored.
    pub(crate) fn unsaved_records(&self) -> u64 {
        self.unsaved.records
    }

    /// Looks at a delivered position before anything is done with its envelope.
    pub(crate) fn admit(&self, position: &P) -> Result<Admission> {
        match (&self.low, admit(&self.lane, self.low.as_ref(), position)?) {
            (Some(low), Admission::Boundary) if self.moved => {
                Err(regressed(&self.lane, low, position))
            }
            (_, admission) => Ok(admission),
        }
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

    /// Moves what is unsaved into `commit`, whose buffers are used again.
    pub(crate) fn fill(&mut self, commit: &mut Commit) {
        commit.expected.clone_from(&self.stored);
        match (&self.low, &mut commit.offset) {
            (Some(low), Some(offset)) => offset.set(low),
            (low, offset) => *offset = low.as_ref().map(Offset::of),
        }
        commit.counters = std::mem::take(&mut self.unsaved.counters);
        commit.dead_letters.clear();
        commit.dead_letters.append(&mut self.unsaved.letters);
        self.unsaved.records = 0;
    }

    /// The store has taken `commit`, which settled everything up to `position`.
    pub(crate) fn advance(&mut self, position: Option<P>, commit: &Commit) {
        if position.is_some() {
            self.low = position;
            self.moved = true;
        }
        self.committed(commit);
    }

    /// The store has not taken `commit`, which [`fill`](Self::fill) made of `records`: what it
    /// holds is unsaved again.
    pub(crate) fn restore(&mut self, commit: &mut Commit, records: u64) {
        self.unsaved.counters.add(&commit.counters);
        commit.dead_letters.append(&mut self.unsaved.letters);
        std::mem::swap(&mut commit.dead_letters, &mut self.unsaved.letters);
        self.unsaved.records += records;
    }

    /// The store has taken `commit`.
    pub(crate) fn committed(&mut self, commit: &Commit) {
        if commit.offset.is_some() {
            self.stored.clone_from(&commit.offset);
        }
    }
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
