//! The story of a row, for programs.

use projectionist_language::model::Projection;
use serde_json::{Map, Value, json};

use super::Story;
use super::retelling::{Became, Mark, Told};
use super::text::{change, outcome};
use super::values::{Row, json_of};
use super::verdict::Verdict;

/// The story as one object.
pub(super) fn render(story: &Story<'_>) -> Value {
    let Story {
        past,
        projection,
        table,
        book,
        verdict,
        ..
    } = story;
    let events: Vec<Value> = book
        .told
        .iter()
        .map(|told| event(projection, told))
        .collect();
    json!({
        "projection": projection.name,
        "table": &*table.name.name,
        "tenant": table.name.tenant.as_deref(),
        "key": key(projection, story.key()),
        "source": past.source.as_ref().map(ToString::to_string),
        "until": past.until.as_ref().map(ToString::to_string),
        "events_total": book.events,
        "events": events,
        "row": {
            "events": book.row.as_ref().map(|row| columns(projection, row)),
            "table": book.actual.as_ref().map(|row| columns(projection, row)),
        },
        "equal": verdict.is_equal(),
        "differences": differences(verdict),
        "told": verdict.sentences(book),
        "notes": past.notes,
    })
}

/// The columns that differ, each with both values and the events that made them.
pub(in crate::commands) fn differences(verdict: &Verdict<'_>) -> Value {
    let Verdict::Differing(columns) = verdict else {
        return json!([]);
    };
    let columns = columns.iter().map(|column| {
        json!({
            "column": column.name,
            "table": column.actual,
            "events": column.expected,
            "last_event": column.last.map(mark),
            "made_by": column.made.map(mark),
        })
    });
    columns.collect()
}

/// What tells an event from others.
pub(in crate::commands) fn mark(mark: &Mark) -> Value {
    json!({
        "line": mark.at.line,
        "offset": mark.at.to_string(),
        "sequence": mark.sequence,
        "type": mark.event_type,
    })
}

/// A key by its columns.
pub(in crate::commands) fn key(projection: &Projection, texts: &[String]) -> Value {
    let columns = projection.key.iter().zip(texts);
    let named = columns.filter_map(|(column, text)| {
        let column = projection.columns.get(*column)?;
        Some((column.name.to_string(), json!(text)))
    });
    Value::Object(named.collect::<Map<_, _>>())
}

/// A row by its columns.
fn columns(projection: &Projection, row: &Row) -> Value {
    let columns = projection.columns.iter().zip(row);
    let named = columns.map(|(column, value)| (column.name.to_string(), json_of(value)));
    Value::Object(named.collect::<Map<_, _>>())
}

fn event(projection: &Projection, told: &Told) -> Value {
    let mut event = mark(&told.mark);
    let (letter, class, field) = match &told.became {
        Became::Kept(letter) => (
            Some(letter.id.0),
            Some(letter.class.as_str()),
            letter.field.as_deref(),
        ),
        Became::Failed(defect) => (None, Some(defect.class.name()), defect.field.as_deref()),
        _ => (None, None, None),
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    event["ts"] = json!(told.ts);
    event["entity"] = json!(told.entity);
    event["fork"] = json!(some(&told.fork));
    event["operation"] = json!(told.operation);
    event["outcome"] = json!(told.became.name());
    event["detail"] = json!(outcome(told));
    event["letter"] = json!(letter);
    event["class"] = json!(class);
    event["field"] = json!(field);
    event["row"] = json!(change(told));
    event["change"] = changed(projection, told);
    event
}

/// The columns that an event changed, each before and after it. A row that was not there is null.
fn changed(projection: &Projection, told: &Told) -> Value {
    let of = |row: &Option<Row>, at: usize| row.as_ref().and_then(|row| row.get(at)).map(json_of);
    let columns = projection.columns.iter().enumerate();
    let changed = columns.filter_map(|(at, column)| {
        let (before, after) = (of(&told.before, at), of(&told.after, at));
        let change = json!({ "before": before, "after": after });
        (before != after).then(|| (column.name.to_string(), change))
    });
    Value::Object(changed.collect::<Map<_, _>>())
}
