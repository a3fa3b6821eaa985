//! Plain paths: `event.a.b`, `event['a b']`, `event.items[0]`, `item.x`.

use super::cursor::{Cursor, begins_name, continues_name};
use super::{ExpressionFault, INNER_QUOTE, beyond_plain, literal};
use crate::model::{Expression, Literal, Metadata, Path, Step};
use crate::suggest::{did_you_mean, list};

/// The most steps of a path. An event is not parsed deeper.
pub(crate) const MAX_STEPS: usize = 64;

/// The names of the envelope, which mean it directly after `event` and after `event.meta`.
const METADATA: [(&str, Metadata); 7] = [
    ("eventType", Metadata::EventType),
    ("entityId", Metadata::EntityId),
    ("forkId", Metadata::ForkId),
    ("tenantSchema", Metadata::TenantSchema),
    ("irVersion", Metadata::IrVersion),
    ("sequenceNumber", Metadata::SequenceNumber),
    ("ts", Metadata::Ts),
];

/// What `event.meta` has beyond the envelope when events come from a broker.
const BROKER: [&str; 5] = ["topic", "partition", "offset", "key", "headers"];

/// Words that begin no path but mean something in CEL.
const LITERALS: [(&str, Literal); 3] = [
    ("true", Literal::Bool(true)),
    ("false", Literal::Bool(false)),
    ("null", Literal::Null),
];

const NOT_CLOSED: &str = "this bracket is not closed";

/// Reads what begins with a name: a path, `true`, `false` or `null`.
pub(super) fn named(cursor: &mut Cursor<'_>) -> Result<Expression, ExpressionFault> {
    let start = cursor.offset();
    let name = cursor.take_while(continues_name);
    if let Some((_, literal)) = LITERALS.iter().find(|(word, _)| *word == name) {
        return Ok(Expression::Literal(literal.clone()));
    }
    match name {
        "event" => {
            let steps = steps(cursor, "event")?;
            event_path(start, &steps).map(Expression::Path)
        }
        "item" => {
            let steps = steps(cursor, "item")?;
            let steps = steps.into_iter().map(|(_, step)| step).collect();
            Ok(Expression::Path(Path::Item(steps)))
        }
        _ => Err(no_root(cursor, start, name)),
    }
}

/// The fault of a word that begins neither a path nor a literal.
fn no_root(cursor: &Cursor<'_>, start: usize, name: &str) -> ExpressionFault {
    let rest = cursor.rest().trim_start();
    if rest.starts_with(['(', '{']) {
        return beyond_plain(start);
    }
    let slip = did_you_mean(name, ["event", "item", "true", "false", "null"]);
    let fault = ExpressionFault::new(
        start,
        format!("`{name}` is neither a path nor a literal{slip}"),
    )
    .of_root(name);
    if !slip.is_empty() {
        return fault;
    }
    if matches!(name, "payload" | "meta") && rest.starts_with('.') {
        return fault.help(format!("a path begins with `event`: `event.{name}{rest}`"));
    }
    fault.help(format!(
        "write `event.{name}` for a value of the event, or `\"'{name}'\"` for the text"
    ))
}

/// Reads the steps of a path, each with its offset.
pub(super) fn steps(
    cursor: &mut Cursor<'_>,
    root: &str,
) -> Result<Vec<(usize, Step)>, ExpressionFault> {
    let mut steps = Vec::new();
    loop {
        let offset = cursor.offset();
        let step = if cursor.eat('.') {
            key(cursor)?
        } else if cursor.eat('[') {
            bracket(cursor, offset)?
        } else {
            break;
        };
        if steps.len() == MAX_STEPS {
            let message = format!("a path has at most {MAX_STEPS} steps");
            return Err(ExpressionFault::new(offset, message));
        }
        steps.push((offset + 1, step));
    }
    if cursor.rest().trim_start().starts_with('(') {
        return Err(beyond_plain(cursor.offset()));
    }
    after_name(cursor, root)?;
    Ok(steps)
}

/// Refuses characters that end a name although a key of an event may well have them.
fn after_name(cursor: &Cursor<'_>, root: &str) -> Result<(), ExpressionFault> {
    match cursor.peek() {
        Some('-') => Err(beyond_plain(cursor.offset())),
        Some(other) if other.is_alphanumeric() || matches!(other, '$' | '@' | '#') => {
            let message = format!("`{other}` cannot stand in a name after a point");
            Err(ExpressionFault::new(cursor.offset(), message)
                .help(format!("write such a key in brackets: `{root}['a key']`")))
        }
        _ => Ok(()),
    }
}

/// Reads a name after a point.
fn key(cursor: &mut Cursor<'_>) -> Result<Step, ExpressionFault> {
    let offset = cursor.offset();
    match cursor.peek() {
        Some(first) if begins_name(first) => {
            Ok(Step::Key(cursor.take_while(continues_name).into()))
        }
        Some('0'..='9') => {
            let digits = cursor.take_while(|c| c.is_ascii_digit());
            let message = format!("`{digits}` is no name");
            Err(ExpressionFault::new(offset, message).help(format!(
                "write `[{digits}]` for an element of an array, or `['{digits}']` for a key"
            )))
        }
        Some(other) if other.is_alphanumeric() || matches!(other, '$' | '@' | '#') => {
            let message = format!("`{other}` cannot stand in a name after a point");
            Err(ExpressionFault::new(offset, message)
                .help("write such a key in brackets: `['a key']` instead of `.a key`"))
        }
        Some('?') => Err(beyond_plain(offset)),
        _ => Err(ExpressionFault::new(
            offset,
            "a name is wanted after the point",
        )),
    }
}

