//! What is said when there is no row to change.

use projectionist_core::Error;
use projectionist_core::row::{
    Cell, RowBatch, RowRef, Table, write_date, write_timestamp, write_uuid,
};

/// The longest value of a key that a message shows, in characters.
const MOST_SHOWN: usize = 60;

/// Refuses to change the row with the key of `row`, which is missing. The same words whether the
/// store or the fold has found that out.
#[cold]
pub(super) fn refuse_missing(table: &Table, batch: &RowBatch, row: RowRef) -> Error {
    let mut place = String::new();
    for at in table.key.iter() {
        let name = table.columns.get(*at).map_or("", |column| &*column.name);
        let separator = if place.is_empty() { "" } else { ", " };
        place = format!("{place}{separator}{name} = {}", shown(batch.cell(row, *at)));
    }
    Error::Row {
        table: table.name.to_string(),
        reason: format!(
            "there is no row with {place}, and the event may only change one that is there; send \
             the event that makes it first, or declare `on_missing: create` or `on_missing: ignore`"
        ),
    }
}

fn shown(cell: Cell<'_>) -> String {
    let text = match cell {
        Cell::Null => "null".to_owned(),
        Cell::Text(text) => format!("{text:?}"),
        Cell::Numeric(text) | Cell::Json(text) | Cell::Array(text) => text.to_owned(),
        Cell::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Cell::Int(value) => value.to_string(),
        Cell::Double(value) => value.to_string(),
        Cell::Bool(value) => value.to_string(),
        Cell::Date(days) => written(|text| write_date(text, days)),
        Cell::Timestamp(moment) => written(|text| write_timestamp(text, moment)),
        Cell::Uuid(bytes) => written(|text| {
            write_uuid(text, &bytes);
            Some(())
        }),
    };
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// What `write` writes; a moment that has no text is not shown.
fn written(write: impl FnOnce(&mut String) -> Option<()>) -> String {
    let mut text = String::new();
    match write(&mut text) {
        Some(()) => text,
        None => "?".to_owned(),
    }
}
