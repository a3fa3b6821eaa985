//! The event as the loops read it: only what they need, borrowed from the line where it can be.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;

use crate::failure::Outcome;

/// One line of the file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event<'line> {
    /// What happened.
    #[serde(borrow)]
    pub event_type: Cow<'line, str>,
    /// To which user.
    #[serde(borrow)]
    pub entity_id: Cow<'line, str>,
    /// Its number within the user.
    pub sequence_number: i64,
    /// When, in Unix milliseconds.
    pub ts: i64,
    /// The rest.
    #[serde(borrow)]
    pub payload: Payload<'line>,
}

/// The part of the event that the writer made.
#[derive(Debug, Deserialize)]
pub struct Payload<'line> {
    /// The user.
    #[serde(borrow)]
    pub user_id: Cow<'line, str>,
    /// The artist.
    #[serde(borrow)]
    pub artist_id: Cow<'line, str>,
}

/// Reads the file line by line into one buffer and gives each event to `each`.
///
/// # Errors
/// When the file cannot be read, a line is no event, or `each` fails.
pub fn for_each(path: &Path, mut each: impl FnMut(&Event<'_>) -> Outcome<()>) -> Outcome<()> {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        each(&serde_json::from_slice(&line)?)?;
    }
}
