//! Declared projections after every check: what `apply` runs and what a store is asked to hold.
//!
//! Nothing in here can be wrong any more: names resolve, types fit, keys are complete. Faults are
//! found on the way from the file to this model, with the place they stand at.

use std::sync::Arc;

use projectionist_core::row::Column;

/// The declared projections of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
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
    /// The columns of the primary key, as indexes into `columns`, in the order of the key.
    pub key: Arc<[usize]>,
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

/// What one event type does.
#[derive(Clone, Debug, PartialEq)]
pub struct Mutation {
    /// The event type.
    pub event_type: Box<str>,
    /// What it does.
    pub operation: Operation,
}

/// What is done to the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Writes the whole row. Columns without a value become null or their default.
    Upsert {
        /// The values; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Writes the whole row unless the key is there already.
    Insert {
        /// The values; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Deletes the row of the key.
    Delete {
        /// The values of the key columns, nothing else.
        key: Vec<ColumnValue>,
    },
    /// Deletes the rows of a scope, then writes new ones.
    Replace {
        /// What the rows to delete have in these columns. Never empty.
        filter: Vec<ColumnValue>,
        /// The array with an element a new row; one row from the event itself when `None`.
        each: Option<Path>,
        /// The values of a new row; the key is complete.
        values: Vec<ColumnValue>,
    },
    /// Adds to columns of one row, which is created from the defaults when it is missing.
    Increment {
        /// The values of the key columns.
        key: Vec<ColumnValue>,
        /// What to add. Columns of numbers, none of the key. Never empty.
        by: Vec<ColumnValue>,
        /// Further columns to write, none of the key and none of `by`.
        set: Vec<ColumnValue>,
    },
}

/// A column and where its value comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnValue {
    /// Index into the columns of the projection.
    pub column: usize,
    /// Where its value comes from.
    pub expression: Expression,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// From the file.
    Literal(Literal),
    /// From the event.
    Path(Path),
}

/// A value that stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// No value.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number, exactly as it stands in the file; a valid JSON number.
    Number(Box<str>),
    /// A text.
    Text(Box<str>),
}

/// A place in the event. What is missing there is null.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Path {
    /// A name of the envelope. The seven names always mean the envelope, so that a payload cannot
    /// pass for it; `event.payload.ts` is the payload's.
    Metadata(Metadata),
    /// A place in the payload; the whole payload when there are no steps.
    Payload(Vec<Step>),
    /// A place in the element of `each`; the element itself when there are no steps.
    Item(Vec<Step>),
}

/// A name of the envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Metadata {
    /// `eventType`: a text, never blank.
    EventType,
    /// `entityId`: a text, never blank.
    EntityId,
    /// `forkId`: a text.
    ForkId,
    /// `tenantSchema`: a text.
    TenantSchema,
    /// `irVersion`: a text.
    IrVersion,
    /// `sequenceNumber`: an integer.
    SequenceNumber,
    /// `ts`: Unix milliseconds.
    Ts,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The value of a key of an object.
    Key(Box<str>),
    /// An element of an array, the first is 0.
    Index(usize),
}
