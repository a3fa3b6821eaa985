//! The text forms of moments, days and UUIDs, for stores without such types and for JSON.
//!
//! The texts have one width and one spelling, so they are equal when the values are; those of
//! moments and days also sort by time.

use std::fmt::Write as _;

use crate::Timestamp;

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Appends a moment as `2024-06-25T16:00:00.000Z`.
///
/// `None` outside the years 0001 to 9999: such a text would be longer, or sort wrongly.
#[must_use]
pub fn write_timestamp(text: &mut String, moment: Timestamp) -> Option<()> {
    write_day(text, moment.unix_millis.div_euclid(MILLIS_PER_DAY))?;
    let millis = moment.unix_millis.rem_euclid(MILLIS_PER_DAY);
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hour, minute) = (minutes / 60, minutes % 60);
    write!(text, "T{hour:02}:{minute:02}:{second:02}.{millis:03}Z").ok()
}

/// Appends a day, counted from 1970-01-01, as `2024-06-25`.
///
/// `None` outside the years 0001 to 9999.
#[must_use]
pub fn write_date(text: &mut String, days: i32) -> Option<()> {
    write_day(text, days.into())
}

/// Appends a UUID in lower case with hyphens.
pub fn write_uuid(text: &mut String, bytes: &[u8; 16]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for half in [byte >> 4, byte & 15] {
            text.push(char::from(DIGITS[usize::from(half)]));
        }
    }
}

fn write_day(text: &mut String, days: i64) -> Option<()> {
    let (year, month, day) = civil(days);
    if !(1..=9999).contains(&year) {
        return None;
    }
    write!(text, "{year:04}-{month:02}-{day:02}").ok()
}

/// Year, month and day of a day since 1970-01-01, in the Gregorian calendar.
///
/// Years are counted from March, so that the leap day is the last of its year: then the days
/// before a month are a straight line, and four hundred years always have the same length.
fn civil(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_400_YEARS: i64 = 146_097;
    const DAYS_PER_100_YEARS: i64 = 36_524;
    const DAYS_PER_4_YEARS: i64 = 1_461;
    /// From 0000-03-01 to 1970-01-01.
    const DAYS_BEFORE_1970: i64 = 719_468;

    let days = days.saturating_add(DAYS_BEFORE_1970);
    let era = days.div_euclid(DAYS_PER_400_YEARS);
    let day_of_era = days.rem_euclid(DAYS_PER_400_YEARS);
    // Without the leap days before it, each year has 365 days.
    let leap_days = day_of_era / (DAYS_PER_4_YEARS - 1) - day_of_era / DAYS_PER_100_YEARS
        + day_of_era / (DAYS_PER_400_YEARS - 1);
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Five months from March on always have 153 days.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_the_last_day_are_those_of_the_years_0001_and_9999() {
        let text_of = |days| {
            let mut text = String::new();
            write_date(&mut text, days).map(|()| text)
        };
        const FIRST: i32 = -719_162;
        const LAST: i32 = 2_932_896;
        assert_eq!(text_of(FIRST).as_deref(), Some("0001-01-01"));
        assert_eq!(text_of(-1).as_deref(), Some("1969-12-31"));
        assert_eq!(text_of(19_782).as_deref(), Some("2024-02-29"));
        assert_eq!(text_of(LAST).as_deref(), Some("9999-12-31"));
        for outside in [FIRST - 1, LAST + 1, i32::MIN, i32::MAX] {
            assert_eq!(text_of(outside), None, "{outside}");
        }
    }

    #[test]
    fn the_first_and_the_last_moment_are_those_of_the_years_0001_and_9999() {
        let text_of = |unix_millis| {
            let mut text = String::new();
            write_timestamp(&mut text, Timestamp::from_unix_millis(unix_millis)).map(|()| text)
        };
        const FIRST: i64 = -62_135_596_800_000;
        const LAST: i64 = 253_402_300_799_999;
        assert_eq!(text_of(FIRST).as_deref(), Some("0001-01-01T00:00:00.000Z"));
        assert_eq!(text_of(LAST).as_deref(), Some("9999-12-31T23:59:59.999Z"));
        for outside in [FIRST - 1, LAST + 1, i64::MIN, i64::MAX] {
            assert_eq!(text_of(outside), None, "{outside}");
        }
    }

    #[test]
    fn every_day_of_four_centuries_follows_the_one_before() {
        let mut last = civil(-1);
        assert_eq!(last, (1969, 12, 31));
        for days in 0..146_097 {
            let next = civil(days);
            assert!(next > last, "{next:?} after {last:?}");
            last = next;
        }
        assert_eq!(last, (2369, 12, 31));
    }

    #[test]
    fn uuids_have_their_hyphens() {
        let mut text = String::new();
        write_uuid(
            &mut text,
            &std::array::from_fn(|index| u8::try_from(index * 17).unwrap()),
        );
        assert_eq!(text, "00112233-4455-6677-8899-aabbccddeeff");
    }
}
