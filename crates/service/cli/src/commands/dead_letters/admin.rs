//! Dead letters for the admin endpoint: the same commands, with answers in its form.

use projectionist_admin_api::view::dead_letter::MAX_LETTERS;
use projectionist_admin_api::view::{
    DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LetterDone, LettersDone,
    ReplayRequest,
};
use projectionist_core::DeadLetterId;
use projectionist_store_sqlite::SqliteStore;

use super::declaration::{declaration_of, envelope_of};
use super::outcome::Outcome;
use super::replay::Replay;
use super::report::Report;
use super::select::{HeadReader, Letter, check_name, visit};
use super::{discard, replay as replaying, show};
use crate::args::Format;
use crate::args::dead_letters::{DiscardArguments, ReplayArguments, Selection};
use crate::exit::Failure;
use crate::place::Target;

/// Letters of a page when nobody says how many.
const USUAL: u32 = 100;

/// Most tenants that a replay makes tables for, as for the command.
const MAX_TENANTS: usize = 1_000;

/// A page of letters, without their events.
pub(crate) async fn page(
    store: &SqliteStore,
    target: Target,
    query: &DeadLetterQuery,
) -> Result<DeadLetterPage, Failure> {
    let mut selection = selection(target);
    match query.projection.as_deref() {
        Some("") => selection.malformed = true,
        name => selection.name = name.map(ToOwned::to_owned),
    }
    selection.key.clone_from(&query.key);
    selection.after = query.after.map(DeadLetterId);
    let limit = query.limit.unwrap_or(USUAL).min(MAX_LETTERS);
    let (letters, more_after) = find(store, &selection, limit as usize).await?;
    Ok(DeadLetterPage {
        dead_letters: letters.iter().map(shown).collect(),
        more_after,
    })
}

/// One letter with its event; `None` when there is none of that number.
pub(crate) async fn one(
    store: &SqliteStore,
    target: Target,
    id: u64,
) -> Result<Option<DeadLetterView>, Failure> {
    let mut selection = selection(target);
    selection.id = vec![DeadLetterId(id)];
    let (letters, _) = find(store, &selection, 1).await?;
    Ok(letters.first().map(|letter| {
        let record = &letter.stored.letter.event;
        let text = std::str::from_utf8(record).ok();
        DeadLetterView {
            event: text.map(ToOwned::to_owned),
            event_hex: text.is_none().then(|| show::hex(record)),
            ..shown(letter)
        }
    }))
}

/// Replays letters.
pub(crate) async fn replay(
    store: &SqliteStore,
    target: Target,
    request: &ReplayRequest,
) -> Result<LettersDone, Failure> {
    let arguments = ReplayArguments {
        selection: chosen(target, &request.selection()),
        limit: Some(MAX_LETTERS as usize),
        dry_run: false,
        force: request.force,
        max_tenants: MAX_TENANTS,
    };
    check_name(store, &arguments.selection).await?;
    let name = arguments.selection.name.as_deref();
    let program = declaration_of(store, name, None).await?;
    let mut report = Report::new(false);
    let run = Replay::new(store, &program, &arguments)?;
    let has_more = replaying::run(run, &program, &mut report).await?;
    Ok(done(&report, has_more))
}

/// Discards letters.
pub(crate) async fn discard(
    store: &SqliteStore,
    target: Target,
    wanted: &DeadLetterSelection,
) -> Result<LettersDone, Failure> {
    let arguments = DiscardArguments {
        selection: chosen(target, wanted),
        all: false,
        limit: Some(MAX_LETTERS as usize),
        dry_run: false,
    };
    check_name(store, &arguments.selection).await?;
    let mut report = Report::new(false);
    let has_more = discard::run(store, &arguments, &mut report).await?;
    Ok(done(&report, has_more))
}

async fn find(
    store: &SqliteStore,
    selection: &Selection,
    limit: usize,
) -> Result<(Vec<Letter>, Option<u64>), Failure> {
    check_name(store, selection).await?;
    let program = envelope_of(store, selection.name.as_deref(), None).await?;
    let mut reader = HeadReader::new(&program);
    let mut letters = Vec::new();
    let add = |letter| letters.push(letter);
    let more_after = visit(store, selection, &mut reader, limit, add).await?;
    Ok((letters, more_after.map(|id| id.0)))
}

/// All letters of the target.
fn selection(store: Target) -> Selection {
    Selection {
        name: None,
        store,
        malformed: false,
        id: Vec::new(),
        key: None,
        class: None,
        field: None,
        event_type: None,
        entity: None,
        tenant: None,
        since: None,
        until: None,
        after: None,
        file: None,
        format: Format::Json,
    }
}

fn chosen(target: Target, wanted: &DeadLetterSelection) -> Selection {
    let mut selection = selection(target);
    match wanted.projection.as_deref() {
        Some("") => selection.malformed = true,
        name => selection.name = name.map(ToOwned::to_owned),
    }
    selection.key.clone_from(&wanted.key);
    selection.id = wanted.ids.iter().copied().map(DeadLetterId).collect();
    selection
}

fn shown(letter: &Letter) -> DeadLetterView {
    let (stored, event) = (&letter.stored, letter.event.as_ref());
    let kept = &stored.letter;
    let tenant = event.map(|event| event.tenant.clone());
    DeadLetterView {
        id: stored.id.0,
        projection: stored.projection.clone(),
        key: stored.key.clone(),
        offset: kept.offset.text.clone(),
        event_type: event.map(|event| event.event_type.clone()),
        entity: event.map(|event| event.entity.clone()),
        tenant: tenant.filter(|tenant| !tenant.is_empty()),
        sequence: event.and_then(|event| event.sequence),
        class: kept.defect.class.name().to_owned(),
        error: kept.defect.error.clone(),
        field: kept.defect.field.clone(),
        value: kept.defect.value.clone(),
        attempts: kept.attempts,
        first_failed_at_ms: kept.first_failed_at.unix_millis,
        failed_at_ms: kept.failed_at.unix_millis,
        event: None,
        event_hex: None,
    }
}

fn done(report: &Report, has_more: bool) -> LettersDone {
    let letters = report.lines().map(|(letter, outcome)| LetterDone {
        id: letter.stored.id.0,
        outcome: outcome.word().to_owned(),
        detail: outcome.detail(),
        is_gone: matches!(
            outcome,
            Outcome::Settled(_) | Outcome::Discarded | Outcome::Gone
        ),
    });
    let counts = report.counts().into_iter();
    LettersDone {
        letters: letters.collect(),
        summary: counts
            .map(|(word, count)| (word.to_owned(), count))
            .collect(),
        has_more,
    }
}
