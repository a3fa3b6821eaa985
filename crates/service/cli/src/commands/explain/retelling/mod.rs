//! Tells what the events did to a few rows, one event after the other.
//!
//! The handler of a run applies them, to a store in memory, so that what is told is what a run does.
//! Only events of the entities that are about the rows are applied: one pass over the source finds
//! those, a second one tells.

mod book;
mod entities;
mod one_event;
mod told;

use std::collections::HashMap;

use futures::StreamExt;
use projectionist_apply::{
    ApplyOptions, Concern, DeclaredCodec, DeclaredEvent, DeclaredProjection, EventKeys, plain_table,
};
use projectionist_core::SourceItem;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::row::{OwnedCell, Table, TableName};
use projectionist_language::model::{Projection, Sequence};
use projectionist_source_file::FileEnvelope;

pub(in crate::commands) use self::book::Book;
use self::entities::{Doubts, Entities};
use self::one_event::OneByOne;
pub(in crate::commands) use self::told::{Became, Mark, Told};
use super::past::Past;
use super::values::{Row, stored_row};
use crate::commands::files::place_of;
use crate::exit::Failure;

/// A row: the table that it is in, and its key.
#[derive(Clone, Debug)]
pub(in crate::commands) struct Wanted {
    /// The tenant; empty for the table of the events without one.
    pub(in crate::commands) tenant: String,
    pub(in crate::commands) key: Vec<OwnedCell>,
}

/// Tells the events of a past.
struct Retelling<'a> {
    past: &'a Past,
    codec: DeclaredCodec,
    declared: DeclaredProjection,
    table: Table,
    is_guarded: bool,
    operations: HashMap<Box<str>, &'static str>,
    rows: &'a [Wanted],
}

/// How a pass ended.
enum Passed {
    /// All was told but so many dead letters of the entities, whose rows are not known.
    Told(u64),
    /// What became of an event depends on rows that were left out.
    Uncertain,
}

/// Tells in `books`, one a row, what the events of `past` did to `rows`. Gives how many events of the
/// same entities are dead letters of which not all keys can be told, and so whose rows they are.
pub(in crate::commands) async fn retell(
    past: &Past,
    rows: &[Wanted],
    books: &mut [Book],
) -> Result<u64, Failure> {
    let Some(projection) = past.projection() else {
        return Ok(0);
    };
    let retelling = Retelling::new(past, projection, rows)?;
    let entities = retelling.entities().await?;
    let mut passed = retelling.pass(Some(entities), books).await?;
    if let Passed::Uncertain = passed {
        passed = retelling.pass(None, books).await?;
    }
    Ok(match passed {
        Passed::Told(unplaced) => unplaced,
        Passed::Uncertain => 0,
    })
}

impl<'a> Retelling<'a> {
    fn new(past: &'a Past, projection: &Projection, rows: &'a [Wanted]) -> Result<Self, Failure> {
        let codec = DeclaredCodec::new(&past.program);
        let options = ApplyOptions {
            // Who was one too many in a run has a dead letter.
            max_tenants: usize::MAX,
            ..ApplyOptions::default()
        };
        let mutations = projection.mutations.iter();
        let named = |one: &projectionist_language::model::Mutation| {
            (one.event_type.clone(), one.operation.name())
        };
        Ok(Self {
            declared: DeclaredProjection::new(&past.program, 0, &codec, options)?,
            codec,
            table: plain_table(projection),
            is_guarded: projection.sequence == Sequence::Guarded,
            operations: mutations.map(named).collect(),
            past,
            rows,
        })
    }

    /// The entities of which an event is about one of the rows. Without the guard nothing connects
    /// the events of an entity, and there are none to follow.
    async fn entities(&self) -> Result<Entities, Failure> {
        let mut entities = Entities::default();
        let Some(source) = self.past.reread(self.codec.clone())? else {
            return Ok(entities);
        };
        if !self.is_guarded {
            return Ok(entities);
        }
        let mut keys = self.declared.keys();
        let mut stream = source.open(None, Mode::Current).await?;
        while let Some(item) = stream.next().await {
            if let SourceItem::Envelope(envelope) = item?
                && self.is_of_tenants(envelope.event())
                && keys.read(envelope.event())
                && self.about(&keys, envelope.event()).next().is_some()
            {
                entities.add(envelope.event());
            }
        }
        Ok(entities)
    }

