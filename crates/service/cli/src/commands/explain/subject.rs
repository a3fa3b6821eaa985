//! Which row a person asks about.

use std::sync::Arc;

use projectionist_apply::{check_tenant, plain_table};
use projectionist_core::row::{Table, TableName};
use projectionist_language::did_you_mean;
use projectionist_language::model::Projection;

use super::arguments::ExplainArguments;
use super::key::key_of;
use super::past::Declared;
use super::retelling::Wanted;
use crate::exit::Failure;

/// A row that is asked about.
pub(super) struct Subject {
    /// The projection that writes its table.
    pub(super) declared: Declared,
    /// The table, under its tenant.
    pub(super) table: Table,
    pub(super) row: Wanted,
}

/// The row that the arguments name.
pub(super) fn find(
    declared: Vec<Declared>,
    arguments: &ExplainArguments,
) -> Result<Subject, Failure> {
    let (index, tenant) = table(&declared, arguments)?;
    if !tenant.is_empty() {
        check_tenant(&tenant).map_err(|defect| Failure::usage(defect.error))?;
    }
    let declared = declared.into_iter().nth(index);
    let Some((declared, projection)) = declared.and_then(|one| {
        let projection = one.projection()?.clone();
        Some((one, projection))
    }) else {
        return Err(Failure::usage("the target declares no such table"));
    };
    let key = key_of(&projection, &arguments.key)?;
    let mut table = plain_table(&projection);
    table.name = TableName {
        tenant: (!tenant.is_empty()).then(|| tenant.as_str().into()),
        name: Arc::clone(&projection.table),
    };
    Ok(Subject {
        declared,
        table,
        row: Wanted { tenant, key },
    })
}

/// The index of the projection that writes the table, and the tenant. A tenant's table may be named
/// as SQLite has it.
fn table(declared: &[Declared], arguments: &ExplainArguments) -> Result<(usize, String), Failure> {
    let projections = || declared.iter().filter_map(Declared::projection);
    let writes = |projection: &Projection, name: &str| *projection.table == *name;
    let asked = arguments.table.as_str();
    let tenant = arguments.tenant.clone();
    if let Some(index) = projections().position(|one| writes(one, asked)) {
        return Ok((index, tenant.unwrap_or_default()));
    }
    if let Some((of, name)) = asked.split_once("__")
        && let Some(index) = projections().position(|one| writes(one, name))
        && tenant.as_deref().is_none_or(|tenant| tenant == of)
    {
        return Ok((index, of.to_owned()));
    }
    let store = &arguments.store;
    if let Some(named) = projections().find(|one| *one.name == *asked) {
        return Err(Failure::usage(format!(
            "{store} declares no table `{asked}`; the table of projection {asked} is `{}`",
            named.table
        )));
    }
    let suggestion = did_you_mean(asked, projections().map(|one| &*one.table));
    let known: Vec<&str> = projections().map(|one| &*one.table).collect();
    let known = match known.is_empty() {
        true => "nothing was deployed or run there".to_owned(),
        false => format!("it has {}", known.join(", ")),
    };
    Err(Failure::usage(format!(
        "{store} declares no table `{asked}`; {known}{suggestion}"
    )))
}
