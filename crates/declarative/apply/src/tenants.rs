//! The tables of a projection, one a tenant.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use projectionist_core::row::{Table, TableName};
use projectionist_core::{Defect, ErrorClass};
use projectionist_language::model::Projection;

/// Longest name of a tenant, in bytes: that of a PostgreSQL schema.
const MAX_NAME_BYTES: usize = 63;

/// The table of the events without a tenant.
const PLAIN: usize = 0;

/// The table of a declared projection for the events without a tenant. Those of tenants differ in
/// their name only.
#[must_use]
pub fn plain_table(declared: &Projection) -> Table {
    Table {
        name: TableName {
            tenant: None,
            name: declared.table.clone(),
        },
        owner: (&*declared.name).into(),
        columns: declared.columns.clone(),
        key: declared.key.clone(),
        indexes: declared.indexes.as_slice().into(),
    }
}

/// The tables of a projection: the plain one, and one a tenant that was seen.
#[derive(Debug)]
pub(crate) struct Tenants {
    tables: Vec<Table>,
    by_name: HashMap<Arc<str>, usize, RandomState>,
    max_tenants: usize,
    /// How many tables there were when the group began.
    settled: usize,
    /// The table of the last event: mostly the next one's too.
    last: usize,
}

impl Tenants {
    /// `plain` is the table of the events without a tenant.
    pub(crate) fn new(plain: Table, max_tenants: usize) -> Self {
        Self {
            tables: vec![plain],
            by_name: HashMap::default(),
            max_tenants,
            settled: 1,
            last: PLAIN,
        }
    }

    /// Begins a group: the tenants of the one before are there to stay.
    pub(crate) fn open(&mut self) {
        self.settled = self.tables.len();
    }

    /// Forgets the tenants that the last group brought, because it was rolled back.
    pub(crate) fn rewind(&mut self) {
        self.truncate(self.settled);
    }

    /// Forgets the tenant that was added last.
    pub(crate) fn take_back(&mut self) {
        self.truncate(self.tables.len() - 1);
    }

    fn truncate(&mut self, tables: usize) {
        for table in self.tables.drain(tables.max(PLAIN + 1)..) {
            if let Some(tenant) = &table.name.tenant {
                self.by_name.remove(tenant);
            }
        }
        self.last = PLAIN;
    }

    /// The table of a tenant that was seen before, or of the empty name.
    pub(crate) fn find(&mut self, tenant: &str) -> Option<usize> {
        if tenant.is_empty() {
            return Some(PLAIN);
        }
        let last = self.tables.get(self.last);
        if last.and_then(|table| table.name.tenant.as_deref()) != Some(tenant) {
            self.last = *self.by_name.get(tenant)?;
        }
        Some(self.last)
    }

    /// Whether there may be a table of `tenant`, which was not seen before.
    pub(crate) fn check_new(&self, tenant: &str) -> Result<(), Defect> {
        check_tenant(tenant)?;
        let table = &self.tables[PLAIN].name.name;
        if table.starts_with('_') {
            // `a` with `_b` and `a_` with `b` would share a table.
            return Err(refuse(
                tenant,
                &format!(
                    "can have no table `{table}`: one that begins with `_` is for events without tenants only; give it another name"
                ),
            ));
        }
        if self.by_name.len() < self.max_tenants {
            return Ok(());
        }
        let limit = self.max_tenants;
        Err(refuse(
            tenant,
            &format!(
                "would be one tenant more than max_tenants = {limit} allows; raise it if so many are meant"
            ),
        ))
    }

    /// Adds the table of `tenant`, which was checked.
    pub(crate) fn add(&mut self, tenant: &str) -> usize {
        let tenant: Arc<str> = tenant.into();
        let mut table = self.tables[PLAIN].clone();
        table.name = TableName {
            tenant: Some(Arc::clone(&tenant)),
            name: table.name.name,
        };
        let index = self.tables.len();
        self.tables.push(table);
        self.by_name.insert(tenant, index);
        index
    }

    pub(crate) fn table(&self, index: usize) -> &Table {
        &self.tables[index]
    }
}

/// Refuses a name that cannot be a schema of the read model.
///
/// # Errors
/// A [`Defect`] of class *tenant* that says why.
pub fn check_tenant(tenant: &str) -> Result<(), Defect> {
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let begins_with_digit = tenant.starts_with(|first: char| first.is_ascii_digit());
    let reason = if tenant.len() > MAX_NAME_BYTES {
        "has more than 63 bytes"
    } else if begins_with_digit || !tenant.bytes().all(is_name) {
        "can have lower-case letters a to z, digits and underscores only, and no digit in front"
    } else if tenant.starts_with("pg_") || tenant == "information_schema" {
        "is reserved by PostgreSQL"
    } else if begins_as_reserved_table(tenant) {
        "is reserved: no table of a tenant may begin with `sqlite_` or `projectionist_`"
    } else if tenant.contains("__") {
        "holds two underscores in a row, which part tenant and table in SQLite"
    } else {
        return Ok(());
    };
    Err(refuse(tenant, reason))
}

/// Whether the tenant's tables, whose names begin with it and `__`, would pass for those of SQLite
/// or of the engine.
fn begins_as_reserved_table(tenant: &str) -> bool {
    let mut reserved = ["sqlite", "projectionist"].into_iter();
    reserved.any(|name| {
        let rest = tenant.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    })
}

fn refuse(tenant: &str, reason: &str) -> Defect {
    let head: String = tenant.chars().take(MAX_NAME_BYTES).collect();
    Defect::new(
        ErrorClass::Tenant,
        format!("tenantSchema {head:?} {reason}"),
    )
    .at("tenantSchema")
    .with_value(tenant)
}
