//! What a lane does at the moment, as its gauges tell it.

/// What a lane does at the moment.
///
/// Coarser than the status of a projection: a label must have few values. A lane that has ended
/// does nothing of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneActivity {
    /// It asks for its claim, or opens its source.
    Starting,
    /// Another owner holds it.
    StandingBy,
    /// It handles envelopes, or waits for some to come.
    Running,
    /// It has read as far ahead as it may, and waits for an envelope that is not settled.
    Blocked,
    /// It is paused.
    Paused,
    /// A run failed, and the next one has not begun.
    BackingOff,
}

impl LaneActivity {
    /// All of them, in the order of their declaration.
    pub const ALL: [Self; 6] = [
        Self::Starting,
        Self::StandingBy,
        Self::Running,
        Self::Blocked,
        Self::Paused,
        Self::BackingOff,
    ];

    /// The value of the label.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::StandingBy => "standing_by",
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::Paused => "paused",
            Self::BackingOff => "backing_off",
        }
    }
}
