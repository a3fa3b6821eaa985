//! How every declared projection is run, whatever for.

use std::time::Duration;

use projectionist_apply::DeclaredEvent;
use projectionist_core::ProjectionId;
use projectionist_core::contract::{
    GroupedTransactionalHandler, SourceProvider, TransactionalOffsetStore,
};
use projectionist_engine::{GroupConfig, GroupedExactlyOnce, Projection, Recovery, RetryDelay};
use projectionist_language::Retries;

/// The declared projection `id`, whose handlers come from `factory`.
pub(super) fn blueprint<P, S, F, H>(
    id: ProjectionId,
    source: P,
    store: S,
    factory: F,
    (retries, max_batch): (Retries, usize),
) -> Projection<P, S, GroupedExactlyOnce<F>>
where
    P: SourceProvider<Envelope: AsRef<DeclaredEvent>>,
    S: TransactionalOffsetStore,
    F: Fn() -> H + Send + Sync + 'static,
    H: GroupedTransactionalHandler<P::Envelope, S::Tx>,
{
    Projection::grouped_exactly_once(id, source, store, factory)
        .with_group(group(max_batch))
        .isolating_data_errors()
        .with_data_retries(retries.data)
        .with_recovery(recovery(retries))
        .bisecting()
        .waiting_out_outages()
        .keeping_dead_letters()
}

/// A group of events, and so a transaction. The pages that a commit dirties dominate its cost, so
/// groups are large while catching up; when live an event waits at most `linger`.
fn group(max_batch: usize) -> GroupConfig {
    GroupConfig {
        max_envelopes: max_batch,
        max_bytes: 16 << 20,
        max_delay: Duration::from_millis(100),
        linger: Duration::from_millis(20),
    }
}

/// What is neither a data error nor an outage is tried again, then its event becomes a dead letter.
fn recovery(retries: Retries) -> Recovery {
    Recovery::RetryAndSkip {
        retries: retries.other,
        delay: RetryDelay::Jittered {
            first: Duration::from_millis(500),
            cap: Duration::from_secs(30),
        },
    }
}
