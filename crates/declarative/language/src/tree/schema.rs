//! What an unquoted scalar means: the core schema of YAML 1.2.
//!
//! Numbers come out as valid JSON numbers, because that is what events are made of. Spellings that
//! other YAML readers take for another number are set apart, so that they can be refused.

/// The meaning of an unquoted scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plain {
    Null,
    Bool(bool),
    /// A number, spelt as JSON spells it.
    Number(String),
    Unusual(Unusual),
    Text,
}

/// A number that is not taken as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unusual {
    /// `0x1F` or `0o17`, with its value where that is small enough to tell.
    OtherBase(Option<u64>),
    /// `007`: seven here, octal in YAML 1.1, and often meant as text.
    LeadingZero,
    /// `.inf` or `.nan`.
    NotFinite,
}

/// Decides what an unquoted scalar means.
pub(crate) fn resolve(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        ".nan" | ".NaN" | ".NAN" => return Plain::Unusual(Unusual::NotFinite),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Plain::Unusual(Unusual::NotFinite);
    }
    for (prefix, base) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(base))
        {
            let value = u64::from_str_radix(digits, base).ok();
            return Plain::Unusual(Unusual::OtherBase(value));
        }
    }
    decimal(text.starts_with('-'), unsigned).unwrap_or(Plain::Text)
}

/// `[0-9]+`, `[0-9]*.[0-9]*` with a digit somewhere, either with an exponent.
fn decimal(negative: bool, text: &str) -> Option<Plain> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, Some(text.get(at + 1..)?)),
        None => (text, None),
    };
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits_only = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits_only(integer)
        || !digits_only(fraction)
        || (integer.is_empty() && fraction.is_empty())
    {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !digits_only(digits) {
            return None;
        }
    }
    if integer.len() > 1 && integer.starts_with('0') {
        return Some(Plain::Unusual(Unusual::LeadingZero));
    }
    let mut number = String::with_capacity(text.len() + 2);
    if negative {
        number.push('-');
    }
    number.push_str(if integer.is_empty() { "0" } else { integer });
    if !fraction.is_empty() {
        number.push('.');
        number.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        number.push('e');
        number.push_str(exponent);
    }
    Some(Plain::Number(number))
}

#[cfg(test)]
mod tests {
    use super::{Plain, Unusual, resolve};

    /// The spellings of chapter 10.3.2 of the YAML 1.2.2 specification, and those that only
    /// YAML 1.1 knew.
    #[test]
    fn the_core_schema_decides() {
        for (text, number) in [
            ("0", "0"),
            ("-0", "-0"),
            ("+12", "12"),
            ("-19", "-19"),
            ("0.", "0"),
            ("-0.0", "-0.0"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("12e03", "12e03"),
            ("-2E+05", "-2e+05"),
            ("1.50", "1.50"),
        ] {
            assert_eq!(resolve(text), Plain::Number(number.to_owned()), "{text}");
        }
        for text in ["~", "null", "Null", "NULL", ""] {
            assert_eq!(resolve(text), Plain::Null, "{text}");
        }
        assert_eq!(resolve("True"), Plain::Bool(true));
        assert_eq!(resolve("FALSE"), Plain::Bool(false));
        for text in [
            "no",
            "Yes",
            "on",
            "OFF",
            "y",
            "nULL",
            "tRUE",
            "1_000",
            "2024-06-25",
            "1e",
            "1e+",
            ".",
            "-",
            "+",
            "e3",
            "1.2.3",
            "12:30",
            "0x",
            "0xg",
            "0b1",
            "1,000",
            "-.",
            "inf",
        ] {
            assert_eq!(resolve(text), Plain::Text, "{text}");
        }
        for (text, unusual) in [
            ("0x1F", Unusual::OtherBase(Some(31))),
            ("0o17", Unusual::OtherBase(Some(15))),
            ("0xfffffffffffffffff", Unusual::OtherBase(None)),
            ("007", Unusual::LeadingZero),
            ("-00.5", Unusual::LeadingZero),
            ("-.inf", Unusual::NotFinite),
            (".NaN", Unusual::NotFinite),
        ] {
            assert_eq!(resolve(text), Plain::Unusual(unusual), "{text}");
        }
    }
}
