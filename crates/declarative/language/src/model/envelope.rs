//! How a record is read as an event.

use super::Step;

/// How a record is read as an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Envelope {
    /// The seven names of the envelope beside `payload`.
    #[default]
    Causet,
    /// CloudEvents 1.0 in the JSON format: `type`, `subject` (else `source`), the integer extension
    /// `sequence`, `time`, `data`.
    CloudEvents,
    /// A change of a row as Debezium writes it, with or without its schema.
    Debezium {
        /// The columns whose values, in this order, are the entity. Never empty.
        key: Vec<Box<str>>,
    },
    /// Places that the file names.
    Places(EnvelopePlaces),
}

/// Where the parts of an event stand in a record. What has no place is missing in every event; a
/// payload without one is the whole record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvelopePlaces {
    /// The event type: a text.
    pub event_type: Vec<Step>,
    /// The entity: a text or a number.
    pub entity: Vec<Step>,
    /// The number of the event within its entity.
    pub sequence: Option<Vec<Step>>,
    /// The moment: Unix milliseconds or RFC 3339.
    pub ts: Option<Vec<Step>>,
    /// The tenant.
    pub tenant: Option<Vec<Step>>,
    /// The fork.
    pub fork: Option<Vec<Step>>,
    /// The payload.
    pub payload: Option<Vec<Step>>,
}
