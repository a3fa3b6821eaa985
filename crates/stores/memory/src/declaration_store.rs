//! What projections are declared as, and the migration of their tables.

use std::collections::BTreeMap;

use projectionist_core::Result;
use projectionist_core::contract::{
    DeclarationStore, Deployed, Deployment, StoredDeclaration, TableDeployment,
};
use projectionist_core::row::{Table, TableName};

use crate::MemoryStore;
use crate::read_model::{StoredTable, migrated};
use crate::state::State;

/// The declarations by the names of their projections.
pub(crate) type Declarations = BTreeMap<String, StoredDeclaration>;

impl DeclarationStore for MemoryStore {
    async fn declarations(&self) -> Result<Vec<StoredDeclaration>> {
        Ok(self.lock().await.declarations.values().cloned().collect())
    }

    async fn deploy(&self, deployment: &Deployment) -> Result<Deployed> {
        let mut state = self.lock().await;
        let superseded = deployment.declarations.iter().any(|new| {
            let kept = state.declarations.get(&new.declaration.projection);
            kept.map(|kept| &kept.declaration.hash) != new.replaces.as_ref()
        });
        if superseded {
            return Ok(Deployed::Superseded);
        }
        // All tables are built before the first one is kept.
        let mut tables = Vec::new();
        for deployed in &deployment.tables {
            tables.extend(build(&state, deployed)?);
        }
        state.tables.extend(tables);
        let deployed_at = self.clock().now();
        for new in &deployment.declarations {
            let projection = &new.declaration.projection;
            let source = state.declarations.remove(projection);
            let kept = StoredDeclaration {
                declaration: new.declaration.clone(),
                deployed_at,
                source: source.and_then(|before| before.source),
                withdrawn: false,
            };
            state.declarations.insert(projection.clone(), kept);
        }
        for projection in &deployment.withdrawn {
            if let Some(kept) = state.declarations.get_mut(projection) {
                kept.withdrawn = true;
            }
        }
        Ok(Deployed::Done)
    }

    async fn note_source(&self, projection: &str, source: &str) -> Result<()> {
        let mut state = self.lock().await;
        if let Some(kept) = state.declarations.get_mut(projection) {
            kept.source.get_or_insert_with(|| source.to_owned());
        }
        Ok(())
    }
}

/// The tables of one projection as they shall be, with their rows.
fn build(state: &State, deployed: &TableDeployment) -> Result<Vec<(TableName, StoredTable)>> {
    let named = |tenant| {
        let mut table: Table = deployed.table.clone();
        table.name.tenant = tenant;
        table
    };
    let mut tables = Vec::new();
    for (name, stored) in &state.tables {
        if name.name == deployed.table.name.name {
            let table = named(name.tenant.clone());
            tables.push((name.clone(), migrated(stored, table)?));
        }
    }
    for tenant in &deployed.create {
        let table = named(tenant.clone());
        if !state.tables.contains_key(&table.name) {
            tables.push((table.name.clone(), StoredTable::empty(table)));
        }
    }
    Ok(tables)
}
