//! The calendar, and texts of fixed widths that are read from the front.

use super::timestamp::Fault;

/// Reads from the front; every step fails with what is wrong there.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl Reader<'_> {
    pub(super) fn number(&mut self, digits: usize) -> Result<i64, Fault> {
        let (head, tail) = self.0.split_at_checked(digits).ok_or(Fault::Syntax)?;
        if !head.iter().all(u8::is_ascii_digit) {
            return Err(Fault::Syntax);
        }
        self.0 = tail;
        Ok(head
            .iter()
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    pub(super) fn one_of(&mut self, wanted: &[u8]) -> Result<u8, Fault> {
        match self.0.split_first() {
            Some((byte, tail)) if wanted.contains(byte) => {
                self.0 = tail;
                Ok(*byte)
            }
            _ => Err(Fault::Syntax),
        }
    }

    /// A day such as `2024-06-25`, whether or not it exists.
    pub(super) fn day(&mut self) -> Result<Day, Fault> {
        let year = self.number(4)?;
        self.one_of(b"-")?;
        let month = self.number(2)?;
        self.one_of(b"-")?;
        let day = self.number(2)?;
        Ok(Day { year, month, day })
    }
}

/// A day as it was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day {
    year: i64,
    month: i64,
    day: i64,
}

impl Day {
    /// Days since 1970-01-01, for a day that exists.
    pub(super) fn since_epoch(self) -> Result<i64, Fault> {
        let Self { year, month, day } = self;
        if year == 0 {
            return Err(Fault::Range);
        }
        let exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
        exists
            .then(|| days_since_epoch(year, month, day))
            .ok_or(Fault::NotOnClock)
    }
}

const fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

const fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar, which is continued before its introduction.
pub(super) const fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let full_years = year - 1;
    let mut days = full_years * 365 + full_years / 4 - full_years / 100 + full_years / 400;
    let mut full_month = 1;
    while full_month < month {
        days += days_in_month(year, full_month);
        full_month += 1;
    }
    /// From 0001-01-01 to 1970-01-01.
    const EPOCH: i64 = 719_162;
    days + day - 1 - EPOCH
}
