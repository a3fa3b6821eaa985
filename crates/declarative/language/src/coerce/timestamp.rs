//! RFC 3339 text to Unix milliseconds, strictly: a zone is required and nothing is rounded.

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The first moment that fits: 0001-01-01T00:00:00Z.
const FIRST: i64 = days_since_epoch(1, 1, 1) * DAY;
/// The first moment that does not fit any more: 10000-01-01T00:00:00Z.
const END: i64 = days_since_epoch(10_000, 1, 1) * DAY;

/// Why a text is no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Syntax,
    NoZone,
    NotOnClock,
    TooFine,
    Range,
}

impl Fault {
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Syntax => "is no RFC 3339 text",
            Self::NoZone => "has no time zone, such as Z or +02:00",
            Self::NotOnClock => "names a day or a time that does not exist",
            Self::TooFine => "is finer than a millisecond",
            Self::Range => "is not within the years 0001 to 9999",
        }
    }
}

/// Whether the moment lies within the years 0001 to 9999.
pub(super) fn in_range(millis: i64) -> bool {
    (FIRST..END).contains(&millis)
}

/// The Unix milliseconds of an RFC 3339 text.
pub(super) fn parse(text: &str) -> Result<i64, Fault> {
    let mut rest = Reader(text.as_bytes());
    let year = rest.number(4)?;
    rest.one_of(b"-")?;
    let month = rest.number(2)?;
    rest.one_of(b"-")?;
    let day = rest.number(2)?;
    rest.one_of(b"Tt ")?;
    let hour = rest.number(2)?;
    rest.one_of(b":")?;
    let minute = rest.number(2)?;
    rest.one_of(b":")?;
    let second = rest.number(2)?;
    let fraction = rest.fraction()?;
    let offset = rest.offset()?;
    if year == 0 {
        return Err(Fault::Range);
    }
    let day_exists = (1..=12).contains(&month) && (1..=days_in_month(year, month)).contains(&day);
    if !day_exists || hour > 23 || minute > 59 || second > 59 {
        return Err(Fault::NotOnClock);
    }
    let millis = fraction.ok_or(Fault::TooFine)?;
    let time = hour * HOUR + minute * MINUTE + second * SECOND + millis;
    let moment = days_since_epoch(year, month, day) * DAY + time - offset;
    if in_range(moment) {
        Ok(moment)
    } else {
        Err(Fault::Range)
    }
}

/// Reads from the front; every step fails with what is wrong there.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self, digits: usize) -> Result<i64, Fault> {
        let (head, tail) = self.0.split_at_checked(digits).ok_or(Fault::Syntax)?;
        if !head.iter().all(u8::is_ascii_digit) {
            return Err(Fault::Syntax);
        }
        self.0 = tail;
        Ok(head
            .iter()
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
    }

    fn one_of(&mut self, wanted: &[u8]) -> Result<u8, Fault> {
        match self.0.split_first() {
            Some((byte, tail)) if wanted.contains(byte) => {
                self.0 = tail;
                Ok(*byte)
            }
            _ => Err(Fault::Syntax),
        }
    }

    /// The milliseconds of an optional fraction; `None` when it is finer than that.
    fn fraction(&mut self) -> Result<Option<i64>, Fault> {
        if self.one_of(b".").is_err() {
            return Ok(Some(0));
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
        Ok((!finer).then_some(millis))
    }

    /// The offset from UTC in milliseconds, up to the end of the text.
    fn offset(&mut self) -> Result<i64, Fault> {
        if self.0.is_empty() {
            return Err(Fault::NoZone);
        }
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
const fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
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
