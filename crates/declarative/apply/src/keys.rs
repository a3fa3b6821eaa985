//! Which rows an event is about, without applying it.
//!
//! Keys are derived as in a run and from the event alone, so that whoever asks about one row can
//! pass over the events of all others.

use std::sync::Arc;

use projectionist_core::Defect;
use projectionist_core::row::{OwnedCell, RowBatch, RowRef};
use projectionist_language::model::{OnMissing, Projection};

use crate::derive::{
    ChangePlan, CompiledMutation, CompiledOperation, CompiledProjection, DeriveScratch, Reader,
    Scope,
};
use crate::event::DeclaredEvent;
use crate::fault::Fault;

/// Whether an event is about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concern {
    /// It is about others.
    None,
    /// Only what the row holds tells: the event replaces the rows of a scope, of which not all
    /// columns belong to the key.
    Scope,
    /// It writes the row, or deletes it.
    Row,
}

/// Derives the keys of the rows that an event is about.
///
/// The condition of an event, its number and what is in the table are not looked at: an event that
/// is filtered or stale is about the rows that it would have changed.
#[derive(Debug)]
pub struct EventKeys {
    projection: Arc<CompiledProjection>,
    key: Arc<[usize]>,
    arena: RowBatch,
    scratch: DeriveScratch,
    mutation: Option<usize>,
    rows: Vec<RowRef>,
    scope: Option<(Arc<[usize]>, RowRef)>,
    defect: Option<Defect>,
}

impl EventKeys {
    pub(crate) fn new(declared: &Projection, projection: Arc<CompiledProjection>) -> Self {
        Self {
            arena: RowBatch::new(projection.columns.len()),
            key: Arc::clone(&declared.key),
            projection,
            scratch: DeriveScratch::default(),
            mutation: None,
            rows: Vec::new(),
            scope: None,
            defect: None,
        }
    }

    /// Reads an event, which was decoded for the same program, in place of the one before. `false`
    /// when the projection does not name its type.
    pub fn read(&mut self, event: &DeclaredEvent) -> bool {
        self.arena.clear();
        self.rows.clear();
        (self.scope, self.defect) = (None, None);
        let by_type = &self.projection.by_type;
        let mutation = event
            .event_type
            .and_then(|index| by_type.get(index as usize));
        self.mutation = mutation.copied().flatten().map(|index| index as usize);
        if self.mutation.is_some()
            && let Err(fault) = self.derive(event)
        {
            self.defect = Some(defect_of(fault));
        }
        self.mutation.is_some()
    }

    /// Whether the event is about the row whose key, in the order of the declared one, is `key`.
    #[must_use]
    pub fn concern(&self, key: &[OwnedCell]) -> Concern {
        let is_equal = |row: RowRef, column: usize, cell: &OwnedCell| {
            self.arena.cell(row, column) == cell.as_cell()
        };
        let mut rows = self.rows.iter();
        let writes = rows.any(|row| {
            let mut cells = self.key.iter().zip(key);
            cells.all(|(column, cell)| is_equal(*row, *column, cell))
        });
        if writes {
            return Concern::Row;
        }
        let Some((columns, row)) = &self.scope else {
            return Concern::None;
        };
        let mut is_wide = false;
        for column in columns.iter() {
            match self.key.iter().position(|of_key| of_key == column) {
                Some(at)
                    if key
                        .get(at)
                        .is_some_and(|cell| is_equal(*row, *column, cell)) => {}
                Some(_) => return Concern::None,
                None => is_wide = true,
            }
        }
        if is_wide {
            Concern::Scope
        } else {
            Concern::Row
        }
    }

    /// Why not all keys of the event can be told; such an event is a dead letter.
    #[must_use]
    pub fn defect(&self) -> Option<&Defect> {
        self.defect.as_ref()
    }

    /// Whether it depends on the row if the event can be applied: a sum may leave its column, or a
    /// row that is missing may not be made.
    #[must_use]
    pub fn depends_on_row(&self) -> bool {
        match self.declared().map(|mutation| &mutation.operation) {
            Some(CompiledOperation::Change(plan)) => may_fail(plan),
            _ => false,
        }
    }

    fn declared(&self) -> Option<&CompiledMutation> {
        self.projection.mutations.get(self.mutation?)
    }

    fn derive(&mut self, event: &DeclaredEvent) -> Result<(), Fault> {
        let projection = Arc::clone(&self.projection);
        let mutation = self.mutation.and_then(|at| projection.mutations.get(at));
        let Some(mutation) = mutation else {
            return Ok(());
        };
        let Self {
            arena,
            scratch,
            rows,
            ..
        } = self;
        let columns = &projection.columns;
        let reader = Reader::new(event);
        let plan = match &mutation.operation {
            CompiledOperation::Upsert(plan)
            | CompiledOperation::Insert(plan)
            | CompiledOperation::Delete(plan) => plan,
            CompiledOperation::Change(change) => &change.operands,
            CompiledOperation::Ignore => return Ok(()),
            CompiledOperation::Replace(replace) => {
                let scope = replace.filter.derive(arena, columns, reader, scratch);
                let derived = replace.derive_keys(arena, columns, reader, scratch);
                rows.append(&mut scratch.rows);
                let columns = match &replace.scope {
                    Scope::Key(index) => projection.key_scopes.get(*index),
                    Scope::Wide(columns) => Some(columns),
                };
                self.scope = columns.cloned().zip(scope.as_ref().ok().copied());
                return scope.map(drop).and(derived);
            }
        };
        rows.push(plan.derive_key(arena, columns, reader, scratch)?);
        Ok(())
    }
}

fn may_fail(plan: &ChangePlan) -> bool {
    plan.on_missing == OnMissing::Error || plan.sum_can_fail || !plan.required.is_empty()
}

fn defect_of(fault: Fault) -> Defect {
    match fault {
        Fault::Event(defect) => *defect,
        Fault::Full => Fault::data("the rows of the event have too many bytes"),
    }
}
