//! What becomes of the events of one group, before anything is written.

use std::sync::Arc;

use projectionist_core::contract::GroupReport;
use projectionist_core::{Defect, Error, ErrorClass, Result};
use projectionist_language::model::{Projection, Sequence};

use crate::derive::{CompiledOperation, CompiledProjection, DeriveScratch, Reader};
use crate::event::DeclaredEvent;
use crate::fault::Fault;
use crate::fold::{Folds, Ledger, Volume};
use crate::gaps::GroupGaps;
use crate::guard::{EntityKey, GroupGuard};
use crate::options::ApplyOptions;
use crate::tenants::{Tenants, plain_table};

/// Judges, derives and folds the events of one group after the other.
#[derive(Debug)]
pub(crate) struct Group {
    projection: Arc<CompiledProjection>,
    pub(crate) guard: Option<GroupGuard>,
    tenants: Tenants,
    pub(crate) folds: Folds,
    pub(crate) ledger: Ledger,
    /// What the rows of all folds take.
    volume: Volume,
    /// The gaps of the group, where warnings are asked for.
    gaps: GroupGaps,
    steps: Vec<Step>,
    scratch: DeriveScratch,
}

const BINARY: &str = "the event has its data as bytes, in data_base64, and this projection reads paths of \
                      JSON data; write the data as JSON, or take the paths out of the mutation";

/// What is known of an event before the store was asked.
#[derive(Clone, Copy, Debug)]
struct Step {
    mutation: Option<u32>,
    /// The entity within the guard; `None` when the guard does not judge the event.
    entity: Option<u32>,
}

/// What became of an event that is no dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Unmatched,
    Stale,
    Filtered,
    /// Applied or ignored: the ledger knows.
    Folded,
}

impl Group {
    pub(crate) fn new(
        declared: &Projection,
        projection: Arc<CompiledProjection>,
        options: ApplyOptions,
    ) -> Self {
        let guard = match declared.sequence {
            Sequence::Guarded => Some(GroupGuard::new(&declared.name, options.guard_cache_entries)),
            Sequence::None => None,
        };
        Self {
            guard,
            tenants: Tenants::new(plain_table(declared), options.max_tenants),
            folds: Folds::new(projection.key_scopes.clone()),
            projection,
            ledger: Ledger::default(),
            volume: Volume::default(),
            gaps: GroupGaps::default(),
            steps: Vec::new(),
            scratch: DeriveScratch::default(),
        }
    }

    /// Forgets what the last group left, because it was rolled back.
    pub(crate) fn rewind(&mut self) {
        self.tenants.rewind();
        if let Some(guard) = &mut self.guard {
            guard.forget();
        }
    }

    /// Begins a group: matches every event, and gathers the entities that the guard must know.
    pub(crate) fn open<E: AsRef<DeclaredEvent>>(&mut self, events: &[E]) -> Result<()> {
        self.folds.open();
        self.tenants.open();
        self.ledger.open(events.len());
        self.volume = Volume::default();
        self.steps.clear();
        self.gaps.clear();
        if let Some(guard) = &mut self.guard {
            guard.open();
        }
        for event in events {
            let event = event.as_ref();
            let by_type = &self.projection.by_type;
            let mutation = event
                .event_type
                .and_then(|index| by_type.get(index as usize));
            let mutation = mutation.copied().flatten();
            let entity = match &mut self.guard {
                Some(guard) if mutation.is_some() && event.sequence.is_some() => {
                    let key = EntityKey {
                        tenant: event.tenant_schema(),
                        fork: event.fork_id(),
                        entity: event.entity_id(),
                    };
                    Some(guard.enter(key).ok_or_else(|| Error::Row {
                        table: self.tenants.table(0).name.to_string(),
                        reason: "the entities of one group have too many bytes; handle fewer events in a group".to_owned(),
                    })?)
                }
                _ => None,
            };
            self.steps.push(Step { mutation, entity });
        }
        Ok(())
    }

    /// Folds the events in their order and reports what was not applied.
    pub(crate) fn fold<E: AsRef<DeclaredEvent>>(
        &mut self,
        events: &[E],
        report: &mut GroupReport,
    ) -> Result<()> {
        let (mut unmatched, mut stale, mut filtered) = (0, 0, 0);
        for (index, event) in events.iter().enumerate() {
            match self.fold_event(index, event.as_ref()) {
                Ok(Outcome::Unmatched) => unmatched += 1,
                Ok(Outcome::Stale) => stale += 1,
                Ok(Outcome::Filtered) => filtered += 1,
                Ok(Outcome::Folded) => {}
                Err(Fault::Event(defect)) => report.dead_letter(index, *defect),
                Err(Fault::Full) => {
                    let table = self.tenants.table(0);
                    return Err(self.volume.refuse(table, events.len()));
                }
            }
        }
        report.unmatched(unmatched);
        report.stale(stale);
        report.filtered(filtered);
        Ok(())
    }

