//! What names of projections, tables and columns may look like.

use crate::report::Report;
use crate::source::Place;
use crate::vocabulary::limits::MAX_NAME_BYTES;

/// Tables with these beginnings are the program's own and SQLite's.
const RESERVED_TABLES: [&str; 2] = ["projectionist_", "sqlite_"];

/// Projections with this beginning stand beside others, for rebuilds.
const RESERVED_PROJECTIONS: &str = "projectionist:";

/// Columns that every table of PostgreSQL has already.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// Whether `name` can be the name of a `what`. Reserved words can: names are always quoted.
pub(super) fn check(report: &mut Report<'_>, place: Place, what: &str, name: &str) -> bool {
    let (message, help) = if name.trim().is_empty() {
        (
            format!("the name of a {what} is empty"),
            "give it a name".to_owned(),
        )
    } else if name.len() > MAX_NAME_BYTES {
        let message = format!(
            "the {what} `{name}` has a name of {} bytes; at most {MAX_NAME_BYTES} are allowed",
            name.len()
        );
        (message, "give it a shorter name".to_owned())
    } else if name.contains(char::is_control) {
        (
            format!("the name of the {what} `{name}` holds a control character"),
            "take it out of the name".to_owned(),
        )
    } else {
        return true;
    };
    report.fault_with_help(place, message, help);
    false
}

/// Whether `name` can be the name of a projection.
pub(super) fn check_projection(report: &mut Report<'_>, place: Place, name: &str) -> bool {
    if !check(report, place, "projection", name) {
        return false;
    }
    if name.starts_with(RESERVED_PROJECTIONS) {
        report.fault_with_help(
            place,
            format!(
                "the projection `{name}` begins with `{RESERVED_PROJECTIONS}`, which is reserved"
            ),
            "give the projection another name",
        );
        return false;
    }
    true
}

/// Whether `name` can be the name of a table.
pub(super) fn check_table(report: &mut Report<'_>, place: Place, name: &str) -> bool {
    if !check(report, place, "table", name) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    if let Some(prefix) = RESERVED_TABLES
        .iter()
        .find(|prefix| lower.starts_with(**prefix))
    {
        let message = format!("the table `{name}` begins with `{prefix}`, which is reserved");
        report.fault_with_help(place, message, "give the table another name");
        return false;
    }
    if name.contains("__") {
        report.fault_with_help(
            place,
            format!("the table `{name}` has `__` in its name, which separates the tenant"),
            format!("write `{}`", single_underscores(name)),
        );
        return false;
    }
    true
}

/// Whether `name` can be the name of a column.
pub(super) fn check_column(report: &mut Report<'_>, place: Place, name: &str) -> bool {
    if !check(report, place, "column", name) {
        return false;
    }
    if SYSTEM_COLUMNS.contains(&name) {
        report.fault_with_help(
            place,
            format!("the column `{name}` has the name of a system column of PostgreSQL"),
            "give the column another name",
        );
        return false;
    }
    true
}

fn single_underscores(name: &str) -> String {
    let mut single = String::with_capacity(name.len());
    for character in name.chars() {
        if !(character == '_' && single.ends_with('_')) {
            single.push(character);
        }
    }
    single
}
