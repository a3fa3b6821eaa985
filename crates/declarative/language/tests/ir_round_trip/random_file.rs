//! Random files without a fault: every option, operation, envelope, type and rule of a column is
//! drawn, and every kind of expression.

use projectionist_language::parse;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

/// Envelopes, each a line of the file.
const ENVELOPES: [&str; 7] = [
    "",
    "envelope: causet",
    "envelope: cloudevents",
    "envelope: { debezium: { key: [id, \"a key\"] } }",
    "envelope: { type: $.kind, entity: $.id }",
    "envelope: { type: \"$['the kind'][0]\", entity: $.id, sequence: $.n, ts: $.at, tenant: $.org, fork: $.branch, payload: $.data }",
    "envelope: { type: $.kind, entity: \"$['it''s']\", payload: \"$.a[3].b\" }",
];

/// Settings of a file or of a projection, each a line.
const SETTINGS: [&str; 6] = [
    "start: latest",
    "on_gap: warn",
    "data_retries: 3",
    "max_retries: 0",
    "on_dead_letter: continue",
    "checkpoint: target",
];

/// Columns beside the key, by name: their declarations, and whether they can be added to.
const COLUMNS: [(&str, &[&str], bool); 9] = [
    (
        "t",
        &[
            "TEXT",
            "{ type: VARCHAR(20), nul: strip, default: \"it's \\\"a\\\"\" }",
            "{ type: TEXT, nul: replace }",
        ],
        false,
    ),
    (
        "i",
        &[
            "INT",
            "{ type: SMALLINT, coerce: lenient, default: -3 }",
            "{ type: BIGINT, required: true, default: 0 }",
        ],
        true,
    ),
    (
        "m",
        &[
            "NUMERIC",
            "{ type: \"NUMERIC(12,2)\", default: 1.50 }",
            "{ type: NUMERIC(5), nullable: false, default: 7 }",
        ],
        true,
    ),
    (
        "d",
        &["DOUBLE", "{ type: REAL, default: .5, coerce: lenient }"],
        true,
    ),
    (
        "b",
        &[
            "BOOLEAN",
            "{ type: BOOLEAN, default: true, coerce: lenient }",
        ],
        false,
    ),
    (
        "at",
        &[
            "TIMESTAMPTZ",
            "{ type: TIMESTAMPTZ, tz: Europe/Zurich, default: \"2024-06-25T16:00:00Z\" }",
            "{ type: TIMESTAMPTZ, tz: \"-02:30\" }",
        ],
        false,
    ),
    (
        "day",
        &["DATE", "{ type: DATE, default: \"2024-02-29\" }"],
        false,
    ),
    (
        "j",
        &[
            "JSONB",
            "{ type: JSONB, default: { a: [1, null], \"b c\": yes } }",
            "{ type: \"NUMERIC(5,2)[]\", default: [1.5, null] }",
            "{ type: \"TEXT[]\", nul: strip }",
        ],
        false,
    ),
    (
        "u",
        &["UUID", "BYTEA", "{ type: BYTEA, default: \"aGk=\" }"],
        false,
    ),
];

/// What every column can be given: paths, and CEL that no type can be told of.
const VALUES: [&str; 6] = [
    "event.a.b",
    "event.payload.ts",
    "\"event['a \\\\'key'][0].b\"",
    "\"coalesce(event.a, event.b[1])\"",
    "\"event.a > 1.50 ? event.b : event.c\"",
    "\"first(event.list.filter(x, x.n > 2u))\"",
];

/// What the column of the same place can be given beside these: literals, and names of the envelope.
const OWN_VALUES: [&[&str]; 9] = [
    &[
        "\"'it\\\\'s \\\"a\\\" \\\\u00e9'\"",
        "event.meta.tenantSchema",
        "event.entityId",
    ],
    &["-5", "7"],
    &["12", "0"],
    &["1.5", "event.sequenceNumber"],
    &[
        "true",
        "false",
        "\"has(event.a) && event.a.b in [1, 2u, 'c']\"",
    ],
    &["event.ts", "event.meta.ts"],
    &["\"'2024-02-29'\""],
    &["event.j"],
    &["event.u"],
];

const CONDITIONS: [&str; 5] = [
    "event.real",
    "\"event.a > 0 && !has(event.b)\"",
    "\"event.a[0]\"",
    "\"event.name.matches('^[A-Z]{2}\\\\\\\\d$')\"",
    "\"event.lines.exists(l, l.n == -1)\"",
];

const ON_MISSING: [&str; 4] = ["", "create", "ignore", "error"];

const OPERATIONS: [&str; 8] = [
    "upsert",
    "insert",
    "patch",
    "patch with set",
    "increment",
    "delete",
    "replace",
    "ignore",
];

const INDEXES: [&str; 4] = ["", "[[t, at], [kind]]", "[[b]]", "[[at], [i, m]]"];

/// A value of `OWN_VALUES` or `VALUES` for a column.
fn value(column: usize, drawn: &Index) -> &'static str {
    let own = OWN_VALUES[column];
    match drawn.index(own.len() + VALUES.len()) {
        at if at < own.len() => own[at],
        at => VALUES[at - own.len()],
    }
}

