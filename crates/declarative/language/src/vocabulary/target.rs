//! The keys of a target.

use super::limits::MAX_INDEX_COLUMNS;
use super::{Key, Level, Shape};

/// A target.
pub(crate) static TARGET: Level = Level {
    name: "target",
    home: "under `target`",
    doc: "The table of a projection.",
    keys: &[
        Key::required(
            "table",
            Shape::Name,
            "The name of the table, which belongs to this projection alone.",
        ),
        Key::required(
            "primary_key",
            Shape::Names {
                most: MAX_INDEX_COLUMNS,
            },
            "The columns of the key, in its order.",
        ),
        Key::optional(
            "indexes",
            Shape::Indexes,
            "The indexes beside the key, each a list of columns.",
        )
        .or("[]"),
    ],
    refused: &[],
};
