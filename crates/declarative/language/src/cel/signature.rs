//! The functions that expressions may call, and how.

use std::ops::RangeInclusive;

/// How many arguments a function takes in each way of calling it.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) name: &'static str,
    /// Called as `name(…)`.
    pub(super) global: Option<RangeInclusive<usize>>,
    /// Called as `value.name(…)`.
    pub(super) member: Option<RangeInclusive<usize>>,
}

/// The most arguments of `coalesce`.
const MANY: usize = 16;

/// Of one value, called either way: `lower(x)` and `x.lower()`.
const fn of_value(name: &'static str) -> Signature {
    either(name, 1..=1)
}

/// Called either way; `arguments` counts the value before the point.
const fn either(name: &'static str, arguments: RangeInclusive<usize>) -> Signature {
    let (least, most) = (*arguments.start(), *arguments.end());
    Signature {
        name,
        global: Some(least..=most),
        member: Some(least - 1..=most - 1),
    }
}

const fn global(name: &'static str, arguments: RangeInclusive<usize>) -> Signature {
    Signature {
        name,
        global: Some(arguments),
        member: None,
    }
}

const fn member(name: &'static str, arguments: RangeInclusive<usize>) -> Signature {
    Signature {
        name,
        global: None,
        member: Some(arguments),
    }
}

/// Every function. Loops such as `map` are here for their names and arguments; they are expanded
/// when they are right.
pub(super) const FUNCTIONS: [Signature; 57] = [
    // Of the language.
    global("has", 1..=1),
    of_value("size"),
    member("contains", 1..=1),
    member("startsWith", 1..=1),
    member("endsWith", 1..=1),
    either("matches", 2..=2),
    global("int", 1..=1),
    global("uint", 1..=1),
    global("double", 1..=1),
    global("string", 1..=1),
    global("bool", 1..=1),
    global("bytes", 1..=1),
    global("type", 1..=1),
    global("dyn", 1..=1),
    global("timestamp", 1..=1),
    global("duration", 1..=1),
    member("getFullYear", 0..=1),
    member("getMonth", 0..=1),
    member("getDate", 0..=1),
    member("getDayOfMonth", 0..=1),
    member("getDayOfWeek", 0..=1),
    member("getDayOfYear", 0..=1),
    member("getHours", 0..=1),
    member("getMinutes", 0..=1),
    member("getSeconds", 0..=1),
    member("getMilliseconds", 0..=1),
    member("all", 2..=2),
    member("exists", 2..=2),
    member("exists_one", 2..=2),
    member("existsOne", 2..=2),
    member("map", 2..=3),
    member("filter", 2..=2),
    // Added.
    global("coalesce", 1..=MANY),
    of_value("lower"),
    of_value("upper"),
    of_value("trim"),
    either("substr", 2..=3),
    either("split", 2..=2),
    either("join", 1..=2),
    either("replace", 3..=3),
    either("indexOf", 2..=2),
    of_value("json"),
    global("timestampMs", 1..=1),
    of_value("millis"),
    of_value("abs"),
    of_value("round"),
    of_value("floor"),
    of_value("ceil"),
    of_value("sum"),
    of_value("min"),
    of_value("max"),
    of_value("first"),
    of_value("last"),
    of_value("distinct"),
    of_value("sort"),
    of_value("sha256"),
    global("uuid5", 2..=2),
];

/// The function of that name.
pub(super) fn find(name: &str) -> Option<&'static Signature> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
