//! The keys of a column in the long form.

use super::{Key, Level, Refused, Shape, Word};

/// A column in the long form.
pub(crate) static COLUMN: Level = Level {
    name: "column",
    home: "under a column of `fields`",
    doc: "A column: the name of its type, or a mapping with more.",
    keys: &[
        Key::required("type", Shape::ColumnType, "The type."),
        Key::optional(
            "nullable",
            Shape::Truth,
            "Whether it may be null. A column of the key never is.",
        )
        .or("true"),
        Key::optional(
            "required",
            Shape::Truth,
            "`true` says the same as `nullable: false`.",
        )
        .or("false"),
        Key::optional(
            "default",
            Shape::Value,
            "What a new row has where nothing gives a value: a value, not an expression.",
        )
        .or("null"),
        Key::optional(
            "coerce",
            Shape::Words {
                words: &[Word::new(
                    "lenient",
                    "A text that spells a number or a truth value counts as one.",
                )],
                otherwise: "leave it out to refuse a text where a number or a truth value is wanted",
            },
            "`lenient` takes a text that spells a number or a truth value for one.",
        ),
        Key::optional(
            "tz",
            Shape::Name,
            "TIMESTAMPTZ only: the zone of texts that have none: `UTC`, an offset such as `+02:00`, or a \
             name such as `Europe/Zurich`.",
        ),
        Key::optional(
            "nul",
            Shape::Words {
                words: &[
                    Word::new("error", "The event becomes a dead letter."),
                    Word::new("strip", "The character is left out."),
                    Word::new("replace", "The character becomes U+FFFD."),
                ],
                otherwise: "no text of SQL can hold U+0000, so it is one of the three",
            },
            "What becomes of the character U+0000 in a text or in JSON.",
        )
        .or("error"),
    ],
    refused: &[Refused {
        name: "generated",
        why: "a column that the database computes is not part of this language",
        instead: "give its expression under `derive`, or make a view over the table",
    }],
};
