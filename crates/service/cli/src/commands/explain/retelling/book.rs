//! What was told of one row so far.

use std::collections::VecDeque;

use super::told::{Became, Mark, Told};
use crate::commands::explain::values::Row;

/// What was told of one row so far: the last events in full, and of the others what they left.
#[derive(Debug)]
pub(in crate::commands) struct Book {
    /// The row as it stands in the target.
    pub(in crate::commands) actual: Option<Row>,
    limit: usize,
    /// How many events were told.
    pub(in crate::commands) events: u64,
    /// The last of them.
    pub(in crate::commands) told: VecDeque<Told>,
    /// The row as the events make it.
    pub(in crate::commands) row: Option<Row>,
    /// The last event that wrote the row, or deleted it.
    pub(in crate::commands) last: Option<Mark>,
    /// The last event that changed each column of the row.
    pub(in crate::commands) columns: Vec<Option<Mark>>,
    /// The last event that made each column what it is in the target.
    pub(in crate::commands) made: Vec<Option<Mark>>,
    /// The last event that made the row as it is in the target, as a whole.
    pub(in crate::commands) made_row: Option<Mark>,
}

impl Book {
    /// Nothing yet, of a row that is `actual` in the target; at most `limit` events are kept.
    pub(in crate::commands) fn new(actual: Option<Row>, limit: usize) -> Self {
        Self {
            actual,
            limit,
            events: 0,
            told: VecDeque::new(),
            row: None,
            last: None,
            columns: Vec::new(),
            made: Vec::new(),
            made_row: None,
        }
    }

    /// Begins anew.
    pub(super) fn begin(&mut self) {
        *self = Self::new(self.actual.take(), self.limit);
    }

    /// Writes down what the next event did.
    pub(super) fn hear(&mut self, told: Told) {
        self.events += 1;
        if told.before != told.after {
            self.note_change(&told);
        }
        if matches!(told.became, Became::Applied) {
            self.last = Some(told.mark.clone());
        }
        self.row.clone_from(&told.after);
        if self.limit > 0 {
            if self.told.len() == self.limit {
                self.told.pop_front();
            }
            self.told.push_back(told);
        }
    }

    fn note_change(&mut self, told: &Told) {
        let Told {
            mark,
            before,
            after,
            ..
        } = told;
        if *after == self.actual {
            self.made_row = Some(mark.clone());
        }
        let Some(after) = after else {
            self.columns.clear();
            return;
        };
        self.columns.resize(after.len(), None);
        self.made.resize(after.len(), None);
        for (column, value) in after.iter().enumerate() {
            if before.as_ref().and_then(|before| before.get(column)) == Some(value) {
                continue;
            }
            self.columns[column] = Some(mark.clone());
            let actual = self.actual.as_ref().and_then(|actual| actual.get(column));
            if actual == Some(value) {
                self.made[column] = Some(mark.clone());
            }
        }
    }
}
