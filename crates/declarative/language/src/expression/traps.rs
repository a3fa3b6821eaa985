//! Spellings that people write in good faith and that do not mean here what they mean elsewhere.

use crate::tree::Unusual;

/// Message and help for a number that is not taken as it stands.
pub(crate) fn number_trap(text: &str, unusual: &Unusual) -> (String, String) {
    match unusual {
        Unusual::OtherBase(Some(value)) => (
            format!("`{text}` is not spelt in decimal digits"),
            format!("write `{value}`"),
        ),
        Unusual::OtherBase(None) => (
            format!("`{text}` is not spelt in decimal digits"),
            "write the number in decimal digits".to_owned(),
        ),
        Unusual::LeadingZero => {
            let trimmed = text.trim_start_matches(['-', '+', '0']);
            let sign = if text.starts_with('-') { "-" } else { "" };
            let number = if trimmed.is_empty() { "0" } else { trimmed };
            let zero = if number.starts_with(['.', 'e', 'E']) { "0" } else { "" };
            (
                format!("`{text}` begins with a zero, which some read as octal"),
                format!("write `{sign}{zero}{number}` for the number, or `\"'{text}'\"` for the text"),
            )
        }
        Unusual::NotFinite => (
            format!("`{text}` is no number that a column can hold"),
            "write a finite number, or `null`".to_owned(),
        ),
    }
}

/// What to write instead of a word that is text in YAML 1.2 but often meant as something else.
pub(crate) fn text_trap(text: &str) -> Option<String> {
    let word = text.to_ascii_lowercase();
    if matches!(word.as_str(), "yes" | "on") {
        return Some(format!(
            "`{text}` is text in YAML 1.2; write `true` for the truth value, or `\"'{text}'\"` for the text"
        ));
    }
    if matches!(word.as_str(), "no" | "off") {
        return Some(format!(
            "`{text}` is text in YAML 1.2; write `false` for the truth value, or `\"'{text}'\"` for the text"
        ));
    }
    if word.starts_with(|c: char| c.is_ascii_digit() || c == '-') && is_grouped_number(&word) {
        return Some(format!(
            "numbers have no `_` in YAML 1.2; write `{}`",
            text.replace('_', "")
        ));
    }
    if is_date(text) {
        return Some(format!(
            "dates are texts here; write `\"'{text}'\"`, for TIMESTAMPTZ with time and zone, such as \
             `\"'2024-06-25T16:00:00Z'\"`"
        ));
    }
    None
}

fn is_grouped_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    word.contains('_')
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '_' | '.'))
}

/// Whether the text begins as `2024-06-25` does.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes.iter().take(10).enumerate().all(|(index, byte)| {
            if matches!(index, 4 | 7) {
                *byte == b'-'
            } else {
                byte.is_ascii_digit()
            }
        })
}
