//! What a program wants to know of every event.

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use projectionist_language::model::{
    ColumnValue, Envelope, Expression, Mutation, Operation, Path, Program, Step,
};

use super::Trie;
use super::debezium::Debezium;
use super::places::Places;
use crate::event::METADATA_SPANS;

/// What a program wants to know of every event: its types, and the places of the payload that any
/// projection reads.
#[derive(Debug)]
pub(crate) struct EventPlan {
    types: HashMap<Box<str>, u32, RandomState>,
    payload: Trie,
    form: Form,
}

/// How a record is read.
#[derive(Debug)]
pub(super) enum Form {
    Causet,
    Places(Places),
    Debezium(Debezium),
}

impl EventPlan {
    pub(crate) fn new(program: &Program) -> Self {
        let mut plan = Self {
            types: HashMap::default(),
            payload: Trie::new(METADATA_SPANS),
            form: Form::Causet,
        };
        for projection in &program.projections {
            for mutation in &projection.mutations {
                plan.add_type(&mutation.event_type);
                paths_of(mutation, &mut |path| plan.add_place(path));
            }
        }
        plan.form = match &program.envelope {
            Envelope::Causet => Form::Causet,
            Envelope::CloudEvents => Form::Places(Places::cloud_events()),
            Envelope::Places(places) => Form::Places(Places::new(places)),
            Envelope::Debezium { key } => Form::Debezium(Debezium::new(key, &mut plan.payload)),
        };
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

    /// Whether some projection reads the changes of a table.
    pub(super) fn reads_table(&self, table: &str) -> bool {
        let mut types = self.types.keys();
        types.any(|known| known.rsplit_once('.').is_some_and(|(of, _)| of == table))
    }

    pub(super) fn payload(&self) -> &Trie {
        &self.payload
    }

    pub(super) fn form(&self) -> &Form {
        &self.form
    }
}

/// Whether the mutation looks at the payload.
pub(crate) fn reads_payload(mutation: &Mutation) -> bool {
    let mut reads = false;
    paths_of(mutation, &mut |path| {
        reads |= matches!(path, Path::Payload(_))
    });
    reads
}

/// Every path of a mutation.
fn paths_of(mutation: &Mutation, visit: &mut impl FnMut(&Path)) {
    let values: [&[ColumnValue]; 3] = match &mutation.operation {
        Operation::Upsert { values } | Operation::Insert { values } => [values, &[], &[]],
        Operation::Delete { key } => [key, &[], &[]],
        Operation::Replace {
            filter,
            each,
            values,
        } => {
            if let Some(path) = each {
                visit(path);
            }
            [filter, values, &[]]
        }
        Operation::Increment { key, by, set, .. } => [key, by, set],
        Operation::Patch {
            key, set, present, ..
        } => [key, set, present],
        Operation::Ignore => [&[], &[], &[]],
    };
    let values = values.into_iter().flatten();
    let expressions = values.map(|value| &value.expression);
    for expression in expressions.chain(&mutation.when) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Path(path) => visit(path),
            Expression::Cel(cel) => cel.reads.iter().for_each(&mut *visit),
        }
    }
}
