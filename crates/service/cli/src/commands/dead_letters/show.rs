//! Shows dead letters in full.

use serde_json::{Value, json};

use super::declaration::envelope_of;
use super::select::{HeadReader, Letter, check_name, visit};
use super::{open, shown};
use crate::args::Format;
use crate::args::dead_letters::ShowArguments;
use crate::exit::Failure;
use crate::output::{on_one_line, print_line};

pub(super) async fn execute(arguments: &ShowArguments) -> Result<(), Failure> {
    let ShowArguments { selection, limit } = arguments;
    let store = open(selection)?;
    check_name(&store, selection).await?;
    let (name, file) = (selection.name.as_deref(), selection.file.as_deref());
    let mut reader = HeadReader::new(&envelope_of(&store, name, file).await?);
    let mut letters = Vec::new();
    let add = |letter| letters.push(letter);
    let more_after = visit(&store, selection, &mut reader, *limit, add).await?;
    match selection.format {
        Format::Json => {
            let letters: Vec<Value> = letters.iter().map(as_json).collect();
            let more_after = more_after.map(|id| id.0);
            print_line(json!({ "dead_letters": letters, "more_after": more_after }))
        }
        Format::Text => {
            for letter in &letters {
                print_line(as_text(letter))?;
            }
            let more = more_after.map_or(String::new(), |id| {
                format!("; there are more: go on with --after {id}")
            });
            print_line(format_args!("{} dead letter(s){more}", letters.len()))
        }
    }
}

/// The letter with its event: the record as a text, or in hexadecimal digits where it is none.
fn as_json(letter: &Letter) -> Value {
    let mut shown = shown::as_json(letter);
    let record = &letter.stored.letter.event;
    match std::str::from_utf8(record) {
        Ok(text) => shown["event"] = json!(text),
        Err(_) => shown["event_hex"] = json!(hex(record)),
    }
    shown
}

fn as_text(letter: &Letter) -> String {
    let stored = &letter.stored;
    let kept = &stored.letter;
    let defect = &kept.defect;
    let event = letter.event.as_ref();
    let record = match std::str::from_utf8(&kept.event) {
        Ok(text) => on_one_line(text),
        Err(_) => format!("(no text) {}", hex(&kept.event)),
    };
    let lines = [
        ("projection", Some(stored.projection.clone())),
        ("key", Some(stored.key.clone())),
        ("offset", Some(kept.offset.text.clone())),
        ("type", event.map(|event| event.event_type.clone())),
        ("entity", event.map(|event| event.entity.clone())),
        ("tenant", event.map(|event| event.tenant.clone())),
        ("fork", event.map(|event| event.fork.clone())),
        (
            "sequence",
            event.and_then(|event| event.sequence.map(|number| number.to_string())),
        ),
        ("class", Some(defect.class.name().to_owned())),
        ("error", Some(defect.error.clone())),
        ("field", defect.field.clone()),
        ("value", defect.value.clone()),
        ("attempts", Some(kept.attempts.to_string())),
        ("first failed", Some(shown::moment(kept.first_failed_at))),
        ("last failed", Some(shown::moment(kept.failed_at))),
        ("event", Some(record)),
    ];
    let mut text = format!("dead letter {}\n", stored.id);
    for (name, value) in lines {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            text.push_str(&format!("  {name:<13}{}\n", on_one_line(&value)));
        }
    }
    text
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
