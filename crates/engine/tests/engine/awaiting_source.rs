//! A source that has nothing to read from yet says so in the report, and how many bytes are left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Epoch, Result};
use projectionist_engine::{Projection, ProjectionRuntime, ProjectionStatus};
use projectionist_testkit::{Recorder, TestEnvelope, TestPosition, TestSource, pass};

use crate::common::{SteeredStore, id, secs};

/// A source that waits for its file for as long as it is told to.
#[derive(Clone)]
struct Waits {
    inner: TestSource<u64>,
    is_missing: Arc<AtomicBool>,
}

impl Waits {
    fn new() -> Self {
        Self {
            inner: TestSource::of([]),
            is_missing: Arc::new(AtomicBool::new(true)),
        }
    }
}

impl SourceProvider for Waits {
    type Envelope = TestEnvelope<u64>;
    type Position = TestPosition;
    type Stream = <TestSource<u64> as SourceProvider>::Stream;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        self.inner.open(from, mode).await
    }

    fn position(&self, envelope: &TestEnvelope<u64>) -> TestPosition {
        self.inner.position(envelope)
    }

    fn encode(&self, envelope: &TestEnvelope<u64>, out: &mut Vec<u8>) {
        self.inner.encode(envelope, out);
    }

    fn decode(&self, position: TestPosition, event: &Bytes) -> Result<TestEnvelope<u64>, String> {
        self.inner.decode(position, event)
    }

    async fn remaining_bytes(&self, low: Option<&TestPosition>) -> Result<Option<u64>> {
        Ok(Some(low.map_or(70, |low| 70 - 10 * low.0)))
    }

    fn waiting_for(&self) -> Option<String> {
        let is_missing = self.is_missing.load(Ordering::Relaxed);
        is_missing.then(|| "a file that is not there yet".to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_waits_is_told_with_its_reason_and_its_bytes() {
    let waits = Waits::new();
    let recorder = Recorder::<u64>::default();
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let store = SteeredStore::default();
    let projection = Projection::at_least_once(id(), waits.clone(), store, factory);
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    pass(secs(1)).await;
    let report = running.report().await.unwrap();
    let ProjectionStatus::AwaitingSource { epoch, reason } = &report.status else {
        panic!("{report:?}");
    };
    assert_eq!(
        (*epoch, reason.as_str()),
        (Epoch(1), "a file that is not there yet")
    );
    assert_eq!(report.status.epoch(), Some(Epoch(1)));
    assert!(!report.status.is_terminal());
    let said = report.status.to_string();
    assert_eq!(
        said,
        "waiting for a file that is not there yet under epoch 1"
    );
    assert_eq!(report.lag_bytes, Some(70));

    waits.is_missing.store(false, Ordering::Relaxed);
    waits.inner.push(5);
    pass(secs(1)).await;
    let report = running.report().await.unwrap();
    assert!(
        matches!(report.status, ProjectionStatus::Idle { .. }),
        "{report:?}"
    );
    assert_eq!(report.lag_bytes, Some(60));
    running.stop_and_wait().await.unwrap();
}
