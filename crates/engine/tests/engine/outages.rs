//! What is passed over and what is waited for: an outage is nobody's fault, a data error is the
//! envelope's, and anything else is tried again before it is taken for the envelope's.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use projectionist_core::contract::{
    DeadLetterStore, GroupContext, GroupedTransactionalHandler, HandlerResult, Mode,
};
use projectionist_core::{Error, ErrorClass};
use projectionist_engine::{
    Completion, Projection, ProjectionRuntime, Recovery, RetryDelay, WhenExhausted,
};
use projectionist_store_memory::{MemoryStore, Tx};
use projectionist_testkit::{TestEnvelope, TestSource};
use tokio::time::Instant;

use crate::common::grouped::{groups_of, letters_of};
use crate::common::model::{Tables, write};
use crate::common::{id, no_restart, numbers, secs};

/// How a planned failure is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Planned {
    Outage,
    Data,
    Foreign,
    Configuration,
    Schema,
}

/// Fails at an event so often, then handles it.
#[derive(Clone, Default)]
struct Plan(Arc<Mutex<BTreeMap<u64, (Planned, u32)>>>);

impl Plan {
    fn of(failures: &[(u64, Planned, u32)]) -> Self {
        let planned = failures
            .iter()
            .map(|(event, how, times)| (*event, (*how, *times)));
        Self(Arc::new(Mutex::new(planned.collect())))
    }

    fn failure(&self, event: u64) -> Option<Planned> {
        let mut plan = self.0.lock().unwrap();
        let (how, times) = plan.get_mut(&event).filter(|(_, times)| *times > 0)?;
        *times -= 1;
        Some(*how)
    }

    fn left(&self, event: u64) -> u32 {
        self.0.lock().unwrap()[&event].1
    }
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Plan {
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        for envelope in group {
            write(tx, envelope.event);
        }
        for envelope in group {
            let action = || format!("write {}", envelope.event);
            match self.failure(envelope.event) {
                None => {}
                Some(Planned::Outage) => Err(Error::Store {
                    action: action(),
                    retryable: true,
                    source: "the disk is full".into(),
                })?,
                Some(Planned::Data) => Err(Error::Row {
                    table: "sums".to_owned(),
                    reason: action(),
                })?,
                Some(Planned::Configuration) => Err(Error::Configuration {
                    subject: "sums".to_owned(),
                    reason: action(),
                })?,
                Some(Planned::Schema) => Err(Error::Schema {
                    table: "sums".to_owned(),
                    reason: action(),
                })?,
                Some(Planned::Foreign) => Err(action())?,
            }
        }
        Ok(())
    }
}

/// Runs 1 to 8 in one group: two data retries, two others; gives the store and how it ended.
async fn run(plan: &Plan) -> (MemoryStore, projectionist_core::Result<Completion>) {
    let store = MemoryStore::new();
    let handler = plan.clone();
    let source = TestSource::of(numbers(8));
    let projection =
        Projection::grouped_exactly_once(id(), source, store.clone(), move || handler.clone())
            .with_group(groups_of(8))
            .with_mode(Mode::Current)
            .with_restart(no_restart())
            .when_exhausted(WhenExhausted::Stop)
            .isolating_data_errors()
            .with_data_retries(2)
            .with_recovery(Recovery::RetryAndSkip {
                retries: 2,
                delay: RetryDelay::Fixed(secs(10)),
            })
            .bisecting()
            .waiting_out_outages()
            .keeping_dead_letters();
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    let ended = handle.wait().await.map_err(|error| Error::Configuration {
        subject: "the run".to_owned(),
        reason: error.to_string(),
    });
    (store, ended)
}

/// The events that became dead letters, with their class.
async fn letters(store: &MemoryStore) -> Vec<(u64, ErrorClass)> {
    let letters = store.dead_letters(&letters_of("orders")).await.unwrap();
    let event = |text: &[u8]| std::str::from_utf8(text).unwrap().parse().unwrap();
    letters
        .iter()
        .map(|one| (event(&one.letter.event), one.letter.defect.class))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_waited_out_however_long_it_lasts() {
    let plan = Plan::of(&[(5, Planned::Outage, 200)]);
    let began = Instant::now();
    let (store, ended) = run(&plan).await;
    assert_eq!(ended.unwrap(), Completion::Completed);
    assert_eq!(letters(&store).await, []);
    assert_eq!(Tables::of(&store).await, Tables::fold(numbers(8)));
    assert_eq!(plan.left(5), 0);
    assert!(
        began.elapsed() >= 200 * secs(10),
        "every attempt had waited"
    );
}

#[tokio::test(start_paused = true)]
async fn a_data_error_has_its_own_retries_and_an_outage_between_counts_as_none() {
    // Met once each by the groups of 8, 4 and 2, then alone.
    for (times, dead) in [(3 + 2, false), (3 + 3, true)] {
        let plan = Plan::of(&[(6, Planned::Data, times), (1, Planned::Outage, 1)]);
        let (store, ended) = run(&plan).await;
        assert_eq!(ended.unwrap(), Completion::Completed);
        let expected: &[_] = if dead { &[(6, ErrorClass::Data)] } else { &[] };
        assert_eq!(letters(&store).await, expected, "{times} times");
        let kept = numbers(8).into_iter().filter(|event| !dead || *event != 6);
        assert_eq!(Tables::of(&store).await, Tables::fold(kept));
    }
    // Each envelope has retries of its own.
    let plan = Plan::of(&[(1, Planned::Data, 3 + 2), (2, Planned::Data, 2)]);
    let (store, _) = run(&plan).await;
    assert_eq!(letters(&store).await, []);
}

#[tokio::test(start_paused = true)]
async fn what_may_be_the_fault_of_an_envelope_is_retried_then_isolated() {
    let plan = Plan::of(&[(3, Planned::Foreign, u32::MAX)]);
    let (store, ended) = run(&plan).await;
    assert_eq!(ended.unwrap(), Completion::Completed);
    assert_eq!(letters(&store).await, [(3, ErrorClass::Handler)]);
    let kept = numbers(8).into_iter().filter(|event| *event != 3);
    assert_eq!(Tables::of(&store).await, Tables::fold(kept));
    let plan = Plan::of(&[(3, Planned::Foreign, 2)]);
    let (store, _) = run(&plan).await;
    assert_eq!(letters(&store).await, []);
}

#[tokio::test(start_paused = true)]
async fn what_every_envelope_would_fail_at_fails_the_run() {
    for planned in [Planned::Configuration, Planned::Schema] {
        let plan = Plan::of(&[(3, planned, u32::MAX)]);
        let (store, ended) = run(&plan).await;
        assert!(ended.unwrap_err().to_string().contains("write 3"));
        assert_eq!(letters(&store).await, []);
        assert_eq!(Tables::of(&store).await, Tables::fold([]));
    }
}
