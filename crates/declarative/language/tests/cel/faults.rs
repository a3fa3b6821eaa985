//! What is said about an expression that is wrong in the file, and where.
#![expect(clippy::panic, reason = "the helpers are parts of tests")]

use projectionist_language::{Fault, parse};

/// The fault of a file whose column `x` has the expression, in a block of its own so that no quote
/// of YAML is in the way. The expression begins in column 9 of line 9.
fn fault(expression: &str) -> Fault {
    let lines: Vec<String> = expression
        .lines()
        .map(|line| format!("        {line}\n"))
        .collect();
    let text = format!(
        "projections:\n  p:\n    source_events: [E]\n    target: {{ table: t, primary_key: [id] }}\n    \
         fields: {{ id: TEXT, x: JSONB }}\n    derive:\n      id: event.entityId\n      x: |\n{}    \
         mutations: {{ E: {{ op: upsert }} }}\n",
        lines.concat()
    );
    let Err(faults) = parse("f.yaml", &text) else {
        panic!("a fault is expected for {expression}");
    };
    match faults.as_slice() {
        [fault] => fault.clone(),
        _ => panic!("one fault is expected for {expression}: {faults}"),
    }
}

/// Expressions with `§` before the character that the fault points at, the message and the help.
/// In an expression of several lines it points at the beginning, because YAML may have folded them.
const WRONG: [(&str, &str, &str); 48] = [
    (
        "size(§evnt.a)",
        "there is no `evnt` here; did you mean `event`?",
        "",
    ),
    (
        "1 + §total",
        "there is no `total` here",
        "write `event.total` for a value of the event, or `'total'` for the text",
    ),
    (
        "event.user-§id",
        "there is no `id` here",
        "a key with a hyphen is written in brackets: `event['a-key']`",
    ),
    (
        "event.a.§lowr()",
        "there is no function `lowr`; did you mean `lower`?",
        "",
    ),
    (
        "§coalesc(event.a, 1)",
        "there is no function `coalesc`; did you mean `coalesce`?",
        "",
    ),
    (
        "§frobnicate(event.a)",
        "there is no function `frobnicate`",
        "the functions are listed in docs/guides/expressions.md",
    ),
    (
        "§now()",
        "there is no function `now`",
        "an event gives the same row whenever it is applied; `event.ts` is its own moment",
    ),
    (
        "§uuid()",
        "there is no function `uuid`",
        "an event gives the same row whenever it is applied; `uuid5(namespace, name)` is a UUID \
         made of what it holds",
    ),
    (
        "event.a.§length() > 1",
        "there is no function `length`",
        "write `size(…)`",
    ),
    (
        "§if(event.a, 1, 2)",
        "`if` is a reserved word of CEL",
        "write `condition ? one : other`",
    ),
    (
        "§lower(event.a, event.b)",
        "`lower` takes 1 argument here, not 2",
        "",
    ),
    (
        "event.a.§lower(1)",
        "`lower` takes no argument here, not 1",
        "",
    ),
    (
        "event.a.§substr()",
        "`substr` takes 1 to 2 arguments here, not 0",
        "",
    ),
    (
        "§startsWith(event.a, 'x')",
        "`startsWith` is called behind a value",
        "write `value.startsWith(…)`",
    ),
    (
        "event.a.§int()",
        "`int` is called in front of its argument",
        "write `int(…)`",
    ),
    (
        "event.l.§map(x)",
        "`map` takes 2 to 3 arguments here, not 1",
        "",
    ),
    (
        "§exists(event.l, x, x)",
        "`exists` is called behind a value",
        "write `value.exists(…, …)`",
    ),
    (
        "§has(event.a, event.b)",
        "`has` takes 1 argument here, not 2",
        "",
    ),
    (
        "has(event§[0])",
        "`has()` asks for a key, such as `has(event.user.name)`",
        "",
    ),
    (
        "event.l.map(x§.y, 1)",
        "the first argument of a loop is a name of your own for the element",
        "write `event.lines.exists(line, line.qty > 0)`",
    ),
    (
        "event.l.map§(event, 1)",
        "`event` has a meaning already and cannot name the element",
        "give the element another name, such as in `.exists(line, line.qty > 0)`",
    ),
    (
        "event.l.exists(line, §lin.qty > 0)",
        "there is no `lin` here; did you mean `line`?",
        "",
    ),
    (
        "§event == null",
        "`event` alone is no value; name a path",
        "write `event.user_id`, or `event.payload` for the whole payload",
    ),
    (
        "§event[event.k] + 1",
        "`event` alone is no value; name a path",
        "write `event.user_id`, or `event.payload` for the whole payload",
    ),
    (
        "1 + event.ts.§seconds",
        "`ts` is a name of the envelope and has nothing inside",
        "write `event.payload.ts` for a value of that name in the payload",
    ),
    (
        "1 + event.meta.§topic",
        "`event.meta.topic` is known of events from a broker only, and this build reads files",
        "",
    ),
    (
        "event.a[§-1] + 1",
        "elements are counted from 0",
        "an element cannot be counted from the end",
    ),
    (
        "event.a.matches(§event.b)",
        "the pattern of `matches` must be a text that stands here",
        "compare texts of the event with `.contains()` or `.startsWith()`",
    ),
    (
        "event.a.matches(§'(')",
        "the pattern is no regular expression: unclosed group",
        "",
    ),
    (
        "event.a §= 1",
        "`=` means nothing in CEL",
        "an equality is written `==`",
    ),
    ("event.a <§> 1", "`>` cannot stand here", "write `!=`"),
    (
        "event.a §and event.b",
        "`and` cannot stand here",
        "write `&&`",
    ),
    (
        "event.a §is null",
        "`is` cannot stand here",
        "write `== null`, or ask with `has()`",
    ),
    ("event.a +§", "the expression ends where more is wanted", ""),
    ("(event.a + 1§", "`)` is wanted at the end", ""),
    ("event.a + 'x' §)", "`)` cannot stand here", ""),
    (
        "event.a == §'x",
        "the text that begins here is not closed",
        "",
    ),
    (
        "§9223372036854775808 + 1",
        "the number is beyond the integers of 64 bits",
        "",
    ),
    (
        "1 + §'\\q'",
        "the text is not closed, or has an escape that CEL does not know",
        "a backslash is written `\\\\`",
    ),
    (
        "event.a§.?b == 1",
        "optional values are no part of expressions here",
        "write `has(event.a) ? event.a : …`, or `coalesce(event.a, …)`",
    ),
    (
        "Point§{x: 1}",
        "there is no type `Point` to make",
        "a map is written `{'key': value}`",
    ),
    (
        "event.gr§öße + 1",
        "`ö` cannot stand in a name after a point",
        "write such a key in brackets: `event['a key']`",
    ),
    (
        "'é' + §totl",
        "there is no `totl` here",
        "write `event.totl` for a value of the event, or `'totl'` for the text",
    ),
    (
        "§'😀é'\n  + event.a\n  + lowr",
        "there is no `lowr` here",
        "write `event.lowr` for a value of the event, or `'lowr'` for the text",
    ),
    (
        "§'é'\n  + = 1",
        "`=` means nothing in CEL",
        "an equality is written `==`",
    ),
    (
        "'é' + §'\\q'",
        "the text is not closed, or has an escape that CEL does not know",
        "a backslash is written `\\\\`",
    ),
    ("event.a ?§", "the expression ends where more is wanted", ""),
    (
        "event.a ? 1§",
        "the expression ends where more is wanted",
        "",
    ),
];

#[test]
fn faults_say_what_to_write_and_where() {
    let mut wrong = Vec::new();
    for (marked, message, help) in WRONG {
        let before: String = marked.chars().take_while(|c| *c != '§').collect();
        let expression = marked.replace('§', "");
        let fault = fault(&expression);
        let last = before.lines().next_back().unwrap_or_default();
        let last = if before.ends_with('\n') { "" } else { last };
        let place = (9 + before.matches('\n').count(), 9 + last.chars().count());
        let found = (fault.line, fault.column);
        let found_help = fault.help.as_deref().unwrap_or_default();
        if place != found || fault.message != message || found_help != help {
            wrong.push(format!(
                "{marked:?}: at {found:?} instead of {place:?}: {:?} {found_help:?}",
                fault.message
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
