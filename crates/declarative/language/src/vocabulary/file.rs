//! The keys at the top of a file, and those that stand there for all of its projections.

use super::limits::{MAX_PROJECTIONS, MAX_RETRIES};
use super::{Key, Level, PROJECTION, Refused, Shape, Word};

/// The top of a file.
pub(crate) static FILE: Level = Level {
    name: "file",
    home: "at the top of the file",
    doc: "Declared projections: which tables there are, and what each event does to them.",
    keys: &[
        Key::required(
            "projections",
            Shape::Named {
                level: &PROJECTION,
                most: MAX_PROJECTIONS,
            },
            "Names, and under each name a projection.",
        ),
        Key::optional(
            "envelope",
            Shape::Envelope,
            "How a record is read as an event.",
        )
        .or("causet"),
        IR,
        START,
        ON_GAP,
        DATA_RETRIES,
        MAX_RETRIES_KEY,
        CHECKPOINT,
    ],
    refused: &[MAX_TENANTS, ON_MISSING_RELATION, MAX_PARKED],
};

const IR: Key = Key::optional(
    "ir",
    Shape::Words {
        words: &[
            Word::new("active", "The declarations of this file hold for every event."),
            Word::refused(
                "event",
                "`ir: event` takes for each event the declarations of its `irVersion`, and a run has \
                 those of one file",
            ),
        ],
        otherwise: "leave `ir` out: the declarations of this file hold for every event",
    },
    "Which declarations hold for an event.",
)
.or("active");

pub(super) const START: Key = Key::optional(
    "start",
    Shape::Words {
        words: &[
            Word::new("earliest", "With the first event of the source."),
            Word::new("latest", "Behind the last event that the source has then."),
        ],
        otherwise: "a projection begins with the first event of the source, or behind its last one",
    },
    "Where a projection begins that has not run before.",
)
.or("earliest");

pub(super) const ON_GAP: Key = Key::optional(
    "on_gap",
    Shape::Words {
        words: &[
            Word::new("ignore", "Nothing is done."),
            Word::new(
                "warn",
                "The event is applied, and a warning names the entity and both numbers.",
            ),
        ],
        otherwise: "the event after a gap is applied in both cases",
    },
    "What is done when a `sequenceNumber` is missing between two of one entity.",
)
.or("ignore");

pub(super) const DATA_RETRIES: Key = Key::optional(
    "data_retries",
    Shape::Count(MAX_RETRIES),
    "How often an event whose values do not fit is tried again before it becomes a dead letter.",
)
.or("0");

pub(super) const MAX_RETRIES_KEY: Key = Key::optional(
    "max_retries",
    Shape::Count(MAX_RETRIES),
    "How often an event that fails for another reason is tried again before it becomes a dead letter, \
     after 500 ms doubling to 30 s. An outage of the target does not count: it is waited for.",
)
.or("5");

pub(super) const CHECKPOINT: Key = Key::optional(
    "checkpoint",
    Shape::Words {
        words: &[
            Word::new(
                "target",
                "The offset is kept in the target, in the transaction of the rows.",
            ),
            Word::refused(
                "kafka",
                "`checkpoint: kafka` commits to a consumer group of Kafka, and this build has no Kafka \
                 source",
            ),
        ],
        otherwise: "leave `checkpoint` out: the offset is kept in the target, in the transaction of the \
                    rows",
    },
    "Where the offset is kept.",
)
.or("target");

const MAX_TENANTS: Refused = Refused {
    name: "max_tenants",
    why: "`max_tenants` is an option of a run, not a key of the file",
    instead: "take it out, and write `projectionist run … --max-tenants 1000`",
};

pub(super) const ON_MISSING_RELATION: Refused = Refused {
    name: "on_missing_relation",
    why: "`on_missing_relation` has no effect here: a run makes the tables of an SQLite target itself, \
          so none is ever missing",
    instead: "take it out",
};

pub(super) const MAX_PARKED: Refused = Refused {
    name: "max_parked",
    why: "`max_parked` has no effect here: no event of a declared projection is ever parked",
    instead: "take it out",
};
