//! The faults that a test plans for its handlers.

use projectionist_core::{BoxError, Error};

/// Where a planned fault happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// While the event at this position is handled, alone or in a group.
    Position(u64),
    /// In the handler's `start`.
    Start,
    /// In the handler's `stop`.
    Stop,
}

/// What happens there.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// An error that another attempt may mend.
    Error,
    /// An error of class `data`, which no other attempt mends.
    Data,
    /// A panic.
    Panic,
}

/// The faults that are still to happen.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    planned: Vec<Planned>,
}

#[derive(Debug)]
struct Planned {
    place: Place,
    kind: Kind,
    /// How often it still happens.
    left: usize,
}

impl Faults {
    pub(crate) fn plan(&mut self, place: Place, kind: Kind, times: usize) {
        let left = times;
        self.planned.push(Planned { place, kind, left });
    }

    /// The fault that happens now in one of `places`, the one planned first.
    pub(crate) fn strike(&mut self, places: &[Place]) -> Option<(Place, Kind)> {
        let mut planned = self.planned.iter_mut();
        let hit = planned.find(|planned| planned.left > 0 && places.contains(&planned.place))?;
        // A fault without end is planned with the greatest number and stays there.
        if hit.left < usize::MAX {
            hit.left -= 1;
        }
        Some((hit.place, hit.kind))
    }
}

/// Lets a fault happen.
#[expect(clippy::panic, reason = "a test asked for it")]
pub(crate) fn happen((place, kind): (Place, Kind)) -> BoxError {
    let place = match place {
        Place::Position(position) => position.to_string(),
        Place::Start => "start".to_owned(),
        Place::Stop => "stop".to_owned(),
    };
    match kind {
        Kind::Error => format!("no {place}").into(),
        Kind::Panic => panic!("panic {place}"),
        Kind::Data => {
            let (table, reason) = ("test".to_owned(), format!("{place} does not fit"));
            Error::Row { table, reason }.into()
        }
    }
}
