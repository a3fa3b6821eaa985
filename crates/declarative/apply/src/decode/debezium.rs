//! Reads the change of a row as Debezium writes it, with or without the schema around it.

use projectionist_language::model::{Metadata, Step};

use super::envelope::kind;
use super::metadata::{Names, inside_quotes};
use super::record::{self, Parts};
use super::{EventPlan, Trie};
use crate::span::Span;

/// Between the values of a key of several columns, and before one of its own kind inside a value.
const SEPARATOR: char = '|';
const ESCAPE: char = '\\';

/// Where the parts of a change stand.
#[derive(Debug)]
pub(super) struct Debezium {
    trie: Trie,
    /// The record is the change.
    bare: Change,
    /// The record holds the change under `payload`, beside its schema.
    wrapped: Change,
    wrapper: usize,
    /// The columns of the key, each with its slot among the places of the payload.
    key: Vec<(Box<str>, usize)>,
}

#[derive(Debug)]
struct Change {
    op: usize,
    before: usize,
    after: usize,
    table: usize,
    lsn: usize,
    ts_ms: usize,
}

/// What happened to a row.
struct Kind {
    /// The end of the event type.
    end: &'static str,
    /// Which of its two states tells of the row.
    row: &'static str,
}

impl Debezium {
    /// Reads events whose entity is the value of the columns of `key`; the places of those are
    /// added to the ones that are wanted of the payload.
    pub(super) fn new(key: &[Box<str>], payload: &mut Trie) -> Self {
        let mut trie = Trie::new(0);
        let bare = Change::below(&[], &mut trie);
        let wrapped = Change::below(&["payload"], &mut trie);
        let wrapper = trie.want(&steps(&["payload"]));
        let key = key.iter().map(|column| {
            let slot = payload.want(&[Step::Key(column.clone())]);
            (column.clone(), slot)
        });
        Self {
            bare,
            wrapped,
            wrapper,
            key: key.collect(),
            trie,
        }
    }

    pub(super) fn read(
        &self,
        names: &mut Names<'_>,
        outer: &mut Vec<Span>,
        plan: &EventPlan,
    ) -> Result<Parts, String> {
        if matches!(names.record.trim_ascii(), "" | "null") {
            return Ok(Parts::default());
        }
        record::read(names.record, &self.trie, outer)?;
        let record = names.record;
        let value = |slot| record::value(record, outer, slot).filter(|value| *value != "null");
        let change = if value(self.bare.op).is_some() {
            &self.bare
        } else {
            match record::value(record, outer, self.wrapper) {
                Some("null") => return Ok(Parts::default()),
                Some(_) => &self.wrapped,
                None => &self.bare,
            }
        };
        let kind = match happened(value(change.op))? {
            Some(kind) => kind,
            None => return no_row(value(change.op), value(change.table), plan),
        };
        let state = match kind.row {
            "before" => value(change.before),
            _ => value(change.after),
        };
        let row = row(state, &kind)?;
        record::descend(plan.payload(), row, record, names.spans)?;
        names.event_type_of("source.table", value(change.table), kind.end)?;
        self.entity(names, &kind)?;
        Ok(Parts {
            sequence: names.integer_at(
                Metadata::SequenceNumber,
                "source.lsn",
                value(change.lsn),
            )?,
            ts: names.integer_at(Metadata::Ts, "source.ts_ms", value(change.ts_ms))?,
            is_binary: false,
        })
    }

    /// The entity: the value of one column, or those of several, joined so that two keys never
    /// give one text.
    fn entity(&self, names: &mut Names<'_>, kind: &Kind) -> Result<(), String> {
        let start = names.aside.len();
        for (index, (column, slot)) in self.key.iter().enumerate() {
            if index > 0 {
                names.aside.push(SEPARATOR);
            }
            let begin = names.aside.len();
            let value = record::value(names.record, names.spans, *slot);
            let shown = || format!("{}.{column}", kind.row);
            names.push_value(shown, value, Metadata::EntityId)?;
            if self.key.len() > 1 {
                escape(names.aside, begin);
            }
        }
        let text = names.aside.get(start..).unwrap_or_default();
        if text.trim().is_empty() {
            let columns: Vec<&str> = self.key.iter().map(|(column, _)| &**column).collect();
            return Err(format!("{}.{} is blank", kind.row, columns.join(", ")));
        }
        names.set_aside(Metadata::EntityId, start)
    }
}

impl Change {
    fn below(above: &[&str], trie: &mut Trie) -> Self {
        let mut at = |path: &[&str]| trie.want(&steps(&[above, path].concat()));
        Self {
            op: at(&["op"]),
            before: at(&["before"]),
            after: at(&["after"]),
            table: at(&["source", "table"]),
            lsn: at(&["source", "lsn"]),
            ts_ms: at(&["source", "ts_ms"]),
        }
    }
}

fn steps(path: &[&str]) -> Vec<Step> {
    path.iter().map(|key| Step::Key((*key).into())).collect()
}

/// What happened; `None` when it happened to no row.
fn happened(op: Option<&str>) -> Result<Option<Kind>, String> {
    let after = |end| Kind { end, row: "after" };
    Ok(Some(match op.map(|op| (op, inside_quotes(op))) {
        Some((_, Some("c"))) => after("create"),
        Some((_, Some("u"))) => after("update"),
        Some((_, Some("r"))) => after("read"),
        Some((_, Some("d"))) => Kind {
            end: "delete",
            row: "before",
        },
        Some((_, Some("t" | "m"))) => return Ok(None),
        Some((op, _)) => {
            let head: String = op.chars().take(40).collect();
            return Err(format!(
                "op is {head}, which is none of \"c\", \"u\", \"d\", \"r\", \"t\" and \"m\""
            ));
        }
        None => {
            return Err(
                "op is missing; a record that was flattened to its row has none, and is read \
                 by an envelope that names places"
                    .to_owned(),
            );
        }
    }))
}

/// A message is nobody's event, and neither is the truncation of a table that no projection
/// reads. Of one that is read the rows would be wrong from now on, which must be seen.
fn no_row(op: Option<&str>, table: Option<&str>, plan: &EventPlan) -> Result<Parts, String> {
    let table = table.and_then(inside_quotes).unwrap_or_default();
    if op == Some("\"t\"") && plan.reads_table(table) {
        return Err(format!(
            "op is \"t\": the table {table} was emptied at its source, and its rows are still \
             here; rebuild the projection behind this record"
        ));
    }
    Ok(Parts::default())
}

/// The row that tells of the change.
fn row<'a>(state: Option<&'a str>, of: &Kind) -> Result<&'a str, String> {
    let Kind { end, row } = of;
    match state {
        Some(object) if object.starts_with('{') => Ok(object),
        Some(other) => Err(format!("{row} is {}, not an object", kind(other))),
        None if *end == "delete" => Err(
            "before is missing or null, so nobody can tell which row was deleted; give the table a primary \
             key or REPLICA IDENTITY FULL"
                .to_owned(),
        ),
        None => Err(format!("{row} is missing or null")),
    }
}

/// Puts the escape before every separator and escape behind `begin`.
fn escape(text: &mut String, begin: usize) {
    let added = text.get(begin..).unwrap_or_default();
    if added.contains([SEPARATOR, ESCAPE]) {
        let escaped: String = added
            .chars()
            .flat_map(|c| {
                let mark = matches!(c, SEPARATOR | ESCAPE).then_some(ESCAPE);
                mark.into_iter().chain([c])
            })
            .collect();
        text.truncate(begin);
        text.push_str(&escaped);
    }
}
