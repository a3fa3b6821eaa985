//! The last applied sequence number of every entity.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use projectionist_core::Result;
use projectionist_core::contract::{GuardEntry, GuardScope, SequenceGuard};

use crate::state::Undo;
use crate::{MemoryStore, Tx};

/// Projection, tenant and fork; see [`GuardScope`].
pub(crate) type Scope = Arc<[String; 3]>;

/// The numbers by scope and entity.
pub(crate) type Guards = BTreeMap<Scope, HashMap<Box<str>, i64>>;

/// How often numbers of each projection were recorded. A rollback takes nothing back: no count is
/// met twice with different numbers.
pub(crate) type GuardVersions = HashMap<Box<str>, u64>;

impl SequenceGuard for MemoryStore {
    async fn last_applied(
        &self,
        tx: &mut Tx,
        scope: GuardScope<'_>,
        entities: &[&str],
        out: &mut Vec<Option<i64>>,
    ) -> Result<()> {
        let known = tx.state.guards.get(&owned(scope));
        out.extend(entities.iter().map(|entity| known?.get(*entity).copied()));
        Ok(())
    }

    async fn record(
        &self,
        tx: &mut Tx,
        scope: GuardScope<'_>,
        entries: &[GuardEntry<'_>],
    ) -> Result<()> {
        let Tx { state, undo, .. } = tx;
        let projection = scope.projection;
        match state.guard_versions.get_mut(projection) {
            Some(version) => *version += 1,
            None => {
                state.guard_versions.insert(projection.into(), 1);
            }
        }
        let scope = owned(scope);
        let known = state.guards.entry(Arc::clone(&scope)).or_default();
        for entry in entries {
            let before = known.insert(entry.entity.into(), entry.sequence);
            undo.push(Undo::Sequence {
                scope: Arc::clone(&scope),
                entity: entry.entity.into(),
                before,
            });
        }
        Ok(())
    }

    async fn version(&self, tx: &mut Tx, projection: &str) -> Result<u64> {
        let version = tx.state.guard_versions.get(projection);
        Ok(version.copied().unwrap_or_default())
    }
}

fn owned(scope: GuardScope<'_>) -> Scope {
    Arc::new([scope.projection, scope.tenant, scope.fork].map(ToOwned::to_owned))
}
