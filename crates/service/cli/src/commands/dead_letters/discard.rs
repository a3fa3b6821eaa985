//! Gives dead letters up.

use projectionist_core::DeadLetterFate;
use projectionist_core::contract::TransactionalDeadLetterStore;
use projectionist_store_sqlite::SqliteStore;

use super::declaration::envelope_of;
use super::open;
use super::outcome::Outcome;
use super::report::Report;
use super::select::{HeadReader, Letter, check_name, visit};
use crate::args::dead_letters::{DiscardArguments, Selection};
use crate::exit::{Failure, both};

/// How many letters go in one transaction.
const AT_ONCE: usize = 500;

pub(super) async fn execute(arguments: &DiscardArguments) -> Result<(), Failure> {
    let selection = &arguments.selection;
    if !arguments.all && is_everything(selection) {
        return Err(Failure::usage(
            "this would give up every dead letter of the target; name a projection or a filter, \
             or say --all",
        ));
    }
    let store = open(selection)?;
    check_name(&store, selection).await?;
    let mut report = Report::new(arguments.dry_run);
    let ended = run(&store, arguments, &mut report).await.map(drop);
    both(report.print(selection.format), ended)
}

/// Discards the letters of the selection. Whether there are more than its limit.
pub(super) async fn run(
    store: &SqliteStore,
    arguments: &DiscardArguments,
    report: &mut Report,
) -> Result<bool, Failure> {
    let selection = &arguments.selection;
    let (name, file) = (selection.name.as_deref(), selection.file.as_deref());
    let mut reader = HeadReader::new(&envelope_of(store, name, file).await?);
    let limit = arguments.limit.unwrap_or(usize::MAX);
    let mut letters = Vec::new();
    let add = |letter: Letter| letters.push(letter.without_record());
    let more = visit(store, selection, &mut reader, limit, add).await?;
    discard(store, letters, report).await?;
    Ok(more.is_some())
}

/// Whether nothing is said about which letters are meant.
fn is_everything(selection: &Selection) -> bool {
    let Selection {
        name,
        store: _,
        malformed,
        id,
        key,
        class,
        field,
        event_type,
        entity,
        tenant,
        since,
        until,
        after,
        file: _,
        format: _,
    } = selection;
    let texts = [name, key, field, event_type, entity, tenant];
    texts.into_iter().all(Option::is_none)
        && !malformed
        && id.is_empty()
        && class.is_none()
        && [since, until].into_iter().all(Option::is_none)
        && after.is_none()
}

async fn discard(
    store: &SqliteStore,
    letters: Vec<Letter>,
    report: &mut Report,
) -> Result<(), Failure> {
    let fate = DeadLetterFate::discarded();
    let mut rest = letters.into_iter();
    loop {
        let some: Vec<Letter> = rest.by_ref().take(AT_ONCE).collect();
        if some.is_empty() {
            return Ok(());
        }
        let mut gone = Vec::with_capacity(some.len());
        if report.dry_run {
            gone.resize(some.len(), true);
        } else {
            let mut tx = store.begin_settling().await?;
            for letter in &some {
                gone.push(store.settle_in(&mut tx, letter.stored.id, &fate).await?);
            }
            store.commit_settled(tx).await?;
        }
        for (letter, gone) in some.into_iter().zip(gone) {
            let outcome = match gone {
                true => Outcome::Discarded,
                false => Outcome::Gone,
            };
            report.add(letter, outcome);
        }
    }
}
