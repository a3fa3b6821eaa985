//! What is said of a lane: what its owner said, or what is known better.

use projectionist_core::OwnerState;

/// What is said of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCondition {
    /// It is declared, or someone asked something of it, and it has not run yet.
    NotStarted,
    /// It is declared no more and nobody runs it.
    NotDeclared,
    /// Its owner holds it and is silent.
    Silent,
    /// Its last owner died, or ended without a last word.
    Died,
    /// What its owner says of itself.
    Says(OwnerState),
}

impl LaneCondition {
    /// The printed words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::NotStarted => "not started",
            Self::NotDeclared => "not declared",
            Self::Silent => "silent",
            Self::Died => "stopped (died)",
            Self::Says(state) => state.name(),
        }
    }

    /// Whether it is not run, although it has not come to the end of what it was to do, and is
    /// declared still.
    #[must_use]
    pub fn is_stopped(self) -> bool {
        matches!(
            self,
            Self::NotStarted | Self::Died | Self::Says(OwnerState::Stopped | OwnerState::Failed)
        )
    }

    /// Whether its owner is there and cannot go on by itself at the moment, although nobody has
    /// paused it; or holds it and is silent.
    #[must_use]
    pub fn is_stalled(self) -> bool {
        matches!(
            self,
            Self::Silent
                | Self::Says(OwnerState::Blocked | OwnerState::Retrying | OwnerState::Restarting)
        )
    }
}
