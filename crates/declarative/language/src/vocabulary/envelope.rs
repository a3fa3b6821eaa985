//! The envelopes that have a name, and the keys of those that have not.

use super::limits::MAX_INDEX_COLUMNS;
use super::{Key, Level, Refused, Shape, Word};

/// The envelopes that a file names with a word.
pub(crate) const PRESETS: [Word; 2] = [
    Word::new(
        "causet",
        "`eventType`, `entityId`, `sequenceNumber`, `ts`, `tenantSchema`, `forkId`, `irVersion` and \
         `payload`.",
    ),
    Word::new(
        "cloudevents",
        "CloudEvents: `type`, `subject` (else `source`), `sequence`, `time` and `data`.",
    ),
];

/// An envelope as a mapping.
pub(crate) static ENVELOPE: Level = Level {
    name: "places",
    home: "under `envelope`",
    doc: "Where the parts of an event stand in a record.",
    keys: &[
        Key::required("type", Shape::Place, "The event type: a text."),
        Key::required("entity", Shape::Place, "The entity: a text or a number."),
        Key::optional(
            "sequence",
            Shape::Place,
            "The number of the event within its entity.",
        ),
        Key::optional(
            "ts",
            Shape::Place,
            "The moment: Unix milliseconds or RFC 3339.",
        ),
        Key::optional("tenant", Shape::Place, "The tenant."),
        Key::optional("fork", Shape::Place, "The fork."),
        Key::optional(
            "payload",
            Shape::Place,
            "The payload; else the whole record.",
        ),
    ],
    refused: &[
        otherwise_called(
            "eventType",
            "`eventType` is called `type` here",
            "write `type: $.eventType`",
        ),
        otherwise_called(
            "entityId",
            "`entityId` is called `entity` here",
            "write `entity: $.entityId`",
        ),
        otherwise_called(
            "sequenceNumber",
            "`sequenceNumber` is called `sequence` here",
            "write `sequence: $.sequenceNumber`",
        ),
        otherwise_called(
            "tenantSchema",
            "`tenantSchema` is called `tenant` here",
            "write `tenant: $.tenantSchema`",
        ),
        otherwise_called(
            "forkId",
            "`forkId` is called `fork` here",
            "write `fork: $.forkId`",
        ),
    ],
};

const fn otherwise_called(name: &'static str, why: &'static str, instead: &'static str) -> Refused {
    Refused { name, why, instead }
}

/// What stands under `debezium`, the one key of an envelope of that name.
pub(crate) static DEBEZIUM: Level = Level {
    name: "debezium",
    home: "under `debezium`",
    doc: "A change of a row as Debezium writes it.",
    keys: &[Key::required(
        "key",
        Shape::Names {
            most: MAX_INDEX_COLUMNS,
        },
        "The columns whose values are the entity.",
    )],
    refused: &[],
};
