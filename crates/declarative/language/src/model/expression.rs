//! Where a value comes from.

use std::sync::Arc;

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
    /// Computed from the event.
    Cel(CelExpression),
}

/// A CEL expression. Its text was parsed and checked: it names only `event`, `item` and functions
/// that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CelExpression {
    /// Its text, as it stands in the file.
    pub text: Arc<str>,
    /// Every place that an evaluation may look at, also within `has()`. A place that is known only
    /// when it runs, such as `event.prices[event.currency]`, stands here with all that lies above:
    /// `event.prices`.
    pub reads: Vec<Path>,
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