    fn fold_event(&mut self, index: usize, event: &DeclaredEvent) -> Result<Outcome, Fault> {
        let step = self.steps[index];
        let Some(mutation) = step.mutation else {
            return Ok(Outcome::Unmatched);
        };
        let tenant = event.tenant_schema();
        let known_table = self.tenants.find(tenant);
        if known_table.is_none() {
            self.tenants.check_new(tenant)?;
        }
        let number = match &self.guard {
            None => None,
            Some(guard) => {
                let numbered = event.sequence.zip(step.entity);
                let (sequence, entity) = numbered.ok_or_else(no_sequence)?;
                if guard.is_stale(entity, sequence) {
                    return Ok(Outcome::Stale);
                }
                Some((sequence, entity))
            }
        };
        let declared = &self.projection.mutations[mutation as usize];
        if event.is_binary && declared.reads_payload {
            return Err(Fault::data(BINARY).into());
        }
        let applies = match &declared.when {
            Some(when) => when.holds(Reader::new(event), &mut self.scratch.text)?,
            None => true,
        };
        let outcome = if !applies {
            Outcome::Filtered
        } else if matches!(declared.operation, CompiledOperation::Ignore) {
            self.ledger.ignore(number_of(index)?);
            Outcome::Folded
        } else {
            self.fold_into(known_table, mutation, index, event)?;
            Outcome::Folded
        };
        if let (Some(guard), Some((sequence, entity))) = (&mut self.guard, number) {
            if self.projection.gaps.is_some() {
                let last = guard.last(entity);
                self.gaps.note(event.entity_id(), last, sequence);
            }
            guard.advance(entity, sequence);
        }
        Ok(outcome)
    }

    /// Folds the event into the table of its tenant, which is made when it is not known yet.
    fn fold_into(
        &mut self,
        known_table: Option<usize>,
        mutation: u32,
        index: usize,
        event: &DeclaredEvent,
    ) -> Result<(), Fault> {
        let table = known_table.unwrap_or_else(|| self.tenants.add(event.tenant_schema()));
        let before = self.volume_of(table);
        let mutated = self.mutate(mutation, table, index, event);
        let after = self.volume_of(table);
        self.volume.add_growth(before, after);
        if !self.volume.fits() {
            return Err(Fault::Full);
        }
        if mutated.is_err() && known_table.is_none() {
            // A dead letter brings no tenant, so that it does not depend on the cut of the groups
            // which tenants there are.
            self.folds.take_back(table);
            self.tenants.take_back();
        }
        mutated
    }

    /// What the rows of one table take.
    fn volume_of(&mut self, table: usize) -> Volume {
        let fold = self.folds.fold_of(table, self.tenants.table(table));
        Volume::of(fold.arena())
    }

    /// Derives all that the event does, and only then folds it.
    fn mutate(
        &mut self,
        mutation: u32,
        table: usize,
        index: usize,
        event: &DeclaredEvent,
    ) -> Result<(), Fault> {
        let Self {
            projection,
            folds,
            ledger,
            scratch,
            tenants,
            ..
        } = self;
        let columns = &projection.columns;
        let fold = folds.fold_of(table, tenants.table(table));
        let reader = Reader::new(event);
        let number = number_of(index)?;
        match &projection.mutations[mutation as usize].operation {
            CompiledOperation::Upsert(values) => {
                let row = values.derive(fold.arena(), columns, reader, scratch)?;
                fold.upsert(row, number, ledger);
            }
            CompiledOperation::Insert(values) => {
                let row = values.derive(fold.arena(), columns, reader, scratch)?;
                fold.insert(row, number, ledger);
            }
            CompiledOperation::Delete(key) => {
                let row = key.derive(fold.arena(), columns, reader, scratch)?;
                fold.delete(row, number, ledger);
            }
            CompiledOperation::Replace(replace) => {
                let scope = replace
                    .filter
                    .derive(fold.arena(), columns, reader, scratch)?;
                replace.derive_rows(fold.arena(), columns, reader, scratch)?;
                fold.delete_scope(&replace.scope, scope, number, ledger);
                for row in scratch.rows.drain(..) {
                    fold.upsert(row, number, ledger);
                }
            }
            CompiledOperation::Change(plan) => {
                let change = plan.derive(fold.arena(), columns, reader, scratch)?;
                fold.change(change, number, ledger)?;
            }
            CompiledOperation::Ignore => ledger.ignore(number),
        }
        Ok(())
    }

    /// Warns of the gaps of a group that was handled.
    pub(crate) fn tell_gaps(&self) {
        if let Some(warnings) = &self.projection.gaps {
            warnings.tell(&self.gaps);
        }
    }
}

/// What is wrong with an event that the guard cannot judge.
fn no_sequence() -> Defect {
    let error = "the event has no sequenceNumber, by which its projection tells repeated events; \
                 add it to the events, or declare `sequence: none`, which applies repeated events \
                 again";
    Defect::new(ErrorClass::Data, error).at("sequenceNumber")
}

/// The number of an event within its group, as the fold keeps it.
fn number_of(index: usize) -> Result<u32, Fault> {
    u32::try_from(index).map_err(|_| Fault::Full)
}
