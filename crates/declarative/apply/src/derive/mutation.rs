//! Mutations in the form in which they are run.

use std::fmt;
use std::sync::Arc;

use projectionist_core::row::{Column, RowBatch};
use serde::de::{Deserializer, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::reader::Found;
use super::{ChangePlan, Condition, DeriveScratch, Reader, RowPlan, Source};
use crate::decode::Trie;
use crate::fault::Fault;
use crate::gaps::GapWarnings;
use crate::span::Span;

/// A projection in the form in which it is run.
#[derive(Debug)]
pub(crate) struct CompiledProjection {
    pub(crate) columns: Arc<[Column]>,
    /// Who warns of gaps, where that is asked for.
    pub(crate) gaps: Option<GapWarnings>,
    pub(crate) mutations: Vec<CompiledMutation>,
    /// The mutation of each type of the event plan.
    pub(crate) by_type: Vec<Option<u32>>,
    /// The sets of key columns by which rows are replaced; see [`Scope::Key`].
    pub(crate) key_scopes: Vec<Arc<[usize]>>,
}

/// What one event type does.
#[derive(Debug)]
pub(crate) struct CompiledMutation {
    /// Whether an event is applied; always when `None`.
    pub(crate) when: Option<Condition>,
    /// Whether it looks at the payload.
    pub(crate) reads_payload: bool,
    pub(crate) operation: CompiledOperation,
}

/// What is done to the table.
#[derive(Debug)]
pub(crate) enum CompiledOperation {
    Upsert(RowPlan),
    Insert(RowPlan),
    Delete(RowPlan),
    Replace(ReplacePlan),
    /// A patch or an increment.
    Change(ChangePlan),
    Ignore,
}

/// Which columns say what is replaced.
#[derive(Clone, Debug)]
pub(crate) enum Scope {
    /// Columns of the key only: whether a key lies in the scope is known without its row. An index
    /// into the projection's `key_scopes`.
    Key(usize),
    /// At least one column that is not part of the key: any row may lie in the scope.
    Wide(Arc<[usize]>),
}

/// Deletes the rows of a scope, then writes new ones.
#[derive(Debug)]
pub(crate) struct ReplacePlan {
    pub(crate) scope: Scope,
    pub(crate) filter: RowPlan,
    pub(crate) each: Option<EachPlan>,
    pub(crate) values: RowPlan,
}

/// An array with an element a row.
#[derive(Debug)]
pub(crate) struct EachPlan {
    pub(crate) array: Source,
    pub(crate) items: Trie,
}

impl ReplacePlan {
    /// Adds the new rows to the arena and to `scratch.rows`.
    pub(crate) fn derive_rows(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<(), Fault> {
        scratch.rows.clear();
        let Some(each) = &self.each else {
            let row = self.values.derive(arena, columns, reader, scratch)?;
            scratch.rows.push(row);
            return Ok(());
        };
        each.find_elements(reader, &mut scratch.elements)?;
        for index in 0..scratch.elements.len() {
            let element = scratch.elements[index];
            let mut item = std::mem::take(&mut scratch.item);
            let row = each
                .read_item(element, reader.record(), &mut item)
                .and_then(|()| {
                    let reader = reader.with_item(&item);
                    self.values.derive(arena, columns, reader, scratch)
                });
            scratch.item = item;
            scratch
                .rows
                .push(row.map_err(|fault| at_element(fault, index))?);
        }
        Ok(())
    }
}

impl ReplacePlan {
    /// Adds the keys of the new rows to the arena and to `scratch.rows`. Gives the first fault, when
    /// all keys without one are there.
    pub(crate) fn derive_keys(
        &self,
        arena: &mut RowBatch,
        columns: &[Column],
        reader: Reader<'_>,
        scratch: &mut DeriveScratch,
    ) -> Result<(), Fault> {
        scratch.rows.clear();
        let Some(each) = &self.each else {
            let row = self.values.derive_key(arena, columns, reader, scratch)?;
            scratch.rows.push(row);
            return Ok(());
        };
        each.find_elements(reader, &mut scratch.elements)?;
        let mut all = Ok(());
        for index in 0..scratch.elements.len() {
            let element = scratch.elements[index];
            let mut item = std::mem::take(&mut scratch.item);
            let row = each
                .read_item(element, reader.record(), &mut item)
                .and_then(|()| {
                    let reader = reader.with_item(&item);
                    self.values.derive_key(arena, columns, reader, scratch)
                });
            scratch.item = item;
            match row {
                Ok(row) => scratch.rows.push(row),
                Err(fault) => all = all.and(Err(at_element(fault, index))),
            }
        }
        all
    }
}

impl EachPlan {
    /// The elements of the array; none when there is no array.
    fn find_elements(&self, reader: Reader<'_>, elements: &mut Vec<Span>) -> Result<(), Fault> {
        elements.clear();
        let array = match reader.find(self.array) {
            Found::Missing | Found::Raw("null") => return Ok(()),
            Found::Raw(array) if array.starts_with('[') => array,
            other => {
                let defect = Fault::data("each needs an array, and this is none");
                return Err(defect.at("each").with_value(other.shown()).into());
            }
        };
        let record = reader.record();
        let mut json = serde_json::Deserializer::from_str(array);
        let read = json.deserialize_seq(Elements { record, elements });
        // The array is a part of a record that was parsed before.
        read.map_err(|error| Fault::data(error.to_string()).at("each").into())
    }

    fn read_item(&self, element: Span, record: &str, item: &mut Vec<Span>) -> Result<(), Fault> {
        item.clear();
        item.resize(self.items.end(), Span::MISSING);
        let value = element.within(record).unwrap_or_default();
        self.items.read(value, record, item).map_err(|error| {
            let defect = Fault::data(error.to_string());
            defect.at("each").with_value(value).into()
        })
    }
}

fn at_element(fault: Fault, index: usize) -> Fault {
    match fault {
        Fault::Event(mut defect) => {
            defect.error = format!("element {index} of each: {}", defect.error);
            Fault::Event(defect)
        }
        Fault::Full => Fault::Full,
    }
}

struct Elements<'a> {
    record: &'a str,
    elements: &'a mut Vec<Span>,
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        while let Some(element) = array.next_element::<&RawValue>()? {
            self.elements.push(Span::of(element.get(), self.record));
        }
        Ok(())
    }
}
