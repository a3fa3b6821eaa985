//! Adds decimal numbers exactly, digit by digit, in the spelling in which cells hold them.
//!
//! Every store that has no exact decimal type of its own adds with this, so that a sum does not
//! depend on the store.

/// The sum of two decimals in the canonical spelling of [`super::ColumnType::Numeric`], in that
/// spelling. `limits` are the precision and scale of the column.
///
/// `None` when the sum does not fit the limits (it is never rounded), or when an operand is no
/// decimal in plain digits.
///
/// ```
/// use projectionist_core::row::add_decimal;
///
/// assert_eq!(add_decimal("0.1", "0.2", None).as_deref(), Some("0.3"));
/// assert_eq!(add_decimal("0", "-7.5", Some((4, 2))).as_deref(), Some("-7.50"));
/// assert_eq!(add_decimal("99.99", "0.01", Some((4, 2))), None);
/// ```
#[must_use]
pub fn add_decimal(a: &str, b: &str, limits: Option<(u16, u16)>) -> Option<String> {
    let (a, b) = (Decimal::parse(a)?, Decimal::parse(b)?);
    let kept_scale = limits.map_or(0, |(_, scale)| usize::from(scale));
    // One digit more than the longer operand takes the carry.
    let whole = a.whole.len().max(b.whole.len()) + 1;
    let scale = a.fraction.len().max(b.fraction.len()).max(kept_scale);
    let (mut left, mut right) = (a.digits(whole, scale), b.digits(whole, scale));
    let negative = if a.negative == b.negative {
        add(&mut left, &right);
        a.negative
    } else if left >= right {
        subtract(&mut left, &right);
        a.negative
    } else {
        subtract(&mut right, &left);
        left = right;
        b.negative
    };
    spell(negative, &left, whole, limits)
}

/// A number in its parts; both parts are ASCII digits.
struct Decimal<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
}

impl<'a> Decimal<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        (!whole.is_empty() && plain(whole) && plain(fraction)).then_some(Self {
            negative,
            whole,
            fraction,
        })
    }

    /// The digits as numbers, with `whole` of them before the point and `scale` behind it.
    fn digits(&self, whole: usize, scale: usize) -> Vec<u8> {
        let mut digits = vec![0; whole - self.whole.len()];
        digits.extend(
            self.whole
                .bytes()
                .chain(self.fraction.bytes())
                .map(|digit| digit - b'0'),
        );
        digits.resize(whole + scale, 0);
        digits
    }
}

/// Adds `other` of the same length to `digits`, which have room for the carry.
fn add(digits: &mut [u8], other: &[u8]) {
    let mut carry = 0;
    for (digit, other) in digits.iter_mut().zip(other).rev() {
        let sum = *digit + other + carry;
        *digit = sum % 10;
        carry = sum / 10;
    }
}

/// Subtracts `other` of the same length, which is not larger, from `digits`.
fn subtract(digits: &mut [u8], other: &[u8]) {
    let mut borrow = 0;
    for (digit, other) in digits.iter_mut().zip(other).rev() {
        let difference = *digit + 10 - other - borrow;
        *digit = difference % 10;
        borrow = u8::from(difference < 10);
    }
}

/// Writes digits down canonically; `None` when they do not fit the limits.
fn spell(
    negative: bool,
    digits: &[u8],
    whole: usize,
    limits: Option<(u16, u16)>,
) -> Option<String> {
    let last_used = digits.iter().rposition(|digit| *digit != 0);
    let end = match limits {
        Some((_, scale)) => whole + usize::from(scale),
        None => whole.max(last_used.map_or(0, |last| last + 1)),
    };
    let first_used = digits.iter().position(|digit| *digit != 0).unwrap_or(end);
    let precision = limits.map_or(usize::MAX, |(precision, _)| usize::from(precision));
    if last_used.is_some_and(|last| last >= end) || end - first_used > precision {
        return None;
    }
    let mut text = String::with_capacity(end + 2);
    if negative && last_used.is_some() {
        text.push('-');
    }
    for (index, digit) in digits
        .iter()
        .enumerate()
        .take(end)
        .skip(first_used.min(whole - 1))
    {
        if index == whole {
            text.push('.');
        }
        text.push(char::from(b'0' + digit));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_keep_the_canonical_spelling() {
        for (a, b, limits, sum) in [
            ("0.1", "0.2", None, Some("0.3")),
            ("1.5", "0.5", None, Some("2")),
            ("-0.5", "0.5", None, Some("0")),
            (
                "9999999999999999999999999999",
                "0.0001",
                None,
                Some("9999999999999999999999999999.0001"),
            ),
            ("-3", "2.75", None, Some("-0.25")),
            ("99.99", "0.01", Some((5, 2)), Some("100.00")),
            ("99.99", "0.01", Some((4, 2)), None),
            ("0", "0", Some((4, 2)), Some("0.00")),
            ("-1.00", "1.00", Some((3, 2)), Some("0.00")),
            ("0.005", "0.004", Some((1, 3)), Some("0.009")),
            ("0.005", "0.005", Some((1, 3)), None),
            ("1.001", "0", Some((9, 2)), None),
            ("7", "8", Some((2, 0)), Some("15")),
        ] {
            assert_eq!(
                add_decimal(a, b, limits).as_deref(),
                sum,
                "{a} + {b} in {limits:?}"
            );
        }
    }

    #[test]
    fn what_is_no_plain_decimal_has_no_sum() {
        for text in ["", "-", ".5", "1e3", "+1", "١", "1.2.3", "NaN"] {
            assert_eq!(add_decimal(text, "1", None), None, "{text:?}");
        }
    }
}
