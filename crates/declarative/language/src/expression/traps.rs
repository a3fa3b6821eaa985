//! Spellings that people write in good faith and that do not mean here what they mean elsewhere.

use crate::tree::Unusual;

/// Where a value stands, which decides how a text is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// Where an expression is wanted: a text has quotes inside those of YAML.
    Expression,
    /// Where a value is wanted: the quotes of YAML are enough.
    Value,
}

impl Position {
    fn quote(self, text: &str) -> String {
        match self {
            Self::Expression => format!("`\"'{text}'\"`"),
            Self::Value => format!("`\"{text}\"`"),
        }
    }
}

/// Message and help for a number that is not taken as it stands.
pub(crate) fn number_trap(text: &str, unusual: &Unusual, position: Position) -> (String, String) {
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
            let quoted = position.quote(text);
            (
                format!("`{text}` begins with a zero, which some read as octal"),
                format!(
                    "write `{}` for the number, or {quoted} for the text",
                    without_leading_zeros(text)
                ),
            )
        }
        Unusual::NotFinite => (
            format!("`{text}` is no number that a column can hold"),
            "write a finite number, or `null`".to_owned(),
        ),
    }
}

fn without_leading_zeros(text: &str) -> String {
    let sign = if text.starts_with('-') { "-" } else { "" };
    let number = text.trim_start_matches(['-', '+', '0']);
    let zero = if number.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    format!("{sign}{zero}{number}")
}

/// What to write instead of a word that is text in YAML 1.2 but often meant as something else.
pub(crate) fn text_trap(text: &str, position: Position) -> Option<String> {
    let quoted = position.quote(text);
    let word = text.to_ascii_lowercase();
    let truth = match word.as_str() {
        "yes" | "on" => Some(true),
        "no" | "off" => Some(false),
        _ => None,
    };
    if let Some(truth) = truth {
        return Some(format!(
            "`{text}` is text in YAML 1.2; write `{truth}` for the truth value, or {quoted} for the \
             text"
        ));
    }
    if is_grouped_number(&word) {
        let number = text.replace('_', "");
        return Some(format!(
            "numbers have no `_` in YAML 1.2; write `{number}`, or {quoted} for the text"
        ));
    }
    if is_sexagesimal(text) {
        return Some(format!(
            "numbers of base 60, such as times of the day, are texts in YAML 1.2; write {quoted} for the \
             text, or the number in decimal digits"
        ));
    }
    if is_date(text) {
        let moment = position.quote("2024-06-25T16:00:00Z");
        return Some(format!(
            "dates are texts in YAML 1.2; write {quoted}, or with time and zone, such as {moment}, \
             for TIMESTAMPTZ"
        ));
    }
    None
}

fn is_grouped_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.contains('_')
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '_' | '.'))
}

/// Whether this is `1:30` or `12:30:00`, a number in YAML 1.1.
fn is_sexagesimal(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut parts = digits.split(':');
    let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits.contains(':') && parts.all(number)
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
