//! What a person may type about dead letters.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use projectionist_core::row::{Cell, ColumnType};
use projectionist_core::{DeadLetterId, ErrorClass, Timestamp};
use projectionist_language::{CoerceBuffer, ColumnRules, JsonValue, coerce};

use super::Format;
use crate::place::Target;

#[derive(Debug, Subcommand)]
pub(crate) enum DeadLetters {
    /// List dead letters, those that were kept first in front
    List(ListArguments),
    /// Show dead letters in full, with their events
    Show(ShowArguments),
    /// Apply the events of dead letters again
    Replay(ReplayArguments),
    /// Give dead letters up: they go, and their events count as skipped
    Discard(DiscardArguments),
}

/// Which dead letters are meant: those for which all holds that is given.
#[derive(Debug, Args)]
pub(crate) struct Selection {
    /// Letters of this projection; of all where it is left out
    pub(crate) name: Option<String>,
    /// The target whose dead letters are meant: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(crate) store: Target,
    /// Only records that are no events; they belong to no projection
    #[arg(long, conflicts_with = "name")]
    pub(crate) malformed: bool,
    /// Only the letters of these ids
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    pub(crate) id: Vec<DeadLetterId>,
    /// Only letters of lanes with this key, such as `all` or `stdin`
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// Only letters of this class: envelope, data, tenant, schema, unverified, outage or handler
    #[arg(long, value_parser = class)]
    pub(crate) class: Option<ErrorClass>,
    /// Only letters that failed at this column or path
    #[arg(long)]
    pub(crate) field: Option<String>,
    /// Only events of this type
    #[arg(long = "type", value_name = "EVENT_TYPE")]
    pub(crate) event_type: Option<String>,
    /// Only events of this entity
    #[arg(long)]
    pub(crate) entity: Option<String>,
    /// Only events of this tenant; the empty one for those without
    #[arg(long)]
    pub(crate) tenant: Option<String>,
    /// Only letters that failed last at this time or later: RFC 3339, or Unix milliseconds
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only letters that failed last before this time
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
    /// Only letters that were kept after the one of this id: where a list with a limit ended
    #[arg(long, value_name = "ID")]
    pub(crate) after: Option<DeadLetterId>,
    /// The file that declares the projections; without it events are read as the usual envelope
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// At most so many letters
    #[arg(long, value_name = "LETTERS", default_value_t = 100)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// At most so many letters
    #[arg(long, value_name = "LETTERS", default_value_t = 10)]
    pub(crate) limit: usize,
}

/// Apply the events of dead letters again, in the order in which they were kept.
///
/// A letter whose event is applied now goes, and is counted as applied. One that fails again is
/// kept with the new reason, and the exit code is 1. One whose entity has a later event that was
/// applied is kept too: only a new table can hold its event. A run of the same projections may go
/// on meanwhile.
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// At most so many letters; all of them unless it is given
    #[arg(long, value_name = "LETTERS")]
    pub(crate) limit: Option<usize>,
    /// Tell what would happen and change nothing. Nobody else can write meanwhile
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also replay letters of projections with `sequence: none`, which cannot tell whether a later
    /// event was applied
    #[arg(long)]
    pub(crate) force: bool,
    /// At most so many tenants; an event of a further one fails
    #[arg(long, value_name = "TENANTS", default_value_t = 1_000)]
    pub(crate) max_tenants: usize,
}

#[derive(Debug, Args)]
pub(crate) struct DiscardArguments {
    #[command(flatten)]
    pub(crate) selection: Selection,
    /// Give up all letters of the target
    #[arg(long)]
    pub(crate) all: bool,
    /// At most so many letters; all of them unless it is given
    #[arg(long, value_name = "LETTERS")]
    pub(crate) limit: Option<usize>,
    /// Tell what would go and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

fn class(text: &str) -> Result<ErrorClass, String> {
    ErrorClass::from_name(text).ok_or_else(|| {
        "is no class; write envelope, data, tenant, schema, unverified, outage or handler"
            .to_owned()
    })
}

/// A moment, as TIMESTAMPTZ takes it.
fn moment(text: &str) -> Result<Timestamp, String> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = match is_number {
        true => JsonValue::Number(text),
        false => JsonValue::Text(text),
    };
    let (rules, mut buffer) = (ColumnRules::default(), CoerceBuffer::new());
    match coerce(ColumnType::TimestampTz, rules, value, &mut buffer) {
        Ok(Cell::Timestamp(moment)) => Ok(moment),
        _ => Err("is no moment; write 2024-06-25T16:00:00Z, or Unix milliseconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_text_with_a_zone_or_milliseconds() {
        let noon = Timestamp::from_unix_millis(1_719_316_800_000);
        for text in [
            "2024-06-25T12:00:00Z",
            "2024-06-25T14:00:00+02:00",
            "1719316800000",
        ] {
            assert_eq!(moment(text), Ok(noon), "{text}");
        }
        for text in ["", "yesterday", "2024-06-25", "2024-06-25T12:00:00", "1.5"] {
            assert!(moment(text).unwrap_err().contains("Unix milliseconds"));
        }
    }

    #[test]
    fn every_class_is_named_in_the_message_about_a_wrong_one() {
        let error = class("dat").unwrap_err();
        for name in error
            .trim_start_matches("is no class; write ")
            .split([',', ' '])
            .filter(|word| !word.is_empty() && *word != "or")
        {
            assert_eq!(class(name).map(ErrorClass::name), Ok(name));
        }
    }
}
