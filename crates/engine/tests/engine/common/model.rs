//! A read model that moves with the offset, and the fold that it must equal.

use std::collections::BTreeMap;

use projectionist_core::contract::{
    Context, GroupContext, GroupedTransactionalHandler, HandlerResult, TransactionalHandler,
};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::{Recorder, RecordingHandler, TestEnvelope};

/// The tables of the model.
const SUMS: &str = "sums";
const SEEN: &str = "seen";

/// Sums events by their remainder and counts each one, in the transaction that it is lent. Faults
/// are planned with its recorder and strike after the writes, so that only a rollback undoes them.
pub struct Model {
    inner: RecordingHandler<u64>,
}

impl Model {
    pub fn of(recorder: &Recorder<u64>) -> Self {
        let inner = recorder.handler();
        Self { inner }
    }
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Model {
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[TestEnvelope<u64>],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        for envelope in group {
            write(tx, envelope.event);
        }
        GroupedTransactionalHandler::process(&mut self.inner, tx, group, context).await
    }

    async fn start(&mut self) -> HandlerResult {
        GroupedTransactionalHandler::<TestEnvelope<u64>, Tx>::start(&mut self.inner).await
    }

    async fn stop(&mut self) -> HandlerResult {
        GroupedTransactionalHandler::<TestEnvelope<u64>, Tx>::stop(&mut self.inner).await
    }
}

impl TransactionalHandler<TestEnvelope<u64>, Tx> for Model {
    async fn process(
        &mut self,
        tx: &mut Tx,
        envelope: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> HandlerResult {
        write(tx, envelope.event);
        TransactionalHandler::process(&mut self.inner, tx, envelope, context).await
    }

    async fn start(&mut self) -> HandlerResult {
        TransactionalHandler::<TestEnvelope<u64>, Tx>::start(&mut self.inner).await
    }

    async fn stop(&mut self) -> HandlerResult {
        TransactionalHandler::<TestEnvelope<u64>, Tx>::stop(&mut self.inner).await
    }
}

/// What an event does to the tables.
pub fn write(tx: &mut Tx, event: u64) {
    add(tx, SUMS, &(event % 3).to_string(), event);
    add(tx, SEEN, &format!("{event:06}"), 1);
}

fn add(tx: &mut Tx, table: &str, key: &str, value: u64) {
    let present = tx.get(table, key);
    let present: u64 = present.map_or(0, |present| present.parse().unwrap());
    tx.put(table, key, (present + value).to_string());
}

/// Sums by remainder, and how often each event was applied.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Tables {
    pub sums: BTreeMap<u64, u64>,
    pub seen: BTreeMap<u64, u64>,
}

impl Tables {
    /// What the store holds.
    pub async fn of(store: &MemoryStore) -> Self {
        let numbers = |entries: BTreeMap<String, String>| {
            let parsed = entries.into_iter();
            parsed
                .map(|(key, value)| (key.parse().unwrap(), value.parse().unwrap()))
                .collect()
        };
        Self {
            sums: numbers(store.entries(SUMS).await),
            seen: numbers(store.entries(SEEN).await),
        }
    }

    /// What these events give, each applied once.
    pub fn fold(events: impl IntoIterator<Item = u64>) -> Self {
        let mut tables = Self::default();
        events.into_iter().for_each(|event| tables.take(event));
        tables
    }

    /// Takes one event more.
    pub fn take(&mut self, event: u64) {
        *self.sums.entry(event % 3).or_default() += event;
        *self.seen.entry(event).or_default() += 1;
    }
}
