//! UUID text to its bytes.

/// The bytes of a UUID of 32 hexadecimal digits, bare or with the four hyphens, in any case.
pub(super) fn parse(text: &str) -> Option<[u8; 16]> {
    let text = text.as_bytes();
    let hyphenated = text.len() == 36;
    let mut at = 0;
    let mut bytes = [0; 16];
    for (index, byte) in bytes.iter_mut().enumerate() {
        if hyphenated && matches!(index, 4 | 6 | 8 | 10) {
            if text.get(at) != Some(&b'-') {
                return None;
            }
            at += 1;
        }
        *byte = hex(*text.get(at)?)? << 4 | hex(*text.get(at + 1)?)?;
        at += 2;
    }
    (at == text.len()).then_some(bytes)
}

fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}
