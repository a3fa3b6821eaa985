//! The one verb that moves progress.

use crate::{Counters, DeadLetter, Offset};

/// Everything that one step of progress writes, in one atomic step.
///
/// The store applies it only when the lane's row still has the claim's epoch **and** still holds
/// `expected`; otherwise it changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The offset that the row must hold; `None` when it must hold none.
    pub expected: Option<Offset>,
    /// The new offset; `None` leaves the row's offset as it is.
    pub offset: Option<Offset>,
    /// What to add to the lane's counters.
    pub counters: Counters,
    /// Dead letters to keep. A letter that is already kept under the same identity is left as it
    /// is, so a step that is repeated keeps one letter a position.
    pub dead_letters: Vec<DeadLetter>,
}
