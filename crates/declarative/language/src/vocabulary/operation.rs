//! The operations and the keys that each takes.

/// An operation.
#[derive(Debug)]
pub(crate) struct OperationWord {
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) doc: &'static str,
    /// The keys that it needs beside `op`.
    pub(crate) needs: &'static [&'static str],
    /// The keys that it may have.
    pub(crate) takes: &'static [&'static str],
}

impl OperationWord {
    /// Whether the operation may have that key.
    pub(crate) fn has(&self, key: &str) -> bool {
        key == "op" || self.needs.contains(&key) || self.takes.contains(&key)
    }
}

/// The operations.
pub(crate) const OPERATIONS: [OperationWord; 7] = [
    OperationWord {
        name: "upsert",
        doc: "Writes the whole row: columns without a value become null or their default.",
        needs: &[],
        takes: &["set", "when"],
    },
    OperationWord {
        name: "patch",
        doc: "Writes some columns of the row and keeps the others.",
        needs: &[],
        takes: &["set", "when", "on_missing"],
    },
    OperationWord {
        name: "insert",
        doc: "Writes the whole row unless the key is there already.",
        needs: &[],
        takes: &["set", "when"],
    },
    OperationWord {
        name: "delete",
        doc: "Deletes the row of the key.",
        needs: &[],
        takes: &["when"],
    },
    OperationWord {
        name: "replace",
        doc: "Deletes the rows that equal `filter`, then writes new ones.",
        needs: &["filter"],
        takes: &["each", "when"],
    },
    OperationWord {
        name: "increment",
        doc: "Adds to columns of the row.",
        needs: &["by"],
        takes: &["set", "when", "on_missing"],
    },
    OperationWord {
        name: "ignore",
        doc: "Does nothing; the event counts as ignored.",
        needs: &[],
        takes: &[],
    },
];

/// The operation of that name.
pub(crate) fn operation(name: &str) -> Option<&'static OperationWord> {
    const { &OPERATIONS }
        .iter()
        .find(|known| known.name == name)
}
