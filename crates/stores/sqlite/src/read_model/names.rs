//! Names of tables and columns: which can be used, and how they stand in statements.

use projectionist_core::rebuild::Beside;
use projectionist_core::row::TableName;
use projectionist_core::{Error, Result};

/// Stands between tenant and table. Neither holds it, so no two pairs give one name.
const SEPARATOR: &str = "__";

/// How the names of the store's own tables begin.
const OWN_PREFIX: &str = "projectionist_";
const SQLITE_PREFIX: &str = "sqlite_";

/// Whether a table is one of the store's own.
pub(crate) fn is_own(name: &str) -> bool {
    begins_with(name, OWN_PREFIX)
}

/// The name of the table in the file, not quoted.
///
/// # Errors
/// [`Error::Configuration`] for a table that cannot have such a name, [`Error::Row`] for a tenant
/// that cannot: tenants come with the events.
pub(crate) fn stored_name(table: &TableName) -> Result<String> {
    let name = &*table.name;
    // What stands beside a table has a reserved name, and begins with no more than that.
    let declared = Beside::of_table(name).map_or(name, |(_, live)| live);
    if let Some(reason) = fault(declared) {
        return Err(refused(table, &reason));
    }
    let Some(tenant) = table.tenant.as_deref() else {
        return Ok(name.to_owned());
    };
    if let Some(reason) = fault(tenant) {
        return Err(Error::Row {
            table: table.to_string(),
            reason: format!("the tenant cannot be part of a name of a table: {reason}"),
        });
    }
    if declared.starts_with('_') {
        // `a` with `_b` and `a_` with `b` would share a table.
        return Err(refused(
            table,
            "it begins with `_`, which a table of a tenant must not",
        ));
    }
    Ok(format!("{tenant}{SEPARATOR}{name}"))
}

/// The tenant whose table of the declared name `name` is stored as `stored`.
pub(crate) fn tenant_of<'a>(stored: &'a str, name: &str) -> Option<&'a str> {
    let tenant = stored.strip_suffix(name)?.strip_suffix(SEPARATOR)?;
    let declared = Beside::of_table(name).map_or(name, |(_, live)| live);
    let is_told_apart = fault(tenant).is_none() && !declared.starts_with('_');
    is_told_apart.then_some(tenant)
}

/// The name that the table would have in use which is stored as `stored` beside it; `None` for one
/// that is in use.
pub(crate) fn live_name(stored: &str) -> Option<String> {
    let mut parts = stored.match_indices(OWN_PREFIX);
    parts.find_map(|(at, _)| {
        let (before, name) = stored.split_at(at);
        let (_, live) = Beside::of_table(name)?;
        let is_whole = before.is_empty() || before.ends_with(SEPARATOR);
        is_whole.then(|| format!("{before}{live}"))
    })
}

/// Appends the name as an identifier.
pub(crate) fn push_quoted(text: &mut String, name: &str) {
    text.push('"');
    push_doubling(text, name, '"');
    text.push('"');
}

/// Appends the text as a literal.
pub(crate) fn push_literal(text: &mut String, value: &str) {
    text.push('\'');
    push_doubling(text, value, '\'');
    text.push('\'');
}

/// Why a column cannot have this name.
pub(crate) fn column_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("a name of a column is empty")
    } else if name.contains('\0') {
        Some("a name of a column holds U+0000")
    } else {
        None
    }
}

fn fault(part: &str) -> Option<String> {
    if part.trim().is_empty() {
        Some("it is blank".to_owned())
    } else if part.chars().any(char::is_control) {
        Some("it holds a control character".to_owned())
    } else if part.contains(SEPARATOR) {
        Some(format!(
            "{part:?} holds `{SEPARATOR}`, which parts tenant and table"
        ))
    } else if begins_with(part, OWN_PREFIX) || begins_with(part, SQLITE_PREFIX) {
        Some(format!(
            "names that begin with `{OWN_PREFIX}` or `{SQLITE_PREFIX}` are reserved"
        ))
    } else {
        None
    }
}

fn refused(table: &TableName, reason: &str) -> Error {
    Error::Configuration {
        subject: format!("table {table}"),
        reason: format!("{reason}; choose another name"),
    }
}

/// Compares as SQLite does: without case, in ASCII.
fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

fn push_doubling(text: &mut String, value: &str, quote: char) {
    for character in value.chars() {
        if character == quote {
            text.push(quote);
        }
        text.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(tenant: Option<&str>, name: &str) -> Result<String> {
        stored_name(&TableName {
            tenant: tenant.map(Into::into),
            name: name.into(),
        })
    }

    #[test]
    fn a_tenant_stands_before_its_table() {
        assert_eq!(stored(None, "orders").unwrap(), "orders");
        assert_eq!(stored(Some("acme"), "orders").unwrap(), "acme__orders");
        assert_eq!(stored(Some("a_"), "b").unwrap(), "a___b");
    }

    #[test]
    fn names_that_could_be_mistaken_are_refused() {
        for name in [
            "",
            " ",
            "a__b",
            "Projectionist_lanes",
            "SQLITE_x",
            "a\0b",
            "a\nb",
        ] {
            let table = stored(None, name).unwrap_err();
            assert!(
                matches!(table, Error::Configuration { .. }),
                "{name:?}: {table:?}"
            );
            let tenant = stored(Some(name), "orders").unwrap_err();
            assert!(matches!(tenant, Error::Row { .. }), "{name:?}: {tenant:?}");
        }
        assert!(stored(Some("a"), "_b").is_err());
        assert_eq!(stored(None, "_b").unwrap(), "_b");
    }

    #[test]
    fn the_tenant_of_a_stored_name_is_the_one_that_gave_it() {
        for tenant in ["acme", "a_", "_", "a b"] {
            let stored = stored(Some(tenant), "orders").unwrap();
            assert_eq!(tenant_of(&stored, "orders"), Some(tenant));
            assert_eq!(tenant_of(&stored, "rders"), None);
        }
        assert_eq!(tenant_of("a___b", "b"), Some("a_"));
        for (stored, name) in [
            ("orders", "orders"),
            ("__orders", "orders"),
            ("a__b__orders", "orders"),
            ("acme_orders", "orders"),
            ("acme__ORDERS", "orders"),
            ("a___b", "_b"),
        ] {
            assert_eq!(tenant_of(stored, name), None, "{stored} of {name}");
        }
    }

    #[test]
    fn what_stands_beside_a_table_has_a_name_that_no_other_table_has() {
        let beside = Beside::Shadow.table("orders");
        for (tenant, live) in [(None, "orders"), (Some("a_"), "a___orders")] {
            let name = stored(tenant, &beside).unwrap();
            assert_eq!(live_name(&name).as_deref(), Some(live));
            assert_eq!(tenant_of(&name, &beside), tenant);
            assert_eq!(tenant_of(&name, "orders"), None);
            assert_eq!(live_name(live), None);
        }
        assert!(stored(None, "projectionist_rebuild_").is_err());
        assert!(stored(None, "projectionist_rebuild_projectionist_lanes").is_err());
        assert!(stored(None, &Beside::Kept.table("_orders")).is_ok());
        assert!(stored(Some("acme"), &Beside::Kept.table("_orders")).is_err());
    }

    #[test]
    fn quotes_within_are_doubled() {
        let mut text = String::new();
        push_quoted(&mut text, r#"a"b'c"#);
        push_literal(&mut text, r#"a"b'c"#);
        assert_eq!(text, r#""a""b'c"'a"b''c'"#);
    }
}
