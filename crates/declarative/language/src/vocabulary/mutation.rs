//! The keys of a mutation. Which operation takes which of them stands in [`super::OPERATIONS`].

use super::{Key, Level, OPERATIONS, Shape, Word};

/// A mutation.
pub(crate) static MUTATION: Level = Level {
    name: "mutation",
    home: "under an event type of `mutations`",
    doc: "What an event type does to the table.",
    keys: &[
        Key::required(
            "op",
            Shape::Words {
                words: &OPERATIONS_AS_WORDS,
                otherwise: "",
            },
            "The operation.",
        ),
        Key::optional(
            "when",
            Shape::Condition,
            "An expression. The event is applied when it is true; when it is false the event counts as \
             filtered.",
        ),
        Key::optional(
            "set",
            Shape::Expressions { may_be_empty: true },
            "Expressions that upsert and insert take in the place of `derive`, and that patch and increment \
             write beside the key. Never columns of the key.",
        ),
        Key::optional(
            "by",
            Shape::Expressions {
                may_be_empty: false,
            },
            "What is added to columns of numbers.",
        ),
        Key::optional(
            "filter",
            Shape::Expressions {
                may_be_empty: false,
            },
            "What the rows to delete have in these columns.",
        ),
        Key::optional(
            "each",
            Shape::Path,
            "The path of the array with an element a row; `item` in `derive` is that element.",
        ),
        Key::optional(
            "on_missing",
            Shape::Words {
                words: &[
                    Word::new(
                        "create",
                        "The row is made: the defaults, then what the mutation writes.",
                    ),
                    Word::new("ignore", "Nothing; the event counts as ignored."),
                    Word::new("error", "The event becomes a dead letter."),
                ],
                otherwise: "leave it out to make the row",
            },
            "What happens when there is no row of the key.",
        )
        .or("create"),
    ],
    refused: &[],
};

/// The operations as the words of `op`.
const OPERATIONS_AS_WORDS: [Word; OPERATIONS.len()] = {
    let mut words = [const { Word::new("", "") }; OPERATIONS.len()];
    let mut at = 0;
    while at < OPERATIONS.len() {
        words[at] = Word::new(OPERATIONS[at].name, OPERATIONS[at].doc);
        at += 1;
    }
    words
};