    /// Applies the events of `entities` and those about the rows, or all, and tells them.
    async fn pass(
        &self,
        mut entities: Option<Entities>,
        books: &mut [Book],
    ) -> Result<Passed, Failure> {
        books.iter_mut().for_each(Book::begin);
        let Some(source) = self.past.reread(self.codec.clone())? else {
            return Ok(Passed::Told(0));
        };
        let mut unplaced = 0;
        let mut keys = self.declared.keys();
        let mut one_by_one = OneByOne::new(&self.declared, &self.codec)?;
        let mut doubts = Doubts::default();
        let mut stream = source.open(None, Mode::Current).await?;
        while let Some(item) = stream.next().await {
            let SourceItem::Envelope(envelope) = item? else {
                continue;
            };
            let event = envelope.event();
            if !self.is_of_tenants(event) || !keys.read(event) {
                continue;
            }
            let about: Vec<(usize, Concern)> = self.about(&keys, event).collect();
            let is_followed = entities.as_mut().is_none_or(|known| known.contain(event));
            if about.is_empty() && !is_followed {
                continue;
            }
            unplaced += u64::from(about.is_empty() && keys.defect().is_some());
            if let Some(letter) = self.past.letters.get(&place_of(&envelope.position())) {
                self.tell_kept(&envelope, &about, &Became::Kept(letter.clone()), books);
                continue;
            }
            let is_partial = self.is_guarded && entities.is_some();
            if is_partial && !about.is_empty() && doubts.of(event) {
                return Ok(Passed::Uncertain);
            }
            let became = self
                .apply(&mut one_by_one, &envelope, &about, books)
                .await?;
            if is_partial && !matches!(became, Became::Stale { .. }) {
                let is_sure = !about.is_empty() || !keys.depends_on_row();
                if !is_sure || !matches!(became, Became::Failed(_)) {
                    doubts.applied(event, is_sure);
                }
            }
        }
        Ok(Passed::Told(unplaced))
    }

    fn is_of_tenants(&self, event: &DeclaredEvent) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.tenant == event.tenant_schema())
    }

    /// The rows that an event is about.
    fn about<'k>(
        &'k self,
        keys: &'k EventKeys,
        event: &'k DeclaredEvent,
    ) -> impl Iterator<Item = (usize, Concern)> + 'k {
        let rows = self.rows.iter().enumerate();
        let rows = rows.filter(|(_, row)| row.tenant == event.tenant_schema());
        rows.map(|(index, row)| (index, keys.concern(&row.key)))
            .filter(|(_, concern)| *concern != Concern::None)
    }

    /// Applies an event and tells what it did to the rows that it is about.
    async fn apply(
        &self,
        one_by_one: &mut OneByOne,
        envelope: &FileEnvelope<DeclaredEvent>,
        about: &[(usize, Concern)],
        books: &mut [Book],
    ) -> Result<Became, Failure> {
        let became = one_by_one.apply(envelope).await?;
        for (index, concern) in about {
            let (Some(row), Some(book)) = (self.rows.get(*index), books.get_mut(*index)) else {
                continue;
            };
            let after = self.row(one_by_one, row).await;
            // Whether the row was in the scope of a replacement is seen by what it did.
            if *concern == Concern::Row || book.row != after {
                book.hear(self.told(envelope, became.clone(), book.row.clone(), after));
            }
        }
        Ok(became)
    }

    /// Tells an event that a run did not apply.
    fn tell_kept(
        &self,
        envelope: &FileEnvelope<DeclaredEvent>,
        about: &[(usize, Concern)],
        became: &Became,
        books: &mut [Book],
    ) {
        for (index, concern) in about {
            if let Some(book) = books.get_mut(*index)
                && *concern == Concern::Row
            {
                let row = book.row.clone();
                book.hear(self.told(envelope, became.clone(), row.clone(), row));
            }
        }
    }

    /// The row as the events have made it so far.
    async fn row(&self, one_by_one: &OneByOne, row: &Wanted) -> Option<Row> {
        let table = TableName {
            tenant: (!row.tenant.is_empty()).then(|| row.tenant.as_str().into()),
            name: self.table.name.name.clone(),
        };
        let cells = one_by_one.store().row(&table, &row.key).await?;
        Some(stored_row(&cells))
    }

    fn told(
        &self,
        envelope: &FileEnvelope<DeclaredEvent>,
        became: Became,
        before: Option<Row>,
        after: Option<Row>,
    ) -> Told {
        let event = envelope.event();
        let operation = self.operations.get(event.event_type()).copied();
        Told {
            mark: Mark {
                at: envelope.position(),
                event_type: event.event_type().to_owned(),
                sequence: event.sequence_number(),
            },
            entity: event.entity_id().to_owned(),
            fork: event.fork_id().to_owned(),
            ts: event.ts(),
            operation: operation.unwrap_or_default(),
            became,
            before,
            after,
        }
    }
}
