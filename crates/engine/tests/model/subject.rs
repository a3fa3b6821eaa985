//! The handler of every mode: it meets the faults that are planned, and all it does stands in the
//! trace.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use projectionist_core::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, Handler, HandlerResult,
    Settlement, SettlingHandler, TransactionalHandler,
};
use projectionist_core::{BoxError, Error};
use projectionist_store_memory::Tx;
use projectionist_testkit::{TestEnvelope, TestSource};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::common::SteeredStore;
use crate::common::model::write;
use crate::trace::{Entry, Failure, ProcessId, Trace};

/// What an attempt at an event meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Fails,
    Panics,
    /// It waits until it is let go, or given up.
    Hangs,
    /// A settling handler says that it can never be handled; others fail.
    Drops,
    /// A settling handler asks for another attempt after a time; others fail.
    RetriesAfter(Duration),
    /// While it is handled, the source ceases to vouch for it.
    LosesVoucher,
}

/// The faults that are still to be met. A clone is the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    planned: Arc<Mutex<Planned>>,
    healed: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Planned {
    faults: BTreeMap<u64, VecDeque<Fault>>,
    /// Events that never fit.
    refused: BTreeSet<u64>,
    /// Transactions in which a handler waits: the store answers nobody meanwhile.
    open: usize,
}

impl Faults {
    pub(crate) fn plan(&self, position: u64, fault: Fault, times: usize) {
        let mut planned = self.lock();
        let queue = planned.faults.entry(position).or_default();
        queue.extend(std::iter::repeat_n(fault, times));
    }

    /// The event at `position` never fits.
    pub(crate) fn refuse(&self, position: u64) {
        self.lock().refused.insert(position);
    }

    /// Nothing of it happens any more, and whoever waits is let go.
    pub(crate) fn heal(&self) {
        let mut planned = self.lock();
        planned.faults.clear();
        planned.refused.clear();
        drop(planned);
        self.healed.send_replace(true);
    }

    /// Whether a transaction is open in which a handler waits.
    pub(crate) fn hold_a_transaction(&self) -> bool {
        self.lock().open > 0
    }

    fn strike(&self, position: u64) -> Option<Fault> {
        self.lock().faults.get_mut(&position)?.pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, Planned> {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A handler of one process.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) faults: Faults,
    pub(crate) trace: Trace,
    pub(crate) by: ProcessId,
    pub(crate) source: TestSource<u64>,
    /// It dies with its process.
    pub(crate) store: SteeredStore,
}

/// Counts a transaction that is held while its handler waits.
struct Held<'a>(&'a Faults);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lock().open -= 1;
    }
}

impl Subject {
    /// Handles events, alone or as a group.
    async fn attempt(
        &self,
        envelopes: &[TestEnvelope<u64>],
        replay: bool,
        in_transaction: bool,
    ) -> Result<Settlement, BoxError> {
        if self.store.is_dead() {
            return self.gone(in_transaction).await;
        }
        let (by, at) = (self.by, Instant::now());
        let events = envelopes.iter().map(|envelope| envelope.event).collect();
        self.trace.push(Entry::Began {
            by,
            events,
            replay,
            at,
        });
        let last = envelopes[envelopes.len() - 1].event;
        for envelope in envelopes {
            if self.faults.lock().refused.contains(&envelope.event) {
                self.failed(last, Failure::Data);
                let (table, reason) = ("test".to_owned(), "it does not fit".to_owned());
                return Err(Error::Row { table, reason }.into());
            }
            let fault = self.faults.strike(envelope.event);
            let met = self.meet(fault, envelope.event, last, in_transaction);
            if let Some(settled) = met.await? {
                return Ok(settled);
            }
        }
        self.trace.push(Entry::Handled { by, last });
        Ok(Settlement::Ack)
    }

    async fn meet(
        &self,
        fault: Option<Fault>,
        event: u64,
        last: u64,
        in_transaction: bool,
    ) -> Result<Option<Settlement>, BoxError> {
        let reason = || "as planned".to_owned();
        match fault {
            None => {}
            Some(Fault::LosesVoucher) => self.source.refuse(event),
            Some(Fault::Hangs) => {
                self.hang(in_transaction).await;
                if self.store.is_dead() {
                    self.gone(in_transaction).await?;
                }
            }
            Some(Fault::Fails) => {
                self.failed(last, Failure::Error);
                return Err(format!("no {event}").into());
            }
            Some(Fault::Panics) => {
                self.failed(last, Failure::Error);
                panic!("panic {event}");
            }
            Some(Fault::Drops) => {
                self.failed(last, Failure::Dropped);
                return Ok(Some(Settlement::Drop { reason: reason() }));
            }
            Some(Fault::RetriesAfter(delay)) => {
                self.failed(last, Failure::Error);
                let reason = reason();
                return Ok(Some(Settlement::RetryAfter { delay, reason }));
            }
        }
        Ok(None)
    }

    fn failed(&self, last: u64, why: Failure) {
        let by = self.by;
        self.trace.push(Entry::Failed { by, last, why });
    }

    /// Waits until everything is healed or the process dies.
    async fn hang(&self, in_transaction: bool) {
        let held = in_transaction.then(|| {
            self.faults.lock().open += 1;
            Held(&self.faults)
        });
        let mut healed = self.faults.healed.subscribe();
        tokio::select! {
            _healed = healed.wait_for(|healed| *healed) => {}
            () = self.store.died() => {}
        }
        drop(held);
    }

    /// The process has died: nothing happens any more, but that an open transaction is dropped.
    async fn gone(&self, in_transaction: bool) -> Result<Settlement, BoxError> {
        if in_transaction {
            return Err("the process is gone".into());
        }
        std::future::pending().await
    }
}

/// What a handler that does not settle makes of it.
fn returned(settled: Settlement) -> HandlerResult {
    match settled {
        Settlement::Ack => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}

impl Handler<TestEnvelope<u64>> for Subject {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> HandlerResult {
        let alone = std::slice::from_ref(envelope);
        returned(self.attempt(alone, context.replay, false).await?)
    }
}

impl SettlingHandler<TestEnvelope<u64>> for Subject {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> Result<Settlement, BoxError> {
        let alone = std::slice::from_ref(envelope);
        self.attempt(alone, context.replay, false).await
    }
}

impl GroupedHandler<TestEnvelope<u64>> for Subject {
    async fn process(
        &mut self,
        group: &[TestEnvelope<u64>],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        returned(self.attempt(group, context.replay, false).await?)
    }
}

impl TransactionalHandler<TestEnvelope<u64>, Tx> for Subject {
    async fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> HandlerResult {
        // Before the fault, so that only a rollback undoes it.
        write(tx, envelope.event);
        let alone = std::slice::from_ref(envelope);
        returned(self.attempt(alone, context.replay, true).await?)
    }
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Subject {
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[TestEnvelope<u64>],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        for envelope in group {
            write(tx, envelope.event);
        }
        returned(self.attempt(group, context.replay, true).await?)
    }
}
