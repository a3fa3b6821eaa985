//! Finds the dead letters that are meant, page by page.

use std::collections::BTreeSet;

use projectionist_apply::{DeclaredCodec, DecodeScratch};
use projectionist_core::DeadLetterId;
use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, EventCodec, OffsetStore, StoredDeadLetter,
};
use projectionist_language::{Program, did_you_mean};
use projectionist_store_sqlite::SqliteStore;

use crate::args::dead_letters::Selection;
use crate::exit::Failure;

/// How many letters are read at once: their events may be large.
const PAGE: usize = 500;

/// A dead letter with what its event says of itself.
pub(super) struct Letter {
    pub(super) stored: StoredDeadLetter,
    /// `None` for a record that is no event.
    pub(super) event: Option<EventHead>,
}

impl Letter {
    /// Without the bytes of the event, which may be large.
    pub(super) fn without_record(mut self) -> Self {
        self.stored.letter.event = bytes::Bytes::new();
        self
    }
}

/// What an event says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EventHead {
    pub(super) event_type: String,
    pub(super) entity: String,
    pub(super) tenant: String,
    pub(super) fork: String,
    pub(super) sequence: Option<i64>,
}

/// Reads what the events of letters say of themselves. The store does not: it keeps bytes.
pub(super) struct HeadReader {
    codec: DeclaredCodec,
    scratch: DecodeScratch,
}

impl HeadReader {
    pub(super) fn new(program: &Program) -> Self {
        Self {
            codec: DeclaredCodec::new(program),
            scratch: DecodeScratch::default(),
        }
    }

    pub(super) fn read(&mut self, stored: &StoredDeadLetter) -> Option<EventHead> {
        let record = stored.letter.event.clone();
        let event = self.codec.decode(&mut self.scratch, record).ok()?;
        Some(EventHead {
            event_type: event.event_type().to_owned(),
            entity: event.entity_id().to_owned(),
            tenant: event.tenant_schema().to_owned(),
            fork: event.fork_id().to_owned(),
            sequence: event.sequence_number(),
        })
    }
}

/// Gives the letters of a selection to `visit`, at most `limit`. The id of the last one when there
/// are more.
pub(super) async fn visit(
    store: &SqliteStore,
    selection: &Selection,
    reader: &mut HeadReader,
    limit: usize,
    mut visit: impl FnMut(Letter),
) -> Result<Option<DeadLetterId>, Failure> {
    let mut filter = filter(selection);
    let mut visited = 0;
    let mut last = None;
    loop {
        let page = store.dead_letters(&filter).await?;
        let is_last = page.len() < PAGE;
        for stored in page {
            filter.after = Some(stored.id);
            let event = reader.read(&stored);
            if !matches(selection, event.as_ref()) {
                continue;
            }
            if visited == limit {
                return Ok(last);
            }
            visited += 1;
            last = Some(stored.id);
            visit(Letter { stored, event });
        }
        if is_last {
            return Ok(None);
        }
    }
}

/// What the store is asked.
fn filter(selection: &Selection) -> DeadLetterFilter {
    let projection = match selection.malformed {
        true => Some(String::new()),
        false => selection.name.clone(),
    };
    DeadLetterFilter {
        projection,
        key: selection.key.clone(),
        class: selection.class,
        field: selection.field.clone(),
        since: selection.since,
        until: selection.until,
        ids: (!selection.id.is_empty()).then(|| selection.id.clone()),
        after: selection.after,
        limit: PAGE,
    }
}

/// What only the event tells.
fn matches(selection: &Selection, event: Option<&EventHead>) -> bool {
    let is = |asked: &Option<String>, found: fn(&EventHead) -> &str| {
        asked
            .as_deref()
            .is_none_or(|asked| event.map(found) == Some(asked))
    };
    is(&selection.event_type, |event| &event.event_type)
        && is(&selection.entity, |event| &event.entity)
        && is(&selection.tenant, |event| &event.tenant)
}

/// Refuses a name of which the target knows nothing: a slip of the hand must not look like a
/// projection without dead letters.
pub(super) async fn check_name(store: &SqliteStore, selection: &Selection) -> Result<(), Failure> {
    let Some(name) = &selection.name else {
        return Ok(());
    };
    let lanes = store.lanes().await?;
    let known: BTreeSet<&str> = lanes.iter().map(|(id, _)| id.name()).collect();
    if known.contains(name.as_str()) {
        return Ok(());
    }
    let target = &selection.store;
    let suggestion = did_you_mean(name, known.iter().copied());
    let known = match known.is_empty() {
        true => "no projection has run into it".to_owned(),
        false => format!("it has {}", Vec::from_iter(known).join(", ")),
    };
    Err(Failure::usage(format!(
        "{target} knows no projection `{name}`; {known}{suggestion}"
    )))
}
