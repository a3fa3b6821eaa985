//! Coercion against independent oracles: arbitrary-precision decimals and another JSON library.

use std::str::FromStr;

use bigdecimal::{BigDecimal, ToPrimitive};
use projectionist_core::row::{Cell, ColumnType};
use projectionist_language::{JsonValue, coerce};
use proptest::prelude::*;

/// Numbers of the JSON grammar, with many zeros and points in odd places.
fn number() -> impl Strategy<Value = String> {
    "-?(0|[1-9][0-9]{0,3}|[1-9]0{0,18}|[1-9][0-9]{17,20})(\\.[0-9]{1,4}|\\.0{1,4}|\\.0{1,3}[1-9])?([eE][+-]?[0-9]{1,2})?"
}

/// Whether the text is a plain decimal without superfluous zeros; `scale` fixes the digits after
/// the point.
fn is_canonical(text: &str, scale: Option<usize>) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (integer, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let nonzero = unsigned.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    !integer.is_empty()
        && digits(integer)
        && digits(fraction)
        && (integer == "0" || !integer.starts_with('0'))
        && (nonzero || !text.starts_with('-'))
        && unsigned.ends_with('.').eq(&false)
        && match scale {
            Some(scale) => fraction.len() == scale,
            None => !unsigned.contains('.') || !fraction.ends_with('0'),
        }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn numeric_keeps_the_value_and_has_one_spelling(token in number(), as_text: bool) {
        let exact = BigDecimal::from_str(&token).unwrap();
        let value = if as_text { JsonValue::Text(&token) } else { JsonValue::Number(&token) };
        let mut buffer = String::new();
        let cell = coerce(ColumnType::Numeric { limits: None }, value, &mut buffer).unwrap();
        let Cell::Numeric(text) = cell else { panic!("{cell:?}") };
        prop_assert_eq!(BigDecimal::from_str(text).unwrap(), exact);
        prop_assert!(is_canonical(text, None), "{} became {}", token, text);
    }

    #[test]
    fn numeric_with_limits_takes_exactly_what_fits(
        token in number(),
        precision in 1_u16..30,
        scale in 0_u16..30,
    ) {
        let scale = scale.min(precision);
        let exact = BigDecimal::from_str(&token).unwrap();
        let ten = BigDecimal::from(10);
        let mut bound = BigDecimal::from(1);
        for _ in 0..precision - scale {
            bound *= &ten;
        }
        let fits = exact.abs() < bound && exact.with_scale(scale.into()) == exact;
        let column_type = ColumnType::Numeric { limits: Some((precision, scale)) };
        let mut buffer = String::new();
        match coerce(column_type, JsonValue::Number(&token), &mut buffer) {
            Ok(Cell::Numeric(text)) => {
                prop_assert!(fits, "{} was taken by {}", token, column_type);
                prop_assert_eq!(BigDecimal::from_str(text).unwrap(), exact);
                prop_assert!(is_canonical(text, Some(scale.into())), "{} became {}", token, text);
            }
            Ok(other) => prop_assert!(false, "{:?}", other),
            Err(error) => prop_assert!(!fits, "{} was refused: {}", token, error),
        }
    }

    #[test]
    fn bigint_takes_exactly_the_whole_numbers_in_range(token in number()) {
        let exact = BigDecimal::from_str(&token).unwrap();
        let whole = exact.is_integer().then(|| exact.to_i64()).flatten();
        let mut buffer = String::new();
        let cell = coerce(ColumnType::BigInt, JsonValue::Number(&token), &mut buffer);
        prop_assert_eq!(cell.ok(), whole.map(Cell::Int), "{}", token);
    }

    #[test]
    fn a_text_in_jsonb_reads_back_as_itself(text in "\\PC*|[\\x01-\\x1f\"\\\\/é]{0,20}") {
        let mut buffer = String::new();
        let cell = coerce(ColumnType::Jsonb, JsonValue::Text(&text), &mut buffer).unwrap();
        let Cell::Json(json) = cell else { panic!("{cell:?}") };
        prop_assert_eq!(serde_json::from_str::<String>(json).unwrap(), text);
    }

    #[test]
    fn raw_json_is_kept_or_holds_what_no_store_keeps(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "\\u0000", "\\u0001", "\\\\", "\\\"", "\\ud800", "\\udc00", "\\uD83D\\uDE00", "\\n",
                "u0000", "a", "é",
            ]),
            0..8,
        ),
    ) {
        let raw = format!("[\"{}\"]", pieces.concat());
        let storable = serde_json::from_str::<Vec<String>>(&raw)
            .is_ok_and(|texts| !texts.iter().any(|text| text.contains('\0')));
        let mut buffer = String::new();
        match coerce(ColumnType::Jsonb, JsonValue::Json(&raw), &mut buffer) {
            Ok(cell) => {
                prop_assert!(storable, "{} was taken", raw);
                prop_assert_eq!(cell, Cell::Json(&raw));
            }
            Err(error) => prop_assert!(!storable, "{} was refused: {}", raw, error),
        }
    }
}
