//! Numbers as their digits: exact, and without writing out an exponent before it is known to fit.

/// The most digits that a NUMERIC may have when written out.
pub(super) const MAX_DIGITS: u64 = 1_000;

/// Beyond this an exponent only means "does not fit", so it need not be known exactly.
const EXPONENT_LIMIT: i64 = 1 << 40;

/// A JSON number, taken apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    negative: bool,
    integer: &'a [u8],
    fraction: &'a [u8],
    exponent: Option<i64>,
    /// Where the significant digits begin, counted over `integer` and `fraction`.
    first: usize,
    /// How many significant digits there are; none is zero.
    digits: usize,
}

/// Why a number is no integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntegerFault {
    NoNumber,
    Fraction,
    Range,
}

/// Why a number does not fit a NUMERIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumericFault {
    TooLong,
    Scale { digits: u64, holds: u16 },
    Precision { digits: u64, holds: u16 },
}

/// The integer that a JSON number spells, also as `5.0` or `1e3`.
pub(super) fn integer(token: &str) -> Result<i64, IntegerFault> {
    if let Ok(number) = token.parse() {
        return Ok(number);
    }
    let number = Decimal::parse(token).ok_or(IntegerFault::NoNumber)?;
    if number.fraction_digits() > 0 {
        return Err(IntegerFault::Fraction);
    }
    // The largest 64-bit integer has 19 digits, so the sum below cannot overflow 128 bits.
    if number.integer_digits() > 19 {
        return Err(IntegerFault::Range);
    }
    let magnitude = (0..number.integer_digits()).fold(0_i128, |sum, place| {
        sum * 10 + i128::from(number.digit_at(place) - b'0')
    });
    let signed = if number.negative {
        -magnitude
    } else {
        magnitude
    };
    i64::try_from(signed).map_err(|_| IntegerFault::Range)
}

impl<'a> Decimal<'a> {
    /// Takes a number of the JSON grammar apart; `None` for anything else.
    pub(super) fn parse(token: &'a str) -> Option<Self> {
        let bytes = token.as_bytes();
        let negative = bytes.first() == Some(&b'-');
        let (integer, rest) = split_digits(bytes.get(usize::from(negative)..)?);
        if integer.is_empty() || (integer.len() > 1 && integer.first() == Some(&b'0')) {
            return None;
        }
        let (fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => {
                let (fraction, rest) = split_digits(rest);
                (!fraction.is_empty()).then_some((fraction, rest))?
            }
            _ => (&[][..], rest),
        };
        let exponent = match rest.split_first() {
            None => None,
            Some((b'e' | b'E', rest)) => Some(exponent(rest)?),
            Some(_) => return None,
        };
        let all = || integer.iter().chain(fraction);
        let first = all().take_while(|digit| **digit == b'0').count();
        let trailing = all().rev().take_while(|digit| **digit == b'0').count();
        let length = integer.len() + fraction.len();
        Some(Self {
            negative,
            integer,
            fraction,
            exponent,
            first,
            digits: length.saturating_sub(first + trailing),
        })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits == 0
    }

    /// Whether the number can be held, without writing it out.
    pub(super) fn check(&self, limits: Option<(u16, u16)>) -> Result<(), NumericFault> {
        let (before, after) = (self.integer_digits(), self.fraction_digits());
        if before.saturating_add(after) > MAX_DIGITS {
            return Err(NumericFault::TooLong);
        }
        let Some((precision, scale)) = limits else {
            return Ok(());
        };
        if after > u64::from(scale) {
            return Err(NumericFault::Scale {
                digits: after,
                holds: scale,
            });
        }
        let holds = precision.saturating_sub(scale);
        if before > u64::from(holds) {
            return Err(NumericFault::Precision {
                digits: before,
                holds,
            });
        }
        Ok(())
    }

    /// Whether the token is spelt canonically already; see `ColumnType::Numeric` of the core.
    pub(super) fn is_canonical(&self, limits: Option<(u16, u16)>) -> bool {
        let fraction_fits = match limits {
            Some((_, scale)) => self.fraction.len() == usize::from(scale),
            None => self.fraction.last() != Some(&b'0'),
        };
        self.exponent.is_none() && fraction_fits && !(self.negative && self.is_zero())
    }

    /// Appends the canonical spelling of a number that [`Self::check`] let pass.
    pub(super) fn write_canonical(&self, limits: Option<(u16, u16)>, out: &mut String) {
        if self.negative && !self.is_zero() {
            out.push('-');
        }
        let before = self.integer_digits();
        if before == 0 {
            out.push('0');
        }
        out.extend((0..before).map(|place| char::from(self.digit_at(place))));
        let after = limits.map_or(self.fraction_digits(), |(_, scale)| u64::from(scale));
        if after > 0 {
            out.push('.');
            // Places count from the first significant digit, so a small number has its leading
            // zeros after the point at places before it.
            let zeros = self.leading_fraction_zeros().min(after);
            out.extend((0..zeros).map(|_| '0'));
            out.extend(
                (before..before + after - zeros).map(|place| char::from(self.digit_at(place))),
            );
        }
    }

    /// The position of the point, counted from the first significant digit.
    fn point(&self) -> i64 {
        let length = i64::try_from(self.integer.len()).unwrap_or(EXPONENT_LIMIT);
        let first = i64::try_from(self.first).unwrap_or(EXPONENT_LIMIT);
        length - first + self.exponent.unwrap_or(0)
    }

    /// How many digits stand before the point when the number is written out; none for 0.5.
    fn integer_digits(&self) -> u64 {
        if self.is_zero() {
            return 0;
        }
        u64::try_from(self.point()).unwrap_or(0)
    }

    /// How many digits stand after the point when the number is written out without trailing
    /// zeros.
    fn fraction_digits(&self) -> u64 {
        if self.is_zero() {
            return 0;
        }
        let digits = i64::try_from(self.digits).unwrap_or(EXPONENT_LIMIT);
        u64::try_from(digits - self.point()).unwrap_or(0)
    }

    fn leading_fraction_zeros(&self) -> u64 {
        if self.is_zero() {
            return 0;
        }
        u64::try_from(-self.point()).unwrap_or(0)
    }

    /// The significant digit at `place`; zero beyond the last.
    fn digit_at(&self, place: u64) -> u8 {
        let index = usize::try_from(place)
            .ok()
            .filter(|place| *place < self.digits)
            .map(|place| place + self.first);
        index.map_or(b'0', |index| {
            self.integer
                .get(index)
                .or_else(|| self.fraction.get(index - self.integer.len()))
                .copied()
                .unwrap_or(b'0')
        })
    }
}

fn split_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes
        .iter()
        .position(|byte| !byte.is_ascii_digit())
        .unwrap_or(bytes.len());
    bytes.split_at(end)
}

fn exponent(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes.split_first() {
        Some((b'-', digits)) => (true, digits),
        Some((b'+', digits)) => (false, digits),
        _ => (false, bytes),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0_i64, |sum, digit| {
        (sum * 10 + i64::from(digit - b'0')).min(EXPONENT_LIMIT)
    });
    Some(if negative { -magnitude } else { magnitude })
}
