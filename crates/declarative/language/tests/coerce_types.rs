//! What VARCHAR, SMALLINT, REAL, DATE, BYTEA and arrays take and refuse, and what the rules of a
//! column change.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use projectionist_core::Timestamp;
use projectionist_core::row::{Cell, ColumnType, ElementType};
use projectionist_language::JsonValue::{self, Bool, Json, Null, Number, Text};
use projectionist_language::{CoerceBuffer, ColumnRules, NulRule, Zone, coerce};

const STRICT: ColumnRules = ColumnRules {
    lenient: false,
    zone: None,
    nul: NulRule::Error,
};

const LENIENT: ColumnRules = ColumnRules {
    lenient: true,
    ..STRICT
};

fn takes(column_type: ColumnType, rules: ColumnRules, cases: &[(JsonValue<'_>, Cell<'_>)]) {
    let mut buffer = CoerceBuffer::new();
    for (value, cell) in cases {
        let found = coerce(column_type, rules, *value, &mut buffer);
        assert_eq!(found, Ok(*cell), "{value:?} into {column_type}");
    }
}

fn refuses(column_type: ColumnType, rules: ColumnRules, cases: &[(JsonValue<'_>, &str)]) {
    for (value, message) in cases {
        let mut buffer = CoerceBuffer::new();
        let error = coerce(column_type, rules, *value, &mut buffer).unwrap_err();
        assert_eq!(error.message(), *message, "{value:?} into {column_type}");
    }
}

#[test]
fn varchar_counts_characters_not_bytes() {
    let varchar = ColumnType::Varchar { limit: 3 };
    takes(
        varchar,
        STRICT,
        &[
            (Null, Cell::Null),
            (Text("äöü"), Cell::Text("äöü")),
            (
                Text("\u{1f600}\u{1f600}\u{1f600}"),
                Cell::Text("\u{1f600}\u{1f600}\u{1f600}"),
            ),
            (Number("1.5"), Cell::Text("1.5")),
        ],
    );
    refuses(
        varchar,
        STRICT,
        &[
            (
                Text("äöü "),
                "\"äöü \" has 4 characters, too many for VARCHAR(3)",
            ),
            // An e and its accent are two characters, as PostgreSQL counts.
            (
                Text("abe\u{301}"),
                "\"abe\\u{301}\" has 4 characters, too many for VARCHAR(3)",
            ),
            (Bool(true), "true has 4 characters, too many for VARCHAR(3)"),
            (
                Number("12.50"),
                "12.50 has 5 characters, too many for VARCHAR(3)",
            ),
            (
                Json("[]"),
                "[] is an array; VARCHAR(3) wants a text, a number, true or false",
            ),
        ],
    );
}

#[test]
fn smallint_has_sixteen_bits() {
    takes(
        ColumnType::SmallInt,
        STRICT,
        &[
            (Number("32767"), Cell::Int(32_767)),
            (Number("-3.2768e4"), Cell::Int(-32_768)),
        ],
    );
    refuses(
        ColumnType::SmallInt,
        STRICT,
        &[
            (
                Number("32768"),
                "32768 is out of range; SMALLINT holds -32768 to 32767",
            ),
            (Text("1"), "\"1\" is text; SMALLINT wants a whole number"),
        ],
    );
}

#[test]
fn real_is_rounded_once_and_stays_in_its_range() {
    takes(
        ColumnType::Real,
        STRICT,
        &[
            (Number("0.1"), Cell::Double(f64::from(0.1_f32))),
            (Number("16777217"), Cell::Double(16_777_216.0)),
            // Halfway between two floats but for its last digit, which a double would lose.
            (
                Number("1.00000005960464477539062500000001"),
                Cell::Double(f64::from(1.000_000_1_f32)),
            ),
            (
                Number("3.4028234663852886e38"),
                Cell::Double(f64::from(f32::MAX)),
            ),
        ],
    );
    let message = |shown: &str| {
        format!(
            "{shown} is out of range; REAL holds zero and about 1.4e-45 to 3.4e38, with either sign"
        )
    };
    refuses(
        ColumnType::Real,
        STRICT,
        &[
            (Number("1e39"), &message("1e39")),
            (Number("-1e-46"), &message("-1e-46")),
            (Text("1"), "\"1\" is text; REAL wants a number"),
        ],
    );
    let mut buffer = CoerceBuffer::new();
    let zero = coerce(ColumnType::Real, STRICT, Number("-0.0"), &mut buffer);
    assert!(matches!(zero, Ok(Cell::Double(zero)) if zero.is_sign_positive()));
}

#[test]
fn date_is_a_day_and_never_a_moment() {
    takes(
        ColumnType::Date,
        STRICT,
        &[
            (Text("1970-01-01"), Cell::Date(0)),
            (Text("1969-12-31"), Cell::Date(-1)),
            (Text("2024-02-29"), Cell::Date(19_782)),
            (Text("0001-01-01"), Cell::Date(-719_162)),
            (Text("9999-12-31"), Cell::Date(2_932_896)),
        ],
    );
    refuses(
        ColumnType::Date,
        STRICT,
        &[
            (
                Text("2023-02-29"),
                "\"2023-02-29\" names a day that does not exist; DATE wants a text such as 2024-06-25",
            ),
            (
                Text("0000-01-01"),
                "\"0000-01-01\" is not within the years 0001 to 9999; DATE wants a text such as \
                 2024-06-25",
            ),
            (
                Text("2024-06-25T00:00:00Z"),
                "\"2024-06-25T00:00:00Z\" is no day; DATE wants a text such as 2024-06-25",
            ),
            (
                Text("2024-6-25"),
                "\"2024-6-25\" is no day; DATE wants a text such as 2024-06-25",
            ),
            (
                Number("19782"),
                "19782 is a number; DATE wants a text such as 2024-06-25",
            ),
        ],
    );
}

#[test]
fn bytea_takes_the_standard_alphabet_with_or_without_padding() {
    takes(
        ColumnType::Bytea,
        STRICT,
        &[
            (Text(""), Cell::Bytes(&[])),
            (Text("aGk="), Cell::Bytes(b"hi")),
            (Text("aGk"), Cell::Bytes(b"hi")),
            (Text("AA=="), Cell::Bytes(&[0])),
            (Text("+/+/"), Cell::Bytes(&[0xfb, 0xff, 0xbf])),
        ],
    );
    let wants = "BYTEA wants a text of base64 in the standard alphabet, such as aGk=";
    let no_base64 = |text: &str| format!("{text:?} is no base64; {wants}");
    refuses(
        ColumnType::Bytea,
        STRICT,
        &[
            (Text("-_-_"), &no_base64("-_-_")),
            (Text("aGk=\n"), &no_base64("aGk=\n")),
            (Text("a"), &no_base64("a")),
            // The last bits belong to no byte.
            (Text("aGl="), &no_base64("aGl=")),
            (Number("1"), &format!("1 is a number; {wants}")),
        ],
    );
}

#[test]
fn arrays_are_spelt_one_way_whatever_they_came_as() {
    let array = |element: ColumnType| element.array().unwrap();
    for (element, raw, spelt) in [
        (ColumnType::Text, " [ ] ", "[]"),
        (
            ColumnType::Text,
            " [\"a,]\\\"\\u00e9\" ,\tnull, 1.50,true ] ",
            "[\"a,]\\\"é\",null,\"1.50\",\"true\"]",
        ),
        (
            ColumnType::Text,
            r#"["\\", "\ud83d\ude00"]"#,
            r#"["\\","😀"]"#,
        ),
        (
            ColumnType::Varchar { limit: 1 },
            r#"["a",7]"#,
            r#"["a","7"]"#,
        ),
        (
            ColumnType::BigInt,
            "[9223372036854775807, 5.0, -1e3]",
            "[9223372036854775807,5,-1000]",
        ),
        (ColumnType::SmallInt, "[null]", "[null]"),
        (ColumnType::Boolean, "[true, false]", "[true,false]"),
        (
            ColumnType::Double,
            "[1, 0.1, 1e300, -0.0]",
            "[1.0,0.1,1e300,0.0]",
        ),
        (ColumnType::Real, "[0.5]", "[0.5]"),
        (
            ColumnType::Numeric {
                limits: Some((4, 2)),
            },
            r#"[1, "2.5"]"#,
            r#"["1.00","2.50"]"#,
        ),
        (
            ColumnType::TimestampTz,
            r#"[0, "2024-06-25T18:00:00+02:00"]"#,
            r#"["1970-01-01T00:00:00.000Z","2024-06-25T16:00:00.000Z"]"#,
        ),
        (ColumnType::Date, r#"["2024-02-29"]"#, r#"["2024-02-29"]"#),
        (
            ColumnType::Uuid,
            r#"["123E4567E89B12D3A456426614174000"]"#,
            r#"["123e4567-e89b-12d3-a456-426614174000"]"#,
        ),
        (ColumnType::Bytea, r#"["aGk"]"#, r#"["aGk="]"#),
    ] {
        takes(
            array(element),
            STRICT,
            &[(Json(raw), Cell::Array(spelt)), (Null, Cell::Null)],
        );
    }
}

#[test]
fn an_element_that_does_not_fit_is_named() {
    refuses(
        ColumnType::Array(ElementType::Int),
        STRICT,
        &[
            (Text("1"), "\"1\" is text; INT[] wants an array"),
            (
                Json("{\"a\":[1]}"),
                "{\"a\":[1]} is an object; INT[] wants an array",
            ),
            (
                Json("[1,null,\"x,\"]"),
                "element [2]: \"x,\" is text; INT wants a whole number",
            ),
            (
                Json("[[1]]"),
                "element [0]: [1] is an array; INT wants a whole number",
            ),
            (
                Json("[{\"a\":[1,2]},3]"),
                "element [0]: {\"a\":[1,2]} is an object; INT wants a whole number",
            ),
        ],
    );
    refuses(
        ColumnType::Array(ElementType::Text),
        STRICT,
        &[
            (
                Json(r#"["a\u0000"]"#),
                "element [0]: \"a\\0\" holds the character U+0000, which TEXT cannot",
            ),
            (
                Json(r#"["\ud800"]"#),
                "element [0]: \"\\ud800\" holds half a surrogate pair, which is no character; TEXT \
                 wants a text, a number, true or false",
            ),
        ],
    );
}

#[test]
fn lenient_columns_take_texts_that_spell_numbers_and_truth_values() {
    for (column_type, text, cell) in [
        (
            ColumnType::BigInt,
            "9007199254740993",
            Cell::Int(9_007_199_254_740_993),
        ),
        (ColumnType::Int, "-5.0", Cell::Int(-5)),
        (ColumnType::SmallInt, "1e2", Cell::Int(100)),
        (ColumnType::Double, "0.5", Cell::Double(0.5)),
        (ColumnType::Real, "0.5", Cell::Double(0.5)),
        (ColumnType::Boolean, "true", Cell::Bool(true)),
        (ColumnType::Boolean, "false", Cell::Bool(false)),
        (ColumnType::Text, "1", Cell::Text("1")),
    ] {
        takes(column_type, LENIENT, &[(Text(text), cell)]);
    }
    let bigints = ColumnType::Array(ElementType::BigInt);
    takes(
        bigints,
        LENIENT,
        &[(Json(r#"["7",8]"#), Cell::Array("[7,8]"))],
    );
    for (column_type, text) in [
        (ColumnType::BigInt, ""),
        (ColumnType::BigInt, " 1"),
        (ColumnType::BigInt, "+1"),
        (ColumnType::BigInt, "007"),
        (ColumnType::BigInt, "1.5"),
        (ColumnType::SmallInt, "32768"),
        (ColumnType::Double, "NaN"),
        (ColumnType::Double, "inf"),
        (ColumnType::Real, "1e39"),
        (ColumnType::Boolean, "TRUE"),
        (ColumnType::Boolean, "1"),
        // A number of milliseconds is a number; a text in such a column is RFC 3339.
        (ColumnType::TimestampTz, "1719331200000"),
    ] {
        let mut buffer = CoerceBuffer::new();
        let found = coerce(column_type, LENIENT, Text(text), &mut buffer);
        assert!(found.is_err(), "{text:?} into {column_type}: {found:?}");
    }
}

/// Two hours before UTC in summer, one in winter.
const BERLIN: ColumnRules = ColumnRules {
    zone: Some(Zone::Named(chrono_tz::Europe::Berlin)),
    ..STRICT
};

const EAST: ColumnRules = ColumnRules {
    zone: Some(Zone::Offset(330)),
    ..STRICT
};

#[test]
fn a_zone_is_for_texts_without_one() {
    let at = |millis| Cell::Timestamp(Timestamp::from_unix_millis(millis));
    takes(
        ColumnType::TimestampTz,
        BERLIN,
        &[
            (Text("2024-06-25T18:00:00"), at(1_719_331_200_000)),
            (Text("2024-06-25 18:00:00.123"), at(1_719_331_200_123)),
            (Text("2024-01-25T18:00:00"), at(1_706_202_000_000)),
            (Text("2024-06-25T16:00:00Z"), at(1_719_331_200_000)),
            (Number("1719331200000"), at(1_719_331_200_000)),
            // The last moments before and the first after the clocks are changed.
            (Text("2024-03-31T01:59:59.999"), at(1_711_846_799_999)),
            (Text("2024-03-31T03:00:00"), at(1_711_846_800_000)),
            (Text("2024-10-27T03:00:00"), at(1_729_994_400_000)),
        ],
    );
    takes(
        ColumnType::TimestampTz,
        EAST,
        &[(Text("2024-06-25T21:30:00"), at(1_719_331_200_000))],
    );
}

#[test]
fn a_local_time_that_is_none_or_two_is_refused() {
    let wants = "TIMESTAMPTZ wants a text such as 2024-06-25T16:00:00.000Z, or whole milliseconds \
                 since 1970";
    refuses(
        ColumnType::TimestampTz,
        BERLIN,
        &[
            (
                Text("2024-03-31T02:30:00"),
                &format!(
                    "\"2024-03-31T02:30:00\" is a local time that the clocks of Europe/Berlin jump \
                     over; {wants}"
                ),
            ),
            (
                Text("2024-10-27T02:30:00"),
                &format!(
                    "\"2024-10-27T02:30:00\" is a local time that the clocks of Europe/Berlin show \
                     twice; only a text with its own zone says which is meant; {wants}"
                ),
            ),
            (
                Text("2024-02-30T02:30:00"),
                &format!(
                    "\"2024-02-30T02:30:00\" names a day or a time that does not exist; {wants}"
                ),
            ),
            (
                Text("2024-06-25"),
                &format!("\"2024-06-25\" is no RFC 3339 text; {wants}"),
            ),
        ],
    );
    refuses(
        ColumnType::TimestampTz,
        EAST,
        &[(
            Text("0001-01-01T00:00:00"),
            &format!("\"0001-01-01T00:00:00\" is not within the years 0001 to 9999; {wants}"),
        )],
    );
}

#[test]
fn nul_is_stripped_or_replaced_where_the_rule_says_so() {
    let rule = |nul| ColumnRules { nul, ..STRICT };
    let (strip, replace) = (rule(NulRule::Strip), rule(NulRule::Replace));
    let varchar = ColumnType::Varchar { limit: 2 };
    for column_type in [ColumnType::Text, varchar] {
        takes(
            column_type,
            strip,
            &[
                (Text("a\0b\0"), Cell::Text("ab")),
                (Text("\0"), Cell::Text("")),
            ],
        );
    }
    takes(
        ColumnType::Text,
        replace,
        &[(Text("a\0\0b"), Cell::Text("a\u{fffd}\u{fffd}b"))],
    );
    takes(varchar, replace, &[(Text("a\0"), Cell::Text("a\u{fffd}"))]);
    refuses(
        varchar,
        replace,
        &[(
            Text("a\0\0"),
            "\"a\\0\\0\" has 3 characters, too many for VARCHAR(2)",
        )],
    );
    let raw = Json(r#"{"k\u0000":["\\u0000","\u0000\\\u0000x","\u00e9"]}"#);
    takes(
        ColumnType::Jsonb,
        strip,
        &[
            (raw, Cell::Json(r#"{"k":["\\u0000","\\x","\u00e9"]}"#)),
            (Text("\0\""), Cell::Json(r#""\"""#)),
        ],
    );
    takes(
        ColumnType::Jsonb,
        replace,
        &[(
            raw,
            Cell::Json("{\"k\u{fffd}\":[\"\\\\u0000\",\"\u{fffd}\\\\\u{fffd}x\",\"\\u00e9\"]}"),
        )],
    );
    // Without the character between them the halves would become a pair that nobody wrote.
    refuses(
        ColumnType::Jsonb,
        strip,
        &[(
            Json(r#"["\u0000\ud83d\u0000\ude00"]"#),
            "[\"\\u0000\\ud83d\\u0000\\ude00\"] holds half a surrogate pair, which is no character; \
             JSONB wants any JSON value without that",
        )],
    );
    let texts = ColumnType::Array(ElementType::Text);
    takes(
        texts,
        strip,
        &[(Json(r#"["a\u0000",null]"#), Cell::Array(r#"["a",null]"#))],
    );
}
