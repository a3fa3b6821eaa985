//! The numbers of guard scopes, remembered between transactions.

use std::collections::HashMap;
use std::fmt::Write as _;

use projectionist_core::contract::GuardScope;

/// The most scopes that are remembered; beyond that all are looked up again.
const MOST: usize = 10_000;

/// The numbers of guard scopes that the file is known to hold.
#[derive(Debug, Default)]
pub(crate) struct ScopeIds {
    known: HashMap<String, i64>,
    /// The version of the file at which they were known: a rebuild of another process gives scopes
    /// other numbers.
    data_version: Option<i64>,
    /// Whether one was learnt in the open transaction. It may not be there after a rollback.
    uncommitted: bool,
    /// The key that is looked up, in a buffer that is kept.
    key: String,
}

impl ScopeIds {
    /// Forgets all when another connection has committed since the last call.
    pub(crate) fn at_version(&mut self, data_version: i64) {
        if self.data_version.replace(data_version) != Some(data_version) {
            self.forget();
        }
    }

    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    pub(crate) fn get(&mut self, scope: GuardScope<'_>) -> Option<i64> {
        self.write_key(scope);
        self.known.get(&self.key).copied()
    }

    pub(crate) fn learn(&mut self, scope: GuardScope<'_>, id: i64) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.write_key(scope);
        self.known.insert(self.key.clone(), id);
        self.uncommitted = true;
    }

    pub(crate) fn committed(&mut self) {
        self.uncommitted = false;
    }

    pub(crate) fn rolled_back(&mut self) {
        if std::mem::take(&mut self.uncommitted) {
            self.known.clear();
        }
    }

    /// The lengths keep (`a`, `bc`) and (`ab`, `c`) apart.
    fn write_key(&mut self, scope: GuardScope<'_>) {
        let GuardScope {
            projection,
            tenant,
            fork,
        } = scope;
        self.key.clear();
        // Writing into a String cannot fail.
        let _ = write!(
            self.key,
            "{} {} {projection}{tenant}{fork}",
            projection.len(),
            tenant.len()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope<'a>(projection: &'a str, tenant: &'a str, fork: &'a str) -> GuardScope<'a> {
        GuardScope {
            projection,
            tenant,
            fork,
        }
    }

    #[test]
    fn scopes_are_compared_part_by_part() {
        let mut ids = ScopeIds::default();
        ids.learn(scope("a", "bc", ""), 1);
        for other in [
            scope("ab", "c", ""),
            scope("a", "b", "c"),
            scope("", "a", "bc"),
        ] {
            assert_eq!(ids.get(other), None, "{other:?}");
        }
        assert_eq!(ids.get(scope("a", "bc", "")), Some(1));
    }

    #[test]
    fn what_another_connection_may_have_changed_is_forgotten() {
        let mut ids = ScopeIds::default();
        ids.at_version(7);
        ids.learn(scope("a", "", ""), 1);
        ids.at_version(7);
        assert_eq!(ids.get(scope("a", "", "")), Some(1));
        ids.at_version(8);
        assert_eq!(ids.get(scope("a", "", "")), None);
    }

    #[test]
    fn what_a_rollback_takes_back_is_forgotten() {
        let mut ids = ScopeIds::default();
        ids.learn(scope("a", "", ""), 1);
        ids.committed();
        ids.rolled_back();
        assert_eq!(ids.get(scope("a", "", "")), Some(1));
        ids.learn(scope("b", "", ""), 2);
        ids.rolled_back();
        assert_eq!(ids.get(scope("b", "", "")), None);
    }
}
