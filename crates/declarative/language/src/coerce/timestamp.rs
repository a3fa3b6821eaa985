//! RFC 3339 text to Unix milliseconds, strictly: nothing is rounded, and a zone is required where
//! the column names none.

use std::fmt;

use chrono::{DateTime, MappedLocalTime, Offset, TimeZone};
use chrono_tz::Tz;

use projectionist_core::Timestamp;
use projectionist_core::row::{Cell, ColumnType};

use super::calendar::{Reader, days_since_epoch};
use super::decimal::{self, IntegerFault};
use super::{CoerceError, JsonValue};
use crate::model::Zone;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The first moment that fits: 0001-01-01T00:00:00Z.
const FIRST: i64 = days_since_epoch(1, 1, 1) * DAY;
/// The first moment that does not fit any more: 10000-01-01T00:00:00Z.
const END: i64 = days_since_epoch(10_000, 1, 1) * DAY;

/// Why a text is no moment, or no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Syntax,
    NoZone,
    NotOnClock,
    TooFine,
    Range,
    /// The clocks of the zone jump over this local time.
    Skipped(Tz),
    /// The clocks of the zone show this local time twice.
    Twice(Tz),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Syntax => "is no RFC 3339 text",
            Self::NoZone => "has no time zone, such as Z or +02:00",
            Self::NotOnClock => "names a day or a time that does not exist",
            Self::TooFine => "is finer than a millisecond",
            Self::Range => "is not within the years 0001 to 9999",
            Self::Skipped(zone) => {
                return write!(f, "is a local time that the clocks of {zone} jump over");
            }
            Self::Twice(zone) => {
                return write!(
                    f,
                    "is a local time that the clocks of {zone} show twice; only a text with its \
                     own zone says which is meant"
                );
            }
        })
    }
}

/// The cell of a moment.
pub(super) fn moment(zone: Option<Zone>, value: JsonValue<'_>) -> Result<Cell<'_>, CoerceError> {
    let column_type = ColumnType::TimestampTz;
    let found = match value {
        JsonValue::Text(text) => parse(text, zone),
        JsonValue::Number(token) => match decimal::integer(token) {
            Ok(millis) if in_range(millis) => Ok(millis),
            Ok(_) | Err(IntegerFault::Range) => Err(Fault::Range),
            Err(IntegerFault::Fraction) => Err(Fault::TooFine),
            Err(IntegerFault::NoNumber) => {
                return Err(CoerceError::new(value, "is no number", column_type));
            }
        },
        _ => return Err(CoerceError::wrong_kind(value, column_type)),
    };
    found
        .map(|millis| Cell::Timestamp(Timestamp::from_unix_millis(millis)))
        .map_err(|fault| CoerceError::new(value, &fault.to_string(), column_type))
}

/// Whether the moment lies within the years 0001 to 9999.
pub(crate) fn in_range(millis: i64) -> bool {
    (FIRST..END).contains(&millis)
}

/// The Unix milliseconds of an RFC 3339 text with a zone. A finer moment is cut to the millisecond:
/// for the time of an event, which orders nothing and fills no column of its own.
///
/// # Errors
/// What is wrong with the text, as the end of a sentence about it.
pub fn unix_millis(text: &str) -> Result<i64, String> {
    parse_with(text, None, Finer::Cut).map_err(|fault| fault.to_string())
}

/// What becomes of a moment that is finer than a millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finer {
    Refused,
    Cut,
}

/// The Unix milliseconds of an RFC 3339 text. A text without a zone is a local time of `zone`.
fn parse(text: &str, zone: Option<Zone>) -> Result<i64, Fault> {
    parse_with(text, zone, Finer::Refused)
}

fn parse_with(text: &str, zone: Option<Zone>, finer: Finer) -> Result<i64, Fault> {
    let mut rest = Reader(text.as_bytes());
    let day = rest.day()?;
    rest.one_of(b"Tt ")?;
    let hour = rest.number(2)?;
    rest.one_of(b":")?;
    let minute = rest.number(2)?;
    rest.one_of(b":")?;
    let second = rest.number(2)?;
    let (millis, is_finer) = rest.fraction()?;
    let offset = if rest.0.is_empty() {
        None
    } else {
        Some(rest.offset()?)
    };
    if offset.is_none() && zone.is_none() {
        return Err(Fault::NoZone);
    }
    let days = day.since_epoch()?;
    if hour > 23 || minute > 59 || second > 59 {
        return Err(Fault::NotOnClock);
    }
    if is_finer && finer == Finer::Refused {
        return Err(Fault::TooFine);
    }
    let local = days * DAY + hour * HOUR + minute * MINUTE + second * SECOND + millis;
    let moment = match (offset, zone) {
        (Some(offset), _) => local - offset,
        (None, Some(zone)) => to_utc(local, zone)?,
        (None, None) => return Err(Fault::NoZone),
    };
    if in_range(moment) {
        Ok(moment)
    } else {
        Err(Fault::Range)
    }
}

/// The moment at which the clocks of `zone` show a local time, given in milliseconds as if it were
/// UTC.
fn to_utc(local: i64, zone: Zone) -> Result<i64, Fault> {
    let zone = match zone {
        Zone::Offset(minutes) => return Ok(local - i64::from(minutes) * MINUTE),
        Zone::Named(zone) => zone,
    };
    let clock = DateTime::from_timestamp_millis(local).ok_or(Fault::Range)?;
    match zone.offset_from_local_datetime(&clock.naive_utc()) {
        MappedLocalTime::Single(offset) => {
            Ok(local - i64::from(offset.fix().local_minus_utc()) * SECOND)
        }
        MappedLocalTime::Ambiguous(..) => Err(Fault::Twice(zone)),
        MappedLocalTime::None => Err(Fault::Skipped(zone)),
    }
}

impl Reader<'_> {
    /// The whole milliseconds of an optional fraction, and whether it is finer than that.
    fn fraction(&mut self) -> Result<(i64, bool), Fault> {
        if self.one_of(b".").is_err() {
            return Ok((0, false));
        }
        let length = self
            .0
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let (digits, tail) = self.0.split_at(length);
        if digits.is_empty() {
            return Err(Fault::Syntax);
        }
        self.0 = tail;
        let millis = [100, 10, 1]
            .iter()
            .zip(digits)
            .map(|(worth, digit)| worth * i64::from(digit - b'0'))
            .sum();
        let finer = digits.iter().skip(3).any(|digit| *digit != b'0');
        Ok((millis, finer))
    }

    /// The offset from UTC in milliseconds, up to the end of the text.
    fn offset(&mut self) -> Result<i64, Fault> {
        let offset = match self.one_of(b"Zz+-")? {
            sign @ (b'+' | b'-') => {
                let hours = self.number(2)?;
                self.one_of(b":")?;
                let minutes = self.number(2)?;
                if hours > 23 || minutes > 59 {
                    return Err(Fault::NotOnClock);
                }
                let offset = hours * HOUR + minutes * MINUTE;
                if sign == b'-' { -offset } else { offset }
            }
            _ => 0,
        };
        if self.0.is_empty() {
            Ok(offset)
        } else {
            Err(Fault::Syntax)
        }
    }
}
