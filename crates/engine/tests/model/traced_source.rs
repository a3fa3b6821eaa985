//! A source as one process reads it: what that process asks of it stands in the trace.

use bytes::Bytes;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Result, Timestamp};
use projectionist_testkit::{TestEnvelope, TestPosition, TestSource};

use crate::trace::{Entry, ProcessId, Trace};

/// A source as one process reads it.
#[derive(Clone, Debug)]
pub(crate) struct TracedSource {
    pub(crate) source: TestSource<u64>,
    pub(crate) trace: Trace,
    pub(crate) by: ProcessId,
}

impl SourceProvider for TracedSource {
    type Envelope = TestEnvelope<u64>;
    type Position = TestPosition;
    type Stream = <TestSource<u64> as SourceProvider>::Stream;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        let (by, behind) = (self.by, from.map(|from| from.0));
        self.trace.push(Entry::Opened { by, behind });
        self.source.open(from, mode).await
    }

    fn position(&self, envelope: &TestEnvelope<u64>) -> TestPosition {
        envelope.position
    }

    fn encode(&self, envelope: &TestEnvelope<u64>, out: &mut Vec<u8>) {
        self.source.encode(envelope, out);
    }

    fn decode(&self, position: TestPosition, event: &Bytes) -> Result<TestEnvelope<u64>, String> {
        self.source.decode(position, event)
    }

    fn created_at(&self, envelope: &TestEnvelope<u64>) -> Option<Timestamp> {
        self.source.created_at(envelope)
    }

    fn verifies(&self) -> bool {
        self.source.verifies()
    }

    async fn verify(&self, position: &TestPosition) -> Result<bool> {
        let vouches = self.source.verify(position).await?;
        if !vouches {
            let (by, position) = (self.by, position.0);
            self.trace.push(Entry::NotVouchedFor { by, position });
        }
        Ok(vouches)
    }

    async fn remaining(&self, low: Option<&TestPosition>) -> Result<Option<u64>> {
        self.source.remaining(low).await
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<TestPosition>> {
        self.source.resolve_start(start).await
    }
}
