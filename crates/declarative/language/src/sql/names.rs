//! Names in SQL: quoted, and the schema of a tenant.

use crate::ir::hash::hexadecimal;

/// The longest name of PostgreSQL, in bytes; it cuts off silently what is beyond.
const MAX_BYTES: usize = 63;

/// How much stays of a name that gets a hash.
const KEPT_BYTES: usize = 54;

/// The name of the schema of a fork of an application: `platform_app_fork` in lower case, as long
/// as that is a name and nothing had to be changed. Otherwise at most 54 bytes of it and, behind an
/// underscore, eight hexadecimal digits of a SHA-256 over the three parts, so that no two triples
/// share a schema because of a character that a name cannot have.
///
/// A name with two underscores in a row counts as changed: in SQLite they part tenant and table.
///
/// ```
/// use projectionist_language::schema_name;
///
/// assert_eq!(schema_name("platform1", "concertapp", "prod"), "platform1_concertapp_prod");
/// assert_eq!(schema_name("acme-eu", "shop", "prod"), "acme_eu_shop_prod_9bdd7404");
/// ```
#[must_use]
pub fn schema_name(platform: &str, app: &str, fork: &str) -> String {
    let parts = [platform, app, fork];
    let raw = parts.join("_");
    let name = cleaned(&raw);
    let is_told_apart = parts
        .iter()
        .all(|part| !part.is_empty() && !part.contains('_'));
    let is_free = !name.starts_with("pg_")
        && !name.starts_with("sqlite_")
        && !name.starts_with("projectionist_")
        && name != "information_schema";
    if name == raw && name.len() <= MAX_BYTES && is_told_apart && is_free {
        return name;
    }
    // The parts are ended by a byte that no text has within.
    let whole: Vec<u8> = parts
        .iter()
        .flat_map(|part| part.bytes().chain([0xff]))
        .collect();
    let hash = hexadecimal(&whole, 4);
    let prefix = if is_free { "" } else { "_" };
    let mut head: String = prefix
        .chars()
        .chain(name.chars())
        .take(KEPT_BYTES)
        .collect();
    while head.ends_with('_') {
        head.pop();
    }
    format!("{head}_{hash}")
}

/// Lower case, what no bare name has as an underscore, never two of them in a row, no digit first.
fn cleaned(raw: &str) -> String {
    let mut name = String::with_capacity(raw.len());
    for character in raw.chars().flat_map(char::to_lowercase) {
        let kept = match character {
            'a'..='z' | '0'..='9' => character,
            _ => '_',
        };
        if name.is_empty() && kept.is_ascii_digit() {
            name.push('_');
        }
        if kept != '_' || !name.ends_with('_') {
            name.push(kept);
        }
    }
    name
}

/// The name as an identifier.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Names as identifiers, separated by commas.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(quoted).collect();
    names.join(", ")
}
