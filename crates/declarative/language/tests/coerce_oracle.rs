//! Coercion against independent oracles: arbitrary-precision decimals and another JSON library.

use std::str::FromStr;

use bigdecimal::{BigDecimal, ToPrimitive};
use projectionist_core::row::{Cell, ColumnType, ElementType};
use projectionist_language::{CoerceBuffer, ColumnRules, JsonValue, NulRule, coerce};
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
        let mut buffer = CoerceBuffer::new();
        let cell = coerce(ColumnType::Numeric { limits: None }, ColumnRules::default(), value, &mut buffer).unwrap();
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
        let mut buffer = CoerceBuffer::new();
        match coerce(column_type, ColumnRules::default(), JsonValue::Number(&token), &mut buffer) {
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
        let mut buffer = CoerceBuffer::new();
        let cell = coerce(ColumnType::BigInt, ColumnRules::default(), JsonValue::Number(&token), &mut buffer);
        prop_assert_eq!(cell.ok(), whole.map(Cell::Int), "{}", token);
    }

    #[test]
    fn a_text_in_jsonb_reads_back_as_itself(text in "\\PC*|[\\x01-\\x1f\"\\\\/é]{0,20}") {
        let mut buffer = CoerceBuffer::new();
        let cell = coerce(ColumnType::Jsonb, ColumnRules::default(), JsonValue::Text(&text), &mut buffer).unwrap();
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
        let mut buffer = CoerceBuffer::new();
        match coerce(ColumnType::Jsonb, ColumnRules::default(), JsonValue::Json(&raw), &mut buffer) {
            Ok(cell) => {
                prop_assert!(storable, "{} was taken", raw);
                prop_assert_eq!(cell, Cell::Json(&raw));
            }
            Err(error) => prop_assert!(!storable, "{} was refused: {}", raw, error),
        }
    }

    #[test]
    fn integers_take_the_same_as_numbers_and_in_a_lenient_column_as_texts(token in number()) {
        let exact = BigDecimal::from_str(&token).unwrap();
        let whole = exact.is_integer().then(|| exact.to_i64()).flatten();
        let lenient = ColumnRules { lenient: true, ..ColumnRules::default() };
        for (column_type, least, most) in [
            (ColumnType::SmallInt, i64::from(i16::MIN), i64::from(i16::MAX)),
            (ColumnType::Int, i64::from(i32::MIN), i64::from(i32::MAX)),
            (ColumnType::BigInt, i64::MIN, i64::MAX),
        ] {
            let held = whole.filter(|whole| (least..=most).contains(whole)).map(Cell::Int);
            let mut buffer = CoerceBuffer::new();
            for (rules, value, expected) in [
                (ColumnRules::default(), JsonValue::Number(&token), held),
                (lenient, JsonValue::Number(&token), held),
                (lenient, JsonValue::Text(&token), held),
                (ColumnRules::default(), JsonValue::Text(&token), None),
            ] {
                let cell = coerce(column_type, rules, value, &mut buffer);
                prop_assert_eq!(cell.ok(), expected, "{} into {}", token, column_type);
            }
        }
    }

    #[test]
    fn real_is_the_nearest_32_bit_float(token in number()) {
        let exact = BigDecimal::from_str(&token).unwrap();
        let mut buffer = CoerceBuffer::new();
        let cell = coerce(
            ColumnType::Real,
            ColumnRules::default(),
            JsonValue::Number(&token),
            &mut buffer,
        );
        let most = BigDecimal::from_str("3.5e38").unwrap();
        match cell {
            Ok(Cell::Double(found)) => {
                let narrow = found.to_f32().unwrap();
                prop_assert_eq!(f64::from(narrow).to_bits(), found.to_bits(), "{}", token);
                let distance = |float: f32| {
                    (BigDecimal::try_from(float).unwrap() - &exact).abs()
                };
                for neighbour in [narrow.next_up(), narrow.next_down()] {
                    if neighbour.is_finite() {
                        prop_assert!(distance(narrow) <= distance(neighbour), "{}", token);
                    }
                }
            }
            Ok(other) => prop_assert!(false, "{:?}", other),
            Err(error) => prop_assert!(
                exact.abs() > most || exact.abs() < BigDecimal::from_str("1e-45").unwrap(),
                "{} was refused: {}", token, error
            ),
        }
    }

    #[test]
    fn dates_are_the_days_of_another_calendar(days in -719_162_i32..=2_932_896) {
        let epoch = chrono::NaiveDate::from_ymd_opt(1970, 1, 1).unwrap();
        let day = epoch + chrono::TimeDelta::days(days.into());
        let text = day.to_string();
        let mut buffer = CoerceBuffer::new();
        let value = JsonValue::Text(&text);
        let cell = coerce(ColumnType::Date, ColumnRules::default(), value, &mut buffer);
        prop_assert_eq!(cell, Ok(Cell::Date(days)));
        let raw = format!("[\"{text}\"]");
        let dates = ColumnType::Array(ElementType::Date);
        let cell = coerce(dates, ColumnRules::default(), JsonValue::Json(&raw), &mut buffer);
        prop_assert_eq!(cell, Ok(Cell::Array(&raw)));
    }

    #[test]
    fn base64_gives_the_bytes_that_were_encoded(
        bytes in prop::collection::vec(any::<u8>(), 0..40),
        padded: bool,
    ) {
        // Six bits a letter, the last filled up with zeros.
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut bits: Vec<u8> = bytes
            .iter()
            .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
            .collect();
        bits.resize(bits.len().div_ceil(6) * 6, 0);
        let mut text: String = bits
            .chunks(6)
            .map(|six| six.iter().fold(0, |sum, bit| sum * 2 + usize::from(*bit)))
            .map(|index| char::from(letters[index]))
            .collect();
        while padded && !text.len().is_multiple_of(4) {
            text.push('=');
        }
        let mut buffer = CoerceBuffer::new();
        let value = JsonValue::Text(&text);
        let cell = coerce(ColumnType::Bytea, ColumnRules::default(), value, &mut buffer);
        prop_assert_eq!(cell, Ok(Cell::Bytes(&bytes)));
    }

    #[test]
    fn arrays_of_texts_read_as_another_library_reads_them(
        texts in prop::collection::vec(
            prop::option::of("\\PC{0,6}|[\x01-\x1f\"\\\\/,\\[\\]{}é]{0,8}"),
            0..6,
        ),
        spaced: bool,
    ) {
        let mut raw = serde_json::to_string(&texts).unwrap();
        if spaced {
            raw = serde_json::to_string_pretty(&texts).unwrap();
        }
        let mut buffer = CoerceBuffer::new();
        let column_type = ColumnType::Array(ElementType::Text);
        let value = JsonValue::Json(&raw);
        let cell = coerce(column_type, ColumnRules::default(), value, &mut buffer).unwrap();
        let Cell::Array(array) = cell else { panic!("{cell:?}") };
        prop_assert_eq!(serde_json::from_str::<Vec<Option<String>>>(array).unwrap(), texts);
    }

    #[test]
    fn nul_leaves_a_text_without_it_and_json_with_the_same_rest(
        text in "[a\x00\\\\\"u0é]{0,12}",
        strip: bool,
    ) {
        let nul = if strip { NulRule::Strip } else { NulRule::Replace };
        let rules = ColumnRules { nul, ..ColumnRules::default() };
        let expected = text.replace('\0', if strip { "" } else { "\u{fffd}" });
        let mut buffer = CoerceBuffer::new();
        let cell = coerce(ColumnType::Text, rules, JsonValue::Text(&text), &mut buffer);
        prop_assert_eq!(cell, Ok(Cell::Text(&expected)));
        let raw = serde_json::to_string(&[&text]).unwrap();
        for value in [JsonValue::Json(&raw), JsonValue::Text(&text)] {
            let cell = coerce(ColumnType::Jsonb, rules, value, &mut buffer).unwrap();
            let Cell::Json(json) = cell else { panic!("{cell:?}") };
            let read: serde_json::Value = serde_json::from_str(json).unwrap();
            let read = read.get(0).unwrap_or(&read).as_str();
            prop_assert_eq!(read, Some(expected.as_str()));
        }
    }
}
