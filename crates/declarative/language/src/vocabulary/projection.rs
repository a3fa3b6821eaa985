//! The keys of a projection.

use super::file::{
    CHECKPOINT, DATA_RETRIES, MAX_PARKED, MAX_RETRIES_KEY, ON_GAP, ON_MISSING_RELATION, START,
};
use super::limits::MAX_EVENTS;
use super::{Key, Level, MUTATION, Refused, Shape, TARGET, Word};

/// A projection.
pub(crate) static PROJECTION: Level = Level {
    name: "projection",
    home: "under the name of a projection",
    doc: "A table, and what each event type does to it.",
    keys: &[
        Key::required(
            "source_events",
            Shape::Names { most: MAX_EVENTS },
            "The event types that it reads. Each has a mutation.",
        ),
        Key::required("target", Shape::Mapping(&TARGET), "The table and its key."),
        Key::required("fields", Shape::Columns, "The columns and their types."),
        Key::required(
            "derive",
            Shape::Expressions { may_be_empty: true },
            "For a column the expression of its value.",
        ),
        Key::required(
            "mutations",
            Shape::Named {
                level: &MUTATION,
                most: MAX_EVENTS,
            },
            "For each event type what it does.",
        ),
        Key::optional(
            "sequence",
            Shape::Words {
                words: &[Word::new(
                    "none",
                    "Late and repeated events are applied as any other.",
                )],
                otherwise: "leave it out to skip events whose `sequenceNumber` was applied already",
            },
            "`none` switches off the guard that skips events whose `sequenceNumber` is not above the last \
             applied one of their entity.",
        ),
        START,
        ON_GAP,
        DATA_RETRIES,
        MAX_RETRIES_KEY,
        Key::optional(
            "on_dead_letter",
            Shape::Words {
                words: &[
                    Word::new("continue", "The events after a dead letter are applied."),
                    Word::refused(
                        "park_entity",
                        "`on_dead_letter: park_entity` would hold back all later events of the entity, and \
                         no event of a declared projection is ever parked",
                    ),
                ],
                otherwise: "leave `on_dead_letter` out: the events after a dead letter are applied",
            },
            "What happens to the later events of an entity that has a dead letter.",
        )
        .or("continue"),
        CHECKPOINT,
    ],
    refused: &[
        Refused {
            name: "shared",
            why: "`shared` has no effect here: a table belongs to one projection",
            instead: "take it out; let one projection read the event types of both, or give each its own \
                      table and join them in a view",
        },
        ON_MISSING_RELATION,
        MAX_PARKED,
    ],
};
