//! The shape of a table of a read model.

use std::fmt;
use std::sync::Arc;

use super::{ColumnType, OwnedCell};
use crate::rebuild::Beside;
use crate::{Error, Result};

/// One column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, as declared. A store quotes it; it is never pasted into SQL bare.
    pub name: Box<str>,
    /// Its type.
    pub column_type: ColumnType,
    /// Whether it may be null. Columns of the key never are.
    pub nullable: bool,
    /// What it holds in a row that is created without a value for it; null when `None`.
    pub default: Option<OwnedCell>,
}

/// The name of a table: a tenant's, or the one that belongs to no tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableName {
    /// The tenant, in stores with schemas the schema.
    pub tenant: Option<Arc<str>>,
    /// The declared name.
    pub name: Arc<str>,
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tenant) = &self.tenant {
            write!(f, "{tenant}.")?;
        }
        // One that a rebuild builds is told by the name that it will have: what is kept of it, such
        // as a dead letter, outlives the other name.
        let live = Beside::of_table(&self.name).map_or(&*self.name, |(_, live)| live);
        f.write_str(live)
    }
}

/// A table of a read model.
///
/// Cloning is cheap: the columns are shared.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: TableName,
    /// The name of the projection that writes it. A table has one writer: one of another name, be
    /// it the same projection renamed or a second one that names the same table, starts from the
    /// first event and would add everything once more to what is there. A store therefore refuses
    /// the table of another owner.
    pub owner: Arc<str>,
    /// Its columns, in declared order.
    pub columns: Arc<[Column]>,
    /// The columns of the primary key, as indexes into `columns`, in the order of the key. Never
    /// empty.
    pub key: Arc<[usize]>,
    /// The indexes beside the key, each the columns of one as indexes into `columns`, in the order
    /// of the index. They make reading faster and change nothing else.
    pub indexes: Arc<[Arc<[usize]>]>,
}

impl Table {
    /// Whether the column at `index` is part of the key.
    #[must_use]
    pub fn is_key(&self, index: usize) -> bool {
        self.key.contains(&index)
    }

    /// Whether the owner of this table may write the one of its name that `made_by` made.
    ///
    /// # Errors
    /// [`Error::Schema`] when that is another projection.
    pub fn check_owner(&self, made_by: &str) -> Result<()> {
        if *self.owner == *made_by {
            return Ok(());
        }
        let owner = &self.owner;
        Err(Error::Schema {
            table: self.name.to_string(),
            reason: format!(
                "it is written by the projection `{made_by}`; give the projection `{owner}` \
                 another table, run it as `{made_by}` if that was its name, or use a new target"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_built_is_told_by_the_name_that_it_will_have() {
        let name = |name: &str| TableName {
            tenant: Some("acme".into()),
            name: Beside::Shadow.table(name),
        };
        assert_eq!(name("totals").to_string(), "acme.totals");
    }

    #[test]
    fn a_table_is_for_its_owner_and_others_are_told_the_way_out() {
        let table = Table {
            name: TableName {
                tenant: Some("acme".into()),
                name: "totals".into(),
            },
            owner: "income".into(),
            columns: [].into(),
            key: [].into(),
            indexes: [].into(),
        };
        table.check_owner("income").unwrap();
        let error = table.check_owner("revenue").unwrap_err();
        assert!(matches!(error, Error::Schema { .. }), "{error:?}");
        let said = error.to_string();
        for part in ["acme.totals", "`revenue`", "`income`", "a new target"] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
}
