//! UUID text to its bytes.

/// Where the hyphens stand in the hyphenated form.
const HYPHENS: [usize; 4] = [8, 13, 18, 23];

/// The bytes of a UUID of 32 hexadecimal digits, bare or with the four hyphens, in any case.
pub(super) fn parse(text: &str) -> Option<[u8; 16]> {
    let text = text.as_bytes();
    let hyphenated = match text.len() {
        32 => false,
        36 => HYPHENS.iter().all(|index| text.get(*index) == Some(&b'-')),
        _ => return None,
    };
    let mut digits = text
        .iter()
        .enumerate()
        .filter(|(index, _)| !(hyphenated && HYPHENS.contains(index)))
        .map(|(_, byte)| hex(*byte));
    let mut bytes = [0; 16];
    for byte in &mut bytes {
        *byte = digits.next()?? << 4 | digits.next()??;
    }
    digits.next().is_none().then_some(bytes)
}

fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
