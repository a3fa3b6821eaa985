//! What a program wants to know of every event.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use projectionist_language::model::{ColumnValue, Expression, Operation, Path, Program, Step};

use super::Trie;
use crate::event::METADATA_SPANS;

/// What a program wants to know of every event: its types, and the places of the payload that any
/// projection reads.
#[derive(Debug)]
pub(crate) struct EventPlan {
    types: HashMap<Box<str>, u32, RandomState>,
    payload: Trie,
}

impl EventPlan {
    pub(crate) fn new(program: &Program) -> Self {
        let mut plan = Self {
            types: HashMap::default(),
            payload: Trie::new(METADATA_SPANS),
        };
        for projection in &program.projections {
            for mutation in &projection.mutations {
                plan.add_type(&mutation.event_type);
                plan.add_places(&mutation.operation);
            }
        }
        plan
    }

    fn add_type(&mut self, event_type: &str) {
        if self.types.contains_key(event_type) {
            return;
        }
        if let Ok(next) = u32::try_from(self.types.len()) {
            self.types.insert(event_type.into(), next);
        }
    }

    fn add_places(&mut self, operation: &Operation) {
        let values: [&[ColumnValue]; 3] = match operation {
            Operation::Upsert { values } | Operation::Insert { values } => [values, &[], &[]],
            Operation::Delete { key } => [key, &[], &[]],
            Operation::Replace {
                filter,
                each,
                values,
            } => {
                if let Some(path) = each {
                    self.add_place(path);
                }
                [filter, values, &[]]
            }
            Operation::Increment { key, by, set } => [key, by, set],
        };
        for value in values.into_iter().flatten() {
            if let Expression::Path(path) = &value.expression {
                self.add_place(path);
            }
        }
    }

    fn add_place(&mut self, path: &Path) {
        if let Path::Payload(steps) = path {
            self.payload.want(steps);
        }
    }

    /// How many types the program names.
    pub(crate) fn type_count(&self) -> usize {
        self.types.len()
    }

    /// The index of a type that the program names.
    pub(crate) fn type_index(&self, event_type: &str) -> Option<u32> {
        self.types.get(event_type).copied()
    }

    /// The slot of a place of the payload; `None` for a place of another program.
    pub(crate) fn slot(&self, steps: &[Step]) -> Option<usize> {
        self.payload.slot(steps)
    }

    pub(super) fn payload(&self) -> &Trie {
        &self.payload
    }
}
