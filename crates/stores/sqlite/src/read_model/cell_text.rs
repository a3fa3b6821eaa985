//! The text form of what SQLite has no type for: moments and UUIDs.

use std::fmt::Write as _;

use projectionist_core::Timestamp;

const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// Writes a moment as `2024-06-25T16:00:00.000Z`. Such texts have one width and sort by time.
///
/// `None` outside the years 0001 to 9999: such a text would be longer, or sort wrongly.
#[must_use]
pub(super) fn write_timestamp(text: &mut String, moment: Timestamp) -> Option<()> {
    let days = moment.unix_millis.div_euclid(MILLIS_PER_DAY);
    let millis = moment.unix_millis.rem_euclid(MILLIS_PER_DAY);
    let (year, month, day) = civil(days);
    if !(1..=9999).contains(&year) {
        return None;
    }
    let (seconds, millis) = (millis / 1000, millis % 1000);
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hour, minute) = (minutes / 60, minutes % 60);
    write!(
        text,
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z"
    )
    .ok()
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

/// Writes a UUID in lower case with hyphens.
pub(super) fn write_uuid(text: &mut String, bytes: &[u8; 16]) {
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

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn text_of(unix_millis: i64) -> Option<String> {
        let mut text = String::new();
        write_timestamp(&mut text, Timestamp::from_unix_millis(unix_millis)).map(|()| text)
    }

    const FIRST: i64 = -62_135_596_800_000;
    const LAST: i64 = 253_402_300_799_999;

    #[test]
    fn the_first_and_the_last_moment_are_those_of_the_years_0001_and_9999() {
        assert_eq!(text_of(FIRST).as_deref(), Some("0001-01-01T00:00:00.000Z"));
        assert_eq!(text_of(LAST).as_deref(), Some("9999-12-31T23:59:59.999Z"));
        for outside in [FIRST - 1, LAST + 1, i64::MIN, i64::MAX] {
            assert_eq!(text_of(outside), None, "{outside}");
        }
    }

    #[test]
    fn moments_read_as_sqlite_reads_them() {
        let oracle = Connection::open_in_memory().unwrap();
        let mut statement = oracle
            .prepare("SELECT strftime('%Y-%m-%dT%H:%M:%S', ?1, 'unixepoch')")
            .unwrap();
        // A step that is coprime to the length of a day meets every hour, month and leap year.
        let step = 1_000_003_000 * 37;
        let whole_seconds = (FIRST..=LAST)
            .step_by(step)
            .chain([0, -1000, 951_782_400_000]);
        for unix_millis in whole_seconds {
            let expected: String = statement
                .query_row([unix_millis / 1000], |row| row.get(0))
                .unwrap();
            assert_eq!(text_of(unix_millis), Some(format!("{expected}.000Z")));
            assert_eq!(text_of(unix_millis + 7), Some(format!("{expected}.007Z")));
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
