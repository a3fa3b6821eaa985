//! No evaluation runs without bound, and no text breaks the parser.

use projectionist_language::cel::Program;
use proptest::prelude::*;

use crate::support::{error, evaluate};

const SPENT: &str = "the expression needs more than 33554432 steps for this event; its lists are too \
                     long for what is done with each element";

/// An event with a list of so many integers.
fn list(count: usize) -> String {
    let numbers: Vec<String> = (0..count).map(|number| number.to_string()).collect();
    format!(
        r#"{{"l": [{}], "s": "{}"}}"#,
        numbers.join(","),
        "s".repeat(1_000)
    )
}

#[test]
fn what_loops_within_loops_do_is_bounded() {
    let event = list(5_000);
    for expression in [
        "event.l.all(a, event.l.all(b, a + b >= 0))",
        "event.l.map(a, event.l.map(b, a * b))",
        "event.l.filter(a, event.l.exists(b, b == 0 - 1))",
        "event.l.exists(a, a in event.l.map(b, b - 5000))",
        "event.l.map(a, event.l)",
        // Errors of one element are passed over by the next, but not for ever.
        "event.l.exists(a, event.l.exists(b, 1 / 0 == b))",
    ] {
        assert_eq!(error(expression, &event), SPENT, "{expression}");
    }
}

#[test]
fn what_doubles_each_time_is_bounded() {
    let event = format!(r#"{{"s": "{}"}}"#, "s".repeat(100_000));
    for step in [
        ".map(a, a + a)",
        ".map(a, [a, a])",
        ".map(a, {'x': a, 'y': a})",
    ] {
        let expression = format!("[event.s]{}", step.repeat(11));
        assert_eq!(error(&expression, &event), SPENT, "{step}");
    }
    let replaced = ".replace('s', event.s)".repeat(4);
    assert_eq!(error(&format!("event.s{replaced}"), &list(1)), SPENT);
}

#[test]
fn long_lists_are_fine() {
    let event = list(100_000);
    assert_eq!(
        evaluate("size(event.l.filter(x, x > 10))", &event).as_deref(),
        Ok("99989")
    );
    assert_eq!(
        evaluate("sum(event.l)", &event).as_deref(),
        Ok("4999950000")
    );
    assert_eq!(
        evaluate("event.l.exists(x, x == 99999)", &event).as_deref(),
        Ok("true")
    );
}

#[test]
fn an_evaluation_does_not_pay_for_the_one_before() {
    let event = list(5_000);
    assert_eq!(error("event.l.map(a, event.l)", &event), SPENT);
    assert_eq!(evaluate("size(event.l) + 1", &event).as_deref(), Ok("5001"));
}

#[test]
fn long_and_deep_texts_are_refused_without_breaking() {
    for (text, part) in [
        ("(".repeat(5_000), "at most 4096 characters"),
        ("(".repeat(2_000), "at most 512 operators and brackets"),
        (
            format!("1{}", "+1".repeat(600)),
            "at most 512 operators and brackets",
        ),
        (
            format!("1{}", "+1".repeat(300)),
            "nested deeper than 64 levels",
        ),
        (
            format!("{}1{}", "(".repeat(200), ")".repeat(200)),
            "nested too deep",
        ),
        (
            format!("{}1{}", "[".repeat(200), "]".repeat(200)),
            "nested too deep",
        ),
        (format!("event{}", ".a".repeat(300)), "at most 64 steps"),
        (format!("x{}", "[0]".repeat(200)), ""),
        (format!("{}true", "!".repeat(400)), ""),
        (format!("{}1", "true ? 1 : ".repeat(200)), ""),
        (format!("1{}", ".size()".repeat(150)), ""),
        (
            format!("[1]{}", ".map(a, a)".repeat(20)),
            "deeper than 64 levels",
        ),
        (format!("size([1]{})", ".map(a, a)".repeat(11)), ""),
    ] {
        let result = Program::compile(&text).map(|_| ());
        if !part.is_empty() {
            let error = result.unwrap_err().to_string();
            assert!(
                error.contains(part),
                "{text:.20}: {error} instead of {part}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Texts made of what expressions are made of.
    #[test]
    fn no_text_breaks_the_parser(parts in proptest::collection::vec(
        prop_oneof![
            Just("event"), Just("item"), Just(".a"), Just("['é']"), Just("[0]"), Just("("), Just(")"),
            Just("["), Just("]"), Just("{"), Just("}"), Just(","), Just(":"), Just("?"), Just(" + "),
            Just("-"), Just(" in "), Just("&&"), Just("||"), Just("!"), Just("=="), Just("'a'"),
            Just("\""), Just("'"), Just("1"), Just("1.5"), Just("0x"), Just(".map(x, x)"),
            Just("has("), Just("coalesce("), Just("\\"), Just("\n"), Just("😀"), Just("`"), Just("b'"),
            Just("matches("), Just("@result"), Just("9999999999999999999"), Just("//"), Just("."),
        ], 0..24))
    {
        let text: String = parts.concat();
        if let Ok(program) = Program::compile(&text) {
            prop_assert!(program.places().len() <= 24);
        }
    }
}
