//! Entries of handlers: texts by table and key, written in the transaction.

use std::collections::BTreeMap;

use crate::Tx;
use crate::state::Undo;

/// The entries of each table.
pub(crate) type Entries = BTreeMap<String, BTreeMap<String, String>>;

impl Tx {
    /// Writes the entry of `key`. Tables need not be made.
    pub fn put(&mut self, table: &str, key: &str, value: String) {
        let entries = self.state.entries.entry(table.to_owned()).or_default();
        let before = entries.insert(key.to_owned(), value);
        self.remember(table, key, before);
    }

    /// The entry of `key`, as this transaction sees it.
    #[must_use]
    pub fn get(&self, table: &str, key: &str) -> Option<&str> {
        let entries = self.state.entries.get(table)?;
        entries.get(key).map(String::as_str)
    }

    /// Deletes the entry of `key`, and says whether there was one.
    pub fn delete(&mut self, table: &str, key: &str) -> bool {
        let entries = self.state.entries.get_mut(table);
        let before = entries.and_then(|entries| entries.remove(key));
        let existed = before.is_some();
        if existed {
            self.remember(table, key, before);
        }
        existed
    }

    fn remember(&mut self, table: &str, key: &str, before: Option<String>) {
        self.undo.push(Undo::Entry {
            table: table.to_owned(),
            key: key.to_owned(),
            before,
        });
    }
}
