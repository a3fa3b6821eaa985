//! The rows of the lanes, found again in a few instructions.

use std::collections::BTreeMap;

use projectionist_core::{LaneState, ProjectionId};

/// The rows of the lanes. A lane stays for ever.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    /// In the order in which they were claimed first.
    rows: Vec<(ProjectionId, LaneState)>,
    /// The place of each row, ordered by name and key.
    places: BTreeMap<ProjectionId, usize>,
    /// The row that was asked for last. Most commits are of the lane of the commit before, and to
    /// compare with one identity is cheaper than to look one up.
    last: usize,
}

impl Lanes {
    /// The row of `lane`; `None` when it was never claimed.
    pub(crate) fn get(&self, lane: &ProjectionId) -> Option<&LaneState> {
        let place = self.places.get(lane)?;
        self.rows.get(*place).map(|(_, row)| row)
    }

    /// As [`get`](Self::get), to change the row.
    #[inline]
    pub(crate) fn get_mut(&mut self, lane: &ProjectionId) -> Option<&mut LaneState> {
        let is_last = self.rows.get(self.last).is_some_and(|(id, _)| id == lane);
        if !is_last {
            self.last = self.place(lane)?;
        }
        self.rows.get_mut(self.last).map(|(_, row)| row)
    }

    #[cold]
    fn place(&self, lane: &ProjectionId) -> Option<usize> {
        self.places.get(lane).copied()
    }

    /// Adds the row of a lane that has none.
    pub(crate) fn insert(&mut self, lane: ProjectionId, row: LaneState) {
        self.places.insert(lane.clone(), self.rows.len());
        self.rows.push((lane, row));
    }

    /// All rows, ordered by name and key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&ProjectionId, &LaneState)> {
        let rows = self
            .places
            .values()
            .filter_map(|place| self.rows.get(*place));
        rows.map(|(id, row)| (id, row))
    }
}
