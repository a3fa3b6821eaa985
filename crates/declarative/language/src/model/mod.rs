//! Declared projections after every check: what `apply` runs and what a store is asked to hold.
//!
//! Nothing in here can be wrong any more: names resolve, types fit, keys are complete. Faults are
//! found on the way from the file to this model, with the place they stand at.

mod envelope;
mod expression;
mod operation;
mod rules;
mod shown;

use std::sync::Arc;

use projectionist_core::row::Column;

pub use envelope::{Envelope, EnvelopePlaces};
pub use expression::{CelExpression, ColumnValue, Expression, Literal, Metadata, Path, Step};
pub use operation::{Mutation, OnMissing, Operation};
pub use rules::{ColumnRules, NulRule, OnGap, Retries, Start, Zone};

/// The declared projections of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// How a record is read as an event.
    pub envelope: Envelope,
    /// The projections, in the order of the file.
    pub projections: Vec<Projection>,
}

/// One declared projection.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Its name.
    pub name: Box<str>,
    /// The declared name of its table.
    pub table: Arc<str>,
    /// The columns of the table, in declared order.
    pub columns: Arc<[Column]>,
    /// How values become cells of each column, in the order of `columns`.
    pub rules: Arc<[ColumnRules]>,
    /// The columns of the primary key, as indexes into `columns`, in the order of the key.
    pub key: Arc<[usize]>,
    /// The indexes beside the key, each the columns of one as indexes into `columns`.
    pub indexes: Vec<Arc<[usize]>>,
    /// Where it starts when it has not run before.
    pub start: Start,
    /// What is done about a number that is missing between two of one entity.
    pub on_gap: OnGap,
    /// How often an event that fails is tried again.
    pub retries: Retries,
    /// Whether events at or below the last applied sequence number of their entity are skipped.
    pub sequence: Sequence,
    /// What each of its event types does. One mutation an event type.
    pub mutations: Vec<Mutation>,
}

/// How a projection tells late and repeated events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sequence {
    /// By `sequenceNumber`, which must increase within an entity.
    #[default]
    Guarded,
    /// Not at all.
    None,
}