/// What a random mutation is drawn from; what its operation does not take is not used.
#[derive(Clone, Debug)]
struct Drawn {
    operation: &'static str,
    when: Option<&'static str>,
    set: Vec<(usize, &'static str)>,
    on_missing: &'static str,
    each: bool,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let columns = subsequence((0..COLUMNS.len()).collect::<Vec<_>>(), 1..4);
    let values = proptest::collection::vec(any::<Index>(), 4);
    (
        select(&OPERATIONS[..]),
        proptest::option::of(select(&CONDITIONS[..])),
        (columns, values),
        select(&ON_MISSING[..]),
        any::<bool>(),
    )
        .prop_map(
            |(operation, when, (columns, values), on_missing, each)| Drawn {
                operation,
                when,
                set: columns
                    .into_iter()
                    .zip(&values)
                    .map(|(column, drawn)| (column, value(column, drawn)))
                    .collect(),
                on_missing,
                each,
            },
        )
}

/// A mutation as it stands in the file.
fn mutation(drawn: &Drawn, by: &[usize]) -> String {
    let set = |without: &[usize]| {
        let set = drawn.set.iter().filter(|(at, _)| !without.contains(at));
        let set: Vec<String> = set
            .map(|(at, value)| format!("{}: {value}", COLUMNS[*at].0))
            .collect();
        if set.is_empty() {
            String::new()
        } else {
            format!(", set: {{ {} }}", set.join(", "))
        }
    };
    let missing = match drawn.on_missing {
        "" => String::new(),
        word => format!(", on_missing: {word}"),
    };
    let (name, more) = match drawn.operation {
        "patch" => ("patch", missing),
        "patch with set" => ("patch", set(&[]) + &missing),
        "increment" => {
            let by: Vec<String> = by
                .iter()
                .map(|at| {
                    format!(
                        "{}: {}",
                        COLUMNS[*at].0,
                        ["event.n", "1", "\"event.n * 2\""][at % 3]
                    )
                })
                .collect();
            // A column is either added to or set.
            let adding: Vec<usize> = (0..COLUMNS.len()).filter(|at| COLUMNS[*at].2).collect();
            let by = format!(", by: {{ {} }}", by.join(", "));
            ("increment", by + &set(&adding) + &missing)
        }
        "replace" if drawn.each => (
            "replace",
            ", filter: { id: event.entityId }, each: event.lines".to_owned(),
        ),
        "replace" => (
            "replace",
            ", filter: { kind: \"lower(event.kind)\" }".to_owned(),
        ),
        name @ ("upsert" | "insert") => (name, set(&[])),
        name => (name, String::new()),
    };
    let when = match drawn.when {
        Some(when) if name != "ignore" => format!(", when: {when}"),
        _ => String::new(),
    };
    format!("{{ op: {name}{more}{when} }}")
}

/// A projection, with two spaces before each line.
fn projection(number: usize) -> impl Strategy<Value = String> {
    let forms = proptest::collection::vec(any::<Index>(), COLUMNS.len());
    let derived = proptest::collection::vec(any::<Index>(), COLUMNS.len());
    let adding: Vec<usize> = (0..COLUMNS.len()).filter(|at| COLUMNS[*at].2).collect();
    (
        (forms, derived),
        proptest::collection::vec((drawn(), subsequence(adding, 1..=3)), 1..6),
        subsequence(&SETTINGS[..], 0..=SETTINGS.len()),
        select(&INDEXES[..]),
        any::<(bool, bool)>(),
    )
        .prop_map(move |((forms, derived), mutations, settings, indexes, (turned, guarded))| {
            let key = if turned { "kind, id" } else { "id, kind" };
            let indexes = match indexes {
                "" => String::new(),
                indexes => format!(", indexes: {indexes}"),
            };
            let events: Vec<String> = (0..mutations.len()).map(|at| format!("E{at}")).collect();
            let mut text = format!(
                "  p{number}:\n    source_events: [{}]\n    target: {{ table: \"t {number}\", primary_key: [{key}]{indexes} }}\n",
                events.join(", ")
            );
            for setting in settings {
                // A gap is told apart by the guard only.
                if guarded || !setting.starts_with("on_gap") {
                    text += &format!("    {setting}\n");
                }
            }
            if !guarded {
                text += "    sequence: none\n";
            }
            text += "    fields:\n      id: TEXT\n      kind: { type: VARCHAR(20), nul: strip }\n      more: TEXT\n";
            for ((name, declared, _), form) in COLUMNS.iter().zip(&forms) {
                text += &format!("      {name}: {}\n", form.get(declared));
            }
            text += "    derive:\n      id: event.entityId\n      kind: \"lower(event.kind)\"\n";
            // A patch without `set` has always something to write.
            text += "      more: event.more\n";
            for (column, drawn) in derived.iter().enumerate() {
                let (name, ..) = COLUMNS[column];
                text += &format!("      {name}: {}\n", value(column, drawn));
            }
            text += "    mutations:\n";
            for (at, (drawn, by)) in mutations.iter().enumerate() {
                text += &format!("      E{at}: {}\n", mutation(drawn, by));
            }
            text
        })
}

/// The envelopes that this build takes; which those are is for the tests of the envelopes to say.
fn envelopes() -> Vec<&'static str> {
    let is_taken = |envelope: &&str| parse("f.yaml", &format!("{envelope}\n{SMALLEST}")).is_ok();
    let taken: Vec<_> = ENVELOPES.into_iter().filter(is_taken).collect();
    assert!(taken.len() >= 2, "the one of the language, told and untold");
    taken
}

const SMALLEST: &str = "
projections:
  p:
    source_events: [E]
    target: { table: t, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.entityId }
    mutations: { E: { op: upsert } }
";

/// A file with two projections.
pub(crate) fn file() -> impl Strategy<Value = String> {
    (
        select(envelopes()),
        subsequence(&SETTINGS[..4], 0..=4),
        projection(1),
        projection(2),
    )
        .prop_map(|(envelope, settings, first, second)| {
            let settings = settings.join("\n");
            format!("{envelope}\n{settings}\nprojections:\n{second}{first}")
        })
}
