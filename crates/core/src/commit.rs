//! The one verb that moves progress.

use crate::{Ahead, Counters, DeadLetter, Offset, ParkedEnvelope, RequestAnswer};

/// Everything that one step of progress writes, in one atomic step.
///
/// The store applies it only when the lane's row still has the claim's epoch **and** still holds
/// `expected`; otherwise it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The offset that the row must hold; `None` when it must hold none.
    pub expected: Option<Offset>,
    /// The new offset; `None` leaves the row's offset as it is, unless this is a
    /// [`reset`](Self::reset).
    pub offset: Option<Offset>,
    /// Whether the offset is set by management instead of being reached: `None` then clears it,
    /// what is settled ahead is forgotten, and a row that has no
    /// [`replay_until`](crate::LaneState::replay_until) yet takes the offset that it held.
    pub reset: bool,
    /// What is settled above the offset; `None` leaves that as it is.
    pub ahead: Option<Ahead>,
    /// Whether the row's [`replay_until`](crate::LaneState::replay_until) is reached: it becomes
    /// `None`.
    pub replay_passed: bool,
    /// What to add to the lane's counters.
    pub counters: Counters,
    /// Dead letters to keep. A letter that is already kept under the same identity is left as it
    /// is, so a step that is repeated keeps one letter a position.
    pub dead_letters: Vec<DeadLetter>,
    /// Envelopes to park, behind those of their key that are parked. One that is parked already
    /// keeps its place, and the rest of it is replaced.
    pub parked: Vec<ParkedEnvelope>,
    /// The offsets of parked envelopes to let go. One that is not parked is no error.
    pub unparked: Vec<Offset>,
    /// Requests that are answered by this step. A request keeps its first answer.
    pub answers: Vec<RequestAnswer>,
}
