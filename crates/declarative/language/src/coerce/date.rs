//! Values into cells of DATE.

use projectionist_core::row::{Cell, ColumnType};

use super::calendar::Reader;
use super::timestamp::Fault;
use super::{CoerceError, JsonValue};

/// The cell of a day. A moment is none: which day it is depends on the zone.
pub(super) fn date(value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let JsonValue::Text(text) = value else {
        return Err(CoerceError::wrong_kind(value, ColumnType::Date));
    };
    parse(text).map(Cell::Date).map_err(|fault| {
        let met = match fault {
            Fault::Range => "is not within the years 0001 to 9999",
            Fault::NotOnClock => "names a day that does not exist",
            _ => "is no day",
        };
        CoerceError::new(value, met, ColumnType::Date)
    })
}

/// Days since 1970-01-01.
fn parse(text: &str) -> Result<i32, Fault> {
    let mut rest = Reader(text.as_bytes());
    let day = rest.day()?;
    if !rest.0.is_empty() {
        return Err(Fault::Syntax);
    }
    i32::try_from(day.since_epoch()?).map_err(|_| Fault::Range)
}
