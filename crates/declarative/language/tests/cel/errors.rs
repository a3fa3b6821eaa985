//! What is said when an event does not have what an expression wants.

use crate::support::error;

/// Expressions, and what is said about the event of the test below.
const ERRORS: [(&str, &str); 32] = [
    (
        "event.x.y + 1",
        "`event.x.y` is missing in this event; ask for it with `has(event.x.y)`, or write \
         `coalesce(event.x.y, …)`",
    ),
    (
        "event['a b'] == 1",
        "`event['a b']` is missing in this event; ask for it with `has(event['a b'])`, or write \
         `coalesce(event['a b'], …)`",
    ),
    (
        "has(event.x.y)",
        "`event.x` is missing in this event; ask for it first: `has(event.x) && …`",
    ),
    (
        "has(event.s.y)",
        "`event.s` is no object in this event, so `has()` cannot ask for its keys",
    ),
    ("event.i / event.z", "division by zero"),
    ("event.i % event.z", "remainder of a division by zero"),
    ("event.h + 1", "the result of `+` is out of range"),
    ("event.h * 2", "the result of `*` is out of range"),
    (
        "event.i * event.d",
        "`*` is not defined for int and double; convert one of them, such as `double(…)`",
    ),
    ("event.i + event.s", "`+` is not defined for int and string"),
    (
        "event.n + 1",
        "`+` is not defined for null_type and int; give another value for null with \
         `coalesce()`",
    ),
    (
        "event.n > 1",
        "`>` is not defined for null_type and int; give another value for null with \
         `coalesce()`",
    ),
    ("event.s > 1", "`>` is not defined for string and int"),
    ("!event.s", "`!` is not defined for string"),
    ("event.s ? 1 : 2", "bool is wanted, not string"),
    ("event.s && true", "`&&` is not defined for string and bool"),
    (
        "event.s.lower().x",
        "a string has no parts; ask with `has()` whether it is there",
    ),
    (
        "event.l[event.i]",
        "the list has no element 7; ask for its `size()` first",
    ),
    (
        "event.o[event.s]",
        "there is no key \"a\"; ask for it with `has()` or `in`",
    ),
    (
        "event.t.map(l, l.q)",
        "there is no key \"q\"; ask for it with `has()` or `in`",
    ),
    ("event.i.map(x, x)", "a list or a map is wanted, not int"),
    ("lower(event.i)", "`lower` is not defined for int"),
    ("event.s.substr(1, -1)", "`substr`: the length is below 0"),
    (
        "int(event.s)",
        "`int`: string parse error: invalid digit found in string",
    ),
    (
        "sum(event.b)",
        "`sum`: the list holds something that is no number",
    ),
    (
        "sum([1, 2.5])",
        "`sum`: the list holds integers and doubles; convert them with `double()`",
    ),
    (
        "join(event.l)",
        "`join`: the list holds a int; convert it with `string()`",
    ),
    (
        "uuid5('nobody', 'a')",
        "`uuid5`: the namespace is neither a UUID nor `dns`, `url`, `oid` or `x500`",
    ),
    (
        "timestampMs(event.h)",
        "`timestampMs`: the moment is not within the years 0001 to 9999",
    ),
    (
        "abs(-9223372036854775807 - 1)",
        "`abs`: the result is beyond the integers of 64 bits",
    ),
    ("1.0 / 0.0", "the result is inf, which no column holds"),
    (
        "duration('1h')",
        "the result is a duration, which no column holds; write `.getSeconds()` behind it",
    ),
];

#[test]
fn errors_say_what_is_wrong_with_the_event() {
    let event = r#"{"i": 7, "d": 2.5, "s": "a", "n": null, "l": [1], "o": {"k": 1}, "z": 0,
        "h": 9223372036854775807, "t": [{"q": 1}, {}], "b": [1, "a"]}"#;
    for (expression, wanted) in ERRORS {
        assert_eq!(error(expression, event), wanted, "{expression}");
    }
}

#[test]
fn integers_beyond_64_bits_are_errors_wherever_they_stand() {
    // Numbers that the oracle's JSON keeps as integers.
    let event = r#"{"n": 18446744073709551615, "l": [1, 18446744073709551615]}"#;
    for expression in ["event.n + 1", "size(event.l)"] {
        let error = error(expression, event);
        assert!(
            error.contains("holds 18446744073709551615, which is beyond the integers of 64 bits"),
            "{error}"
        );
    }
}
