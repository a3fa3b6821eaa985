//! The story of a row, for people.

use projectionist_core::Timestamp;
use projectionist_core::row::write_timestamp;
use projectionist_language::model::Projection;

use super::Story;
use super::retelling::{Became, Told};
use super::values::{Row, text_of};
use super::verdict::Verdict;
use crate::output::{TextTable, on_one_line, printable};

/// The story: what is asked, every event, and the row at the end.
pub(super) fn render(story: &Story<'_>) -> String {
    let Story {
        past,
        projection,
        table,
        book,
        ..
    } = story;
    let mut text = format!(
        "{} {}: {} event(s) of projection {}, {}\n",
        table.name,
        key_text(projection, story.key()),
        book.events,
        projection.name,
        past.told()
    );
    let hidden = book.events - book.told.len() as u64;
    if hidden > 0 {
        text.push_str(&format!(
            "the first {hidden} are not shown; --limit {} shows all\n",
            book.events
        ));
    }
    for told in &book.told {
        text.push_str(&event(projection, told));
    }
    text.push('\n');
    text.push_str(&ending(story));
    text
}

/// A key, each column with its value.
pub(in crate::commands) fn key_text(projection: &Projection, key: &[String]) -> String {
    let columns = projection.key.iter().zip(key);
    let columns = columns.map(|(column, value)| {
        let column = projection.columns.get(*column);
        let name = column.map_or("", |column| &*column.name);
        format!("{name}={}", printable(value))
    });
    columns.collect::<Vec<_>>().join(" ")
}

fn event(projection: &Projection, told: &Told) -> String {
    let mut text = format!("{}", told.mark);
    if let Some(ts) = told.ts {
        let mut moment = String::new();
        if write_timestamp(&mut moment, Timestamp::from_unix_millis(ts)).is_none() {
            moment = ts.to_string();
        }
        text.push_str(&format!(" {moment}"));
    }
    text.push_str(&format!(" of {}", printable(&told.entity)));
    if !told.fork.is_empty() {
        text.push_str(&format!(" in fork {}", printable(&told.fork)));
    }
    text.push_str(&format!(": {}", told.operation));
    match outcome(told) {
        Some(outcome) => text.push_str(&format!(", {outcome}\n")),
        None => {
            text.push_str(&format!(", {}\n", change(told)));
            text.push_str(&columns(projection, told));
        }
    }
    text
}

/// Why an event changed nothing; `None` for one that was applied.
pub(super) fn outcome(told: &Told) -> Option<String> {
    Some(match &told.became {
        Became::Applied => return None,
        Became::Filtered => "filtered: its `when` is false".to_owned(),
        Became::Ignored => match told.before {
            Some(_) => "ignored: the row was there".to_owned(),
            None => "ignored: there was no row".to_owned(),
        },
        Became::Stale { last } => {
            format!("stale: number {last} of its entity was applied before")
        }
        Became::Kept(letter) => format!(
            "dead letter {} ({}): {}",
            letter.id,
            at_field(&letter.class, letter.field.as_deref()),
            on_one_line(&letter.error)
        ),
        Became::Failed(defect) => format!(
            "it cannot be applied ({}): {}; the target keeps no dead letter of it: it was replayed or \
             given up",
            at_field(defect.class.name(), defect.field.as_deref()),
            on_one_line(&defect.error)
        ),
    })
}

/// The class of a fault, and the column or path where it is known.
fn at_field(class: &str, field: Option<&str>) -> String {
    match field {
        Some(field) => format!("{class}, {}", on_one_line(field)),
        None => class.to_owned(),
    }
}

/// What an event that was applied did, in a word.
pub(super) fn change(told: &Told) -> &'static str {
    match (&told.before, &told.after) {
        (None, Some(_)) => "created",
        (Some(_), None) => "deleted",
        (before, after) if before == after => "unchanged",
        _ => "changed",
    }
}

/// The columns that an event changed, a line each.
fn columns(projection: &Projection, told: &Told) -> String {
    let Some(after) = &told.after else {
        return String::new();
    };
    let mut text = String::new();
    for (index, (column, value)) in projection.columns.iter().zip(after).enumerate() {
        let value = printable(&text_of(value));
        let name = &column.name;
        match told.before.as_ref().and_then(|before| before.get(index)) {
            None => text.push_str(&format!("    {name}: {value}\n")),
            Some(before) if Some(before) == after.get(index) => {}
            Some(before) => {
                let before = printable(&text_of(before));
                text.push_str(&format!("    {name}: {before} -> {value}\n"));
            }
        }
    }
    text
}

/// The row as the events make it, as it stands, and whether that is the same.
fn ending(story: &Story<'_>) -> String {
    let Story {
        projection,
        book,
        verdict,
        ..
    } = story;
    let mut text = String::new();
    if book.row.is_some() || book.actual.is_some() {
        let names = projection
            .columns
            .iter()
            .map(|column| column.name.to_string());
        let mut table = TextTable::with_headings([String::new()].into_iter().chain(names));
        for (whose, row) in [("events", &book.row), ("table", &book.actual)] {
            table.push([whose.to_owned()].into_iter().chain(cells(row.as_ref())));
        }
        text.push_str(&table.render());
        text.push('\n');
    }
    match verdict {
        Verdict::Equal if book.row.is_none() && book.events == 0 => {
            text.push_str("no event is about a row with this key, and there is none in the table\n")
        }
        Verdict::Equal if book.row.is_none() => {
            text.push_str("there is no such row, as the events have it\n");
        }
        Verdict::Equal => text.push_str("the row is as its events make it\n"),
        other => {
            for sentence in other.sentences(book) {
                text.push_str(&format!("{sentence}\n"));
            }
        }
    }
    text
}

fn cells(row: Option<&Row>) -> Vec<String> {
    match row {
        Some(row) => row.iter().map(|value| printable(&text_of(value))).collect(),
        None => vec!["(no row)".to_owned()],
    }
}
