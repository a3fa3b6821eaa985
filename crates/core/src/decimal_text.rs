//! Numbers as decimal text, written for less than a save costs.
//!
//! The general way of formatting costs more than a save does. And a buffer that is filled piece by
//! piece and copied at once as a whole makes the processor wait until the pieces have arrived in its
//! cache, so eight digits are made in a register and written where they belong.

/// How many digits are made in one go.
const DIGITS: u32 = 8;
/// The first number that has more of them.
const BEYOND: u64 = 10_u64.pow(DIGITS);

/// Appends `number` in decimal digits, without leading zeros: what `to_string` gives. For
/// [`crate::Position::write_to`], which is called at every save.
pub fn push_decimal(number: u64, out: &mut String) {
    if number < BEYOND {
        let digits = eight_digits(number);
        // The first digit stands in the lowest byte. That of zero is kept.
        let zeros = (digits.trailing_zeros() / 8).min(DIGITS - 1);
        push_ascii(digits >> (8 * zeros), DIGITS - zeros, out);
    } else {
        push_decimal(number / BEYOND, out);
        push_ascii(eight_digits(number % BEYOND), DIGITS, out);
    }
}

/// The digits of a number below [`BEYOND`], one a byte, the first one lowest.
fn eight_digits(number: u64) -> u64 {
    // Two numbers of four digits, then four of two, then eight of one, each beside the other.
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

/// Appends the lowest `count` bytes as digits.
fn push_ascii(digits: u64, count: u32, out: &mut String) {
    let count = count as usize;
    out.reserve(count);
    for digit in digits.to_le_bytes().into_iter().take(count) {
        // A digit has four bits, which tells the compiler that its character is one byte.
        out.push(char::from(b'0' | (digit & 0x0f)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_as_the_standard_library_writes_it() {
        let powers = (0..20).map(|power| 10_u64.pow(power));
        let around = powers.flat_map(|power| [power - 1, power, power + 1]);
        // A step that is no multiple of any power of ten or two meets every digit everywhere.
        let spread = (0..100_000).map(|step| step * 184_467_440_737_091);
        let few = 0..20_000;
        for number in around.chain(spread).chain(few).chain([u64::MAX]) {
            let mut text = "behind ".to_owned();
            push_decimal(number, &mut text);
            assert_eq!(text, format!("behind {number}"));
        }
    }

    #[test]
    fn every_pair_of_four_digits_is_taken_apart() {
        for four in 0..10_000 {
            let number = four * 10_000 + (9_999 - four);
            let mut text = String::new();
            push_decimal(number, &mut text);
            assert_eq!(text, number.to_string());
        }
    }
}