/// Reads the rest of `[0]`, `['a']` or `["a"]`; `offset` is that of the bracket.
fn bracket(cursor: &mut Cursor<'_>, offset: usize) -> Result<Step, ExpressionFault> {
    let inside = cursor.offset();
    let step = match cursor.peek() {
        Some('\'' | '"') => Step::Key(literal::text(cursor)?.into()),
        Some('0'..='9') => {
            let digits = cursor.take_while(|c| c.is_ascii_digit());
            let index = digits.parse::<u32>().ok();
            let index = index.and_then(|index| usize::try_from(index).ok());
            Step::Index(index.ok_or_else(|| {
                ExpressionFault::new(inside, format!("no array has an element {digits}"))
            })?)
        }
        Some('-') => {
            return Err(ExpressionFault::from_end(inside));
        }
        Some(first) if begins_name(first) => {
            let name = cursor.take_while(continues_name);
            let closed = cursor.rest().starts_with(']');
            return Err(if closed && !matches!(name, "event" | "item") {
                ExpressionFault::new(inside, format!("`{name}` is neither a number nor a text"))
                    .help(format!("write `['{name}']` for a key"))
            } else {
                beyond_plain(inside)
            });
        }
        None => return Err(ExpressionFault::new(offset, NOT_CLOSED)),
        Some(']') => {
            let message = "a number or a quoted key is wanted in the brackets";
            return Err(ExpressionFault::new(inside, message));
        }
        Some(_) => return Err(beyond_plain(inside)),
    };
    if cursor.eat(']') {
        return Ok(step);
    }
    match cursor.peek() {
        None => Err(ExpressionFault::new(offset, NOT_CLOSED)),
        Some('\'' | '"') => {
            let message = "the text ended before this quote";
            Err(ExpressionFault::new(cursor.offset(), message).help(INNER_QUOTE))
        }
        Some(_) => Err(beyond_plain(cursor.offset())),
    }
}

/// Decides between envelope and payload. Each step has its place in the text.
pub(crate) fn event_path(start: usize, steps: &[(usize, Step)]) -> Result<Path, ExpressionFault> {
    let Some(((offset, first), rest)) = steps.split_first() else {
        return Err(
            ExpressionFault::new(start, "`event` alone is no value; name a path")
                .help("write `event.user_id`, or `event.payload` for the whole payload"),
        );
    };
    let payload = |steps: &[(usize, Step)]| {
        Path::Payload(steps.iter().map(|(_, step)| step.clone()).collect())
    };
    let Step::Key(name) = first else {
        return Err(ExpressionFault::new(*offset, "`event` is no array")
            .help("write `event.payload[0]` for an element of the payload"));
    };
    match name.as_ref() {
        "payload" => Ok(payload(rest)),
        "meta" => meta_path(*offset, rest),
        name => match metadata(name) {
            Some(found) => end_of_metadata(name, rest).map(|()| Path::Metadata(found)),
            None => Ok(payload(steps)),
        },
    }
}

/// What follows `event.meta`, whose name stands at `offset`.
fn meta_path(offset: usize, steps: &[(usize, Step)]) -> Result<Path, ExpressionFault> {
    let names = METADATA.iter().map(|(name, _)| *name);
    let Some(((offset, step), rest)) = steps.split_first() else {
        return Err(ExpressionFault::new(
            offset,
            "`event.meta` alone is no value; name a part of it",
        )
        .help(format!("it has {}", list(names))));
    };
    let name = match step {
        Step::Key(name) => name.as_ref(),
        Step::Index(_) => return Err(ExpressionFault::new(*offset, "`event.meta` is no array")),
    };
    if let Some(found) = metadata(name) {
        return end_of_metadata(name, rest).map(|()| Path::Metadata(found));
    }
    if BROKER.contains(&name) {
        let message = format!(
            "`event.meta.{name}` is known of events from a broker only, and this build reads files"
        );
        return Err(ExpressionFault::new(*offset, message));
    }
    let slip = did_you_mean(name, names.clone());
    let message = format!("`event.meta` has no `{name}`{slip}");
    Err(ExpressionFault::new(*offset, message).help(format!(
        "it has {}; a value of the payload is `event.payload.{name}`",
        list(names)
    )))
}

/// The name of the envelope that `metadata` stands for.
pub(crate) fn metadata_name(metadata: Metadata) -> &'static str {
    METADATA
        .iter()
        .find(|(_, known)| *known == metadata)
        .map_or("", |(name, _)| name)
}

/// Whether a name directly after `event` means something else than a key of the payload.
pub(crate) fn means_envelope(name: &str) -> bool {
    matches!(name, "payload" | "meta") || is_metadata(name)
}

/// Whether `event.` and this name mean the envelope.
pub(crate) fn is_metadata(name: &str) -> bool {
    metadata(name).is_some()
}

fn metadata(name: &str) -> Option<Metadata> {
    METADATA
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, metadata)| *metadata)
}

/// Nothing stands inside a name of the envelope.
fn end_of_metadata(name: &str, rest: &[(usize, Step)]) -> Result<(), ExpressionFault> {
    match rest.first() {
        None => Ok(()),
        Some((offset, _)) => Err(ExpressionFault::new(
            *offset,
            format!("`{name}` is a name of the envelope and has nothing inside"),
        )
        .help(format!(
            "write `event.payload.{name}` for a value of that name in the payload"
        ))),
    }
}
