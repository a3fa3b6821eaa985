//! The projections, with a handler that runs the same upsert through the transaction that it is
//! lent.

use projectionist_core::contract::{
    Context, GroupContext, GroupedTransactionalHandler, HandlerResult, Mode, TransactionalHandler,
};
use projectionist_engine::{
    Completion, GroupConfig, Projection, ProjectionHandle, ProjectionRuntime,
};
use projectionist_store_sqlite::{SqliteStore, SqliteTx, statement_error};
use rusqlite::params;

use super::case::Case;
use super::file::{UPSERT, lane};
use crate::failure::Outcome;
use crate::source::{Envelope, Envelopes};

/// Writes an envelope's entity.
struct Totals;

impl TransactionalHandler<Envelope, SqliteTx> for Totals {
    async fn process(
        &mut self,
        tx: &mut SqliteTx,
        envelope: &Envelope,
        _: &Context<'_>,
    ) -> HandlerResult {
        let sequence = i64::try_from(envelope.sequence)?;
        tx.execute(UPSERT, params![&*envelope.entity, sequence])?;
        Ok(())
    }
}

impl GroupedTransactionalHandler<Envelope, SqliteTx> for Totals {
    async fn process(
        &mut self,
        tx: &mut SqliteTx,
        group: &[Envelope],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        let mut upsert = tx.prepare_cached(UPSERT)?;
        for envelope in group {
            let sequence = i64::try_from(envelope.sequence)?;
            upsert
                .execute(params![&*envelope.entity, sequence])
                .map_err(statement_error)?;
        }
        Ok(())
    }
}

/// Moves all envelopes of `source` into `store`.
///
/// # Errors
/// When the projection fails or ends early.
pub async fn run(case: Case, source: Envelopes, store: SqliteStore) -> Outcome<()> {
    match spawn(case, source, store)?.wait().await? {
        Completion::Completed => Ok(()),
        Completion::Stopped => Err("the projection was stopped before its source ended".into()),
    }
}

fn spawn(case: Case, source: Envelopes, store: SqliteStore) -> Outcome<ProjectionHandle> {
    let (id, runtime) = (lane()?, ProjectionRuntime::new());
    let spawned = match case {
        Case::Single => runtime
            .spawn(Projection::exactly_once(id, source, store, || Totals).with_mode(Mode::Current)),
        Case::Grouped(size) => runtime.spawn(
            Projection::grouped_exactly_once(id, source, store, || Totals)
                .with_mode(Mode::Current)
                .with_group(GroupConfig {
                    max_envelopes: size,
                    ..GroupConfig::default()
                }),
        ),
    };
    Ok(spawned?)
}
