//! Why an event could not be derived or folded.

use projectionist_core::{Defect, ErrorClass};

/// Why an event could not be derived or folded.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The event is at fault: it becomes a dead letter.
    Event(Box<Defect>),
    /// The group is too large for one batch: the engine shall cut it.
    Full,
}

impl Fault {
    /// A value of the event does not fit.
    pub(crate) fn data(error: impl Into<String>) -> Defect {
        Defect::new(ErrorClass::Data, error)
    }
}

impl From<Defect> for Fault {
    fn from(defect: Defect) -> Self {
        Self::Event(Box::new(defect))
    }
}
