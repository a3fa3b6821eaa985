//! What each column type takes and refuses, and what the refusal says.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use projectionist_core::Timestamp;
use projectionist_core::row::{Cell, ColumnType, ElementType};
use projectionist_language::JsonValue::{self, Bool, Json, Null, Number, Text};
use projectionist_language::{CoerceBuffer, ColumnRules, coerce};

const NUMERIC: ColumnType = ColumnType::Numeric { limits: None };
const PRICE: ColumnType = ColumnType::Numeric {
    limits: Some((6, 2)),
};

fn takes(column_type: ColumnType, cases: &[(JsonValue<'_>, Cell<'_>)]) {
    for (value, cell) in cases {
        let mut buffer = CoerceBuffer::new();
        // What another value left behind must not be seen.
        let left_over = Json("[\"left\\nover\"]");
        for text in [ColumnType::Jsonb, ColumnType::Array(ElementType::Text)] {
            coerce(text, ColumnRules::default(), left_over, &mut buffer).unwrap();
        }
        let found = coerce(column_type, ColumnRules::default(), *value, &mut buffer);
        assert_eq!(found, Ok(*cell), "{value:?} into {column_type}");
    }
}

fn refuses(column_type: ColumnType, cases: &[(JsonValue<'_>, &str)]) {
    for (value, message) in cases {
        let mut buffer = CoerceBuffer::new();
        let error = coerce(column_type, ColumnRules::default(), *value, &mut buffer).unwrap_err();
        assert_eq!(error.message(), *message, "{value:?} into {column_type}");
        assert_eq!(error.to_string(), *message);
    }
}

#[test]
fn null_is_null_in_every_type() {
    for column_type in [
        ColumnType::Text,
        ColumnType::BigInt,
        ColumnType::Int,
        ColumnType::Boolean,
        ColumnType::Double,
        NUMERIC,
        PRICE,
        ColumnType::TimestampTz,
        ColumnType::Uuid,
        ColumnType::Jsonb,
    ] {
        takes(column_type, &[(Null, Cell::Null)]);
    }
}

#[test]
fn text_takes_scalars_as_they_are_spelt() {
    takes(
        ColumnType::Text,
        &[
            (Text(""), Cell::Text("")),
            (Text("é\n\u{1}"), Cell::Text("é\n\u{1}")),
            (Number("1.50"), Cell::Text("1.50")),
            (
                Number("12345678901234567890123"),
                Cell::Text("12345678901234567890123"),
            ),
            (Number("1E+2"), Cell::Text("1E+2")),
            (Bool(true), Cell::Text("true")),
            (Bool(false), Cell::Text("false")),
        ],
    );
    refuses(
        ColumnType::Text,
        &[
            (
                Text("a\0b"),
                "\"a\\0b\" holds the character U+0000, which TEXT cannot",
            ),
            (
                Json("{\"a\":1}"),
                "{\"a\":1} is an object; TEXT wants a text, a number, true or false",
            ),
            (
                Json(" [1]"),
                " [1] is an array; TEXT wants a text, a number, true or false",
            ),
        ],
    );
}

#[test]
fn integers_take_whole_numbers_in_range() {
    takes(
        ColumnType::BigInt,
        &[
            (Number("0"), Cell::Int(0)),
            (Number("-0"), Cell::Int(0)),
            (Number("-0.0e5"), Cell::Int(0)),
            (Number("0e1000000000"), Cell::Int(0)),
            (Number("5.0"), Cell::Int(5)),
            (Number("1e3"), Cell::Int(1000)),
            (Number("1.5e1"), Cell::Int(15)),
            (Number("-1200e-2"), Cell::Int(-12)),
            (Number("9007199254740993"), Cell::Int(9_007_199_254_740_993)),
            (Number("9223372036854775807"), Cell::Int(i64::MAX)),
            (Number("-9223372036854775808"), Cell::Int(i64::MIN)),
            (Number("-9223372036854775808.0"), Cell::Int(i64::MIN)),
            (Number("922337203685477580.7e1"), Cell::Int(i64::MAX)),
        ],
    );
    takes(
        ColumnType::Int,
        &[
            (Number("2147483647"), Cell::Int(i32::MAX.into())),
            (Number("-2.147483648e9"), Cell::Int(i32::MIN.into())),
        ],
    );
    let range = "BIGINT holds -9223372036854775808 to 9223372036854775807";
    refuses(
        ColumnType::BigInt,
        &[
            (Text("abc"), "\"abc\" is text; BIGINT wants a whole number"),
            (Text("42"), "\"42\" is text; BIGINT wants a whole number"),
            (
                Number("5.5"),
                "5.5 has a fraction; BIGINT wants a whole number",
            ),
            (
                Number("1e-1000000000"),
                "1e-1000000000 has a fraction; BIGINT wants a whole number",
            ),
            (
                Number("9223372036854775808"),
                &format!("9223372036854775808 is out of range; {range}"),
            ),
            (
                Number("1e1000000000"),
                &format!("1e1000000000 is out of range; {range}"),
            ),
            (
                Number("1e99999999999999999999"),
                &format!("1e99999999999999999999 is out of range; {range}"),
            ),
            (
                Bool(true),
                "true is a truth value; BIGINT wants a whole number",
            ),
            (Json("[]"), "[] is an array; BIGINT wants a whole number"),
        ],
    );
    refuses(
        ColumnType::Int,
        &[(
            Number("2147483648"),
            "2147483648 is out of range; INT holds -2147483648 to 2147483647",
        )],
    );
}

#[test]
fn booleans_take_truth_values_only() {
    takes(
        ColumnType::Boolean,
        &[
            (Bool(true), Cell::Bool(true)),
            (Bool(false), Cell::Bool(false)),
        ],
    );
    refuses(
        ColumnType::Boolean,
        &[
            (
                Text("true"),
                "\"true\" is text; BOOLEAN wants true or false",
            ),
            (Number("1"), "1 is a number; BOOLEAN wants true or false"),
        ],
    );
}

#[test]
fn doubles_take_numbers_in_range() {
    takes(
        ColumnType::Double,
        &[
            (Number("0.1"), Cell::Double(0.1)),
            (Number("1e308"), Cell::Double(1e308)),
            (Number("-5e-324"), Cell::Double(-5e-324)),
            (
                Number("9007199254740993"),
                Cell::Double(9_007_199_254_740_992.0),
            ),
            (Number("0e999"), Cell::Double(0.0)),
        ],
    );
    let mut buffer = CoerceBuffer::new();
    let Ok(Cell::Double(zero)) = coerce(
        ColumnType::Double,
        ColumnRules::default(),
        Number("-0.0"),
        &mut buffer,
    ) else {
        panic!("-0.0 is a double");
    };
    assert!(zero.is_sign_positive(), "one zero, so that it is one key");
    let range = "DOUBLE holds zero and about 5e-324 to 1.8e308, with either sign";
    refuses(
        ColumnType::Double,
        &[
            (Number("1e400"), &format!("1e400 is out of range; {range}")),
            (
                Number("-1e400"),
                &format!("-1e400 is out of range; {range}"),
            ),
            (
                Number("1e-400"),
                &format!("1e-400 is out of range; {range}"),
            ),
            (Text("1.5"), "\"1.5\" is text; DOUBLE wants a number"),
        ],
    );
}

#[test]
fn numerics_are_spelt_in_one_way() {
    takes(
        NUMERIC,
        &[
            (Number("12.50"), Cell::Numeric("12.5")),
            (Number("0.1"), Cell::Numeric("0.1")),
            (Number("-0"), Cell::Numeric("0")),
            (Number("-0.00"), Cell::Numeric("0")),
            (Number("1e3"), Cell::Numeric("1000")),
            (Number("1.25E-4"), Cell::Numeric("0.000125")),
            (Number("-120e-1"), Cell::Numeric("-12")),
            (
                Text("1234567890.123456789012345678901"),
                Cell::Numeric("1234567890.123456789012345678901"),
            ),
            (Text("-1E+2"), Cell::Numeric("-100")),
            (Number("0e1000000000"), Cell::Numeric("0")),
        ],
    );
    takes(
        PRICE,
        &[
            (Number("12.5"), Cell::Numeric("12.50")),
            (Number("12.500"), Cell::Numeric("12.50")),
            (Number("9999.99"), Cell::Numeric("9999.99")),
            (Number("0"), Cell::Numeric("0.00")),
            (Number("-0.05"), Cell::Numeric("-0.05")),
            (Number("5e-2"), Cell::Numeric("0.05")),
            (Number("-0.0"), Cell::Numeric("0.00")),
        ],
    );
}

#[test]
fn numerics_have_limits() {
    refuses(
        PRICE,
        &[
            (
                Number("0.001"),
                "0.001 has 3 digits after the point; NUMERIC(6,2) holds 2",
            ),
            (
                Number("10000"),
                "10000 has 5 digits before the point; NUMERIC(6,2) holds 4",
            ),
            (
                Number("9999.999"),
                "9999.999 has 3 digits after the point; NUMERIC(6,2) holds 2",
            ),
        ],
    );
    let long = "1".repeat(1001);
    refuses(
        NUMERIC,
        &[
            (
                Number("1e1000000000"),
                "1e1000000000 has more than 1000 digits when written out; NUMERIC holds at most 1000",
            ),
            (
                Number("1e-1000000000"),
                "1e-1000000000 has more than 1000 digits when written out; NUMERIC holds at most 1000",
            ),
            (
                Number(&long),
                &format!(
                    "{}… has more than 1000 digits when written out; NUMERIC holds at most 1000",
                    "1".repeat(40)
                ),
            ),
        ],
    );
}

#[test]
fn numerics_take_nothing_else() {
    let wanted = "NUMERIC wants a number, or a text that spells one";
    refuses(
        NUMERIC,
        &[
            (Text("12,5"), &format!("\"12,5\" is text; {wanted}")),
            (Text(" 1"), &format!("\" 1\" is text; {wanted}")),
            (Text("NaN"), &format!("\"NaN\" is text; {wanted}")),
            (Text("007"), &format!("\"007\" is text; {wanted}")),
            (Text(""), &format!("\"\" is text; {wanted}")),
            (Bool(true), &format!("true is a truth value; {wanted}")),
        ],
    );
}

#[test]
fn moments_take_rfc_3339_and_milliseconds() {
    let at = |millis| Cell::Timestamp(Timestamp::from_unix_millis(millis));
    takes(
        ColumnType::TimestampTz,
        &[
            (Number("1719331200000"), at(1_719_331_200_000)),
            (Number("-1"), at(-1)),
            (Number("1.7193312e12"), at(1_719_331_200_000)),
            (Number("-62135596800000"), at(-62_135_596_800_000)),
            (Number("253402300799999"), at(253_402_300_799_999)),
            (Text("2024-06-25T16:00:00Z"), at(1_719_331_200_000)),
        ],
    );
}

/// Texts that are no moment, and why.
const NO_MOMENTS: [(&str, &str); 26] = [
    (
        "2024-06-25T16:00:00",
        "has no time zone, such as Z or +02:00",
    ),
    (
        "2024-06-25T16:00:00.000",
        "has no time zone, such as Z or +02:00",
    ),
    ("2024-06-25T16:00:00.0001Z", "is finer than a millisecond"),
    (
        "2024-06-25T16:00:00.123456789Z",
        "is finer than a millisecond",
    ),
    ("2024-06-25", "is no RFC 3339 text"),
    ("2024-06-25T16:00Z", "is no RFC 3339 text"),
    ("2024-06-25T16:00:00.Z", "is no RFC 3339 text"),
    ("2024-06-25T16:00:00+0200", "is no RFC 3339 text"),
    ("2024-06-25T16:00:00Z ", "is no RFC 3339 text"),
    ("24-06-25T16:00:00Z", "is no RFC 3339 text"),
    ("+2024-06-25T16:00:00Z", "is no RFC 3339 text"),
    ("２０２４-06-25T16:00:00Z", "is no RFC 3339 text"),
    ("", "is no RFC 3339 text"),
    (
        "2024-13-01T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-00-01T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2023-02-29T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2100-02-29T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-04-31T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-04-00T00:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-06-25T24:00:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-06-25T23:60:00Z",
        "names a day or a time that does not exist",
    ),
    (
        "2016-12-31T23:59:60Z",
        "names a day or a time that does not exist",
    ),
    (
        "2024-06-25T16:00:00+24:00",
        "names a day or a time that does not exist",
    ),
    (
        "0000-01-01T00:00:00Z",
        "is not within the years 0001 to 9999",
    ),
    (
        "0001-01-01T00:00:00+00:01",
        "is not within the years 0001 to 9999",
    ),
    (
        "9999-12-31T23:59:59-00:01",
        "is not within the years 0001 to 9999",
    ),
];

#[test]
fn moments_take_nothing_that_would_be_guessed() {
    let wanted = "TIMESTAMPTZ wants a text such as 2024-06-25T16:00:00.000Z, or whole milliseconds since 1970";
    for (text, fault) in NO_MOMENTS {
        refuses(
            ColumnType::TimestampTz,
            &[(Text(text), &format!("{text:?} {fault}; {wanted}"))],
        );
    }
    refuses(
        ColumnType::TimestampTz,
        &[
            (
                Number("1.5"),
                &format!("1.5 is finer than a millisecond; {wanted}"),
            ),
            (
                Number("253402300800000"),
                &format!("253402300800000 is not within the years 0001 to 9999; {wanted}"),
            ),
            (Bool(true), &format!("true is a truth value; {wanted}")),
        ],
    );
}

/// The vectors come from Python's `datetime`.
#[test]
fn moments_agree_with_another_calendar() {
    let vectors = include_str!("vectors/moments.tsv");
    let mut count = 0;
    for line in vectors.lines().filter(|line| !line.starts_with('#')) {
        let (text, millis) = line.split_once('\t').unwrap();
        let millis = millis.parse().unwrap();
        takes(
            ColumnType::TimestampTz,
            &[(
                Text(text),
                Cell::Timestamp(Timestamp::from_unix_millis(millis)),
            )],
        );
        count += 1;
    }
    assert!(count > 200, "only {count} vectors were read");
}

#[test]
fn uuids_take_both_spellings_in_any_case() {
    let bytes = [
        0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40,
        0x00,
    ];
    takes(
        ColumnType::Uuid,
        &[
            (
                Text("123e4567-e89b-12d3-a456-426614174000"),
                Cell::Uuid(bytes),
            ),
            (
                Text("123E4567-E89B-12D3-A456-426614174000"),
                Cell::Uuid(bytes),
            ),
            (Text("123e4567e89b12d3A456426614174000"), Cell::Uuid(bytes)),
        ],
    );
    let wanted = "UUID wants a text such as 123e4567-e89b-12d3-a456-426614174000";
    for text in [
        "",
        "123",
        "123e4567-e89b-12d3-a456-42661417400g",
        "123e4567-e89b-12d3-a456-4266141740001",
        "123e4567e-89b-12d3-a456-426614174000",
        "123e4567-e89b-12d3-a456_426614174000",
        "{123e4567e89b12d3a45642661417400}",
        "é23e4567e89b12d3A45642661417400",
        "--------------------------------",
    ] {
        refuses(
            ColumnType::Uuid,
            &[(Text(text), &format!("{text:?} is no UUID; {wanted}"))],
        );
    }
    refuses(
        ColumnType::Uuid,
        &[(Number("1"), &format!("1 is a number; {wanted}"))],
    );
}

#[test]
fn jsonb_takes_everything_that_can_be_stored() {
    takes(
        ColumnType::Jsonb,
        &[
            (Bool(true), Cell::Json("true")),
            (Bool(false), Cell::Json("false")),
            (Number("1.50"), Cell::Json("1.50")),
            (Text("a\"b\\c\n\u{1}é"), Cell::Json(r#""a\"b\\c\n\u0001é""#)),
            (Json(r#"{"a": [1, 2]}"#), Cell::Json(r#"{"a": [1, 2]}"#)),
            (
                Json(r#"["\\u0000", "\ud83d\ude00"]"#),
                Cell::Json(r#"["\\u0000", "\ud83d\ude00"]"#),
            ),
        ],
    );
    refuses(
        ColumnType::Jsonb,
        &[
            (
                Text("\0"),
                "\"\\0\" holds the character U+0000, which JSONB cannot",
            ),
            (
                Json(r#"["\u0000"]"#),
                r#"["\u0000"] holds the character U+0000, which JSONB cannot"#,
            ),
            (
                Json(r#"{"\\\u0000": 1}"#),
                r#"{"\\\u0000": 1} holds the character U+0000, which JSONB cannot"#,
            ),
            (
                Json(r#"["\ud83d"]"#),
                r#"["\ud83d"] holds half a surrogate pair, which is no character; JSONB wants any JSON value without that"#,
            ),
        ],
    );
}

#[test]
fn errors_show_the_beginning_and_no_control_characters() {
    let long = format!("{}{}", "é".repeat(40), "tail");
    refuses(
        ColumnType::Boolean,
        &[
            (
                Text(&long),
                &format!(
                    "\"{}\"… is text; BOOLEAN wants true or false",
                    "é".repeat(40)
                ),
            ),
            (
                Text("\u{1b}[2J"),
                "\"\\u{1b}[2J\" is text; BOOLEAN wants true or false",
            ),
            (
                Json("[\n1]"),
                "[ 1] is an array; BOOLEAN wants true or false",
            ),
        ],
    );
}
