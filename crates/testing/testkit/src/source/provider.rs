//! The source as the engine sees it.

use std::fmt::Debug;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider, StartPosition, start_after};
use projectionist_core::{Result, Timestamp};

use super::script::{Found, OpenFault, StreamFault};
use super::{Item, Lease, TestSource, position_of};
use crate::failure::failure;
use crate::{TestEnvelope, TestPosition};

impl<E: Clone + Debug + Send + Sync + 'static> SourceProvider for TestSource<E> {
    type Envelope = TestEnvelope<E>;
    type Position = TestPosition;
    type Stream = BoxStream<'static, Result<Item<E>>>;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        let fault = {
            let mut script = self.lock();
            script.opened_behind.push(from.map(|from| from.0));
            script.open_faults.pop_front()
        };
        let fail = |reason, retryable| Err(failure("open the test source", reason, retryable));
        if let Some(reason) = self.refusal() {
            return fail(reason, true);
        }
        match fault {
            Some(OpenFault::Fail { reason, retryable }) => return fail(reason, retryable),
            Some(OpenFault::Hang) => std::future::pending().await,
            None => {}
        }
        let first = self.lock().first(from, self.inclusive);
        Ok(self.items(first, mode))
    }

    fn position(&self, envelope: &TestEnvelope<E>) -> TestPosition {
        envelope.position
    }

    /// The bytes are what `Debug` writes of the event.
    fn encode(&self, envelope: &TestEnvelope<E>, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{:?}", envelope.event).as_bytes());
    }

    /// The envelope at that position, when the bytes are what [`encode`](Self::encode) writes of
    /// it: so an event needs no parser.
    fn decode(&self, position: TestPosition, event: &Bytes) -> Result<TestEnvelope<E>, String> {
        let place = position.0;
        let found = {
            let script = self.lock();
            let mut envelopes = script.envelopes();
            envelopes.find(|one| one.position == position).cloned()
        };
        let envelope = found.ok_or_else(|| format!("there is no event at {place}"))?;
        let mut written = Vec::new();
        self.encode(&envelope, &mut written);
        if event == &written {
            return Ok(envelope);
        }
        let (event, written) = (event.escape_ascii(), written.escape_ascii());
        Err(format!("the event at {place} is {written}, not {event}"))
    }

    fn created_at(&self, envelope: &TestEnvelope<E>) -> Option<Timestamp> {
        envelope.created_at
    }

    fn verifies(&self) -> bool {
        self.lock().verification.is_on
    }

    async fn verify(&self, position: &TestPosition) -> Result<bool> {
        let mut script = self.lock();
        if let Some(recorder) = &script.recorder {
            recorder.record(format!("verify {}", position.0));
        }
        let asked = script.verification.ask(position.0);
        asked.map_err(|reason| failure("verify a position of the test source", reason, true))
    }

    async fn remaining(&self, low: Option<&TestPosition>) -> Result<Option<u64>> {
        Ok(u64::try_from(self.lock().remaining(low)).ok())
    }

    fn size_bytes(&self, _: &TestEnvelope<E>) -> usize {
        self.envelope_bytes
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<TestPosition>> {
        match start {
            StartPosition::Earliest => Ok(None),
            StartPosition::Latest => Ok(self.lock().items.last().map(position_of)),
            StartPosition::After(offset) => start_after(offset).map(Some),
            StartPosition::Timestamp(time) => Ok(self.lock().before(*time)),
        }
    }
}

impl<E: Clone + Debug + Send + Sync + 'static> TestSource<E> {
    /// The items from the one with this index on.
    fn items(&self, first: usize, mode: Mode) -> BoxStream<'static, Result<Item<E>>> {
        let seed = (self.clone(), self.changed.subscribe(), first);
        let items = stream::unfold(seed, move |(source, mut changed, next)| async move {
            loop {
                changed.mark_unchanged();
                let fail = |reason| failure("read the test source", reason, true);
                if let Some(reason) = source.refusal() {
                    return Some((Err(fail(reason)), (source, changed, next)));
                }
                let found = source.lock().find(next, mode, &source.pace);
                match found {
                    Found::Item(item) => return Some((Ok(item), (source, changed, next + 1))),
                    Found::Fault(StreamFault::Fail(reason)) => {
                        return Some((Err(fail(reason)), (source, changed, next)));
                    }
                    Found::Fault(StreamFault::Panic) => panic_as_planned(),
                    Found::End => return None,
                    Found::Nothing => changed.changed().await.ok()?,
                }
            }
        });
        items.boxed()
    }

    /// Why this handle must not read any more.
    fn refusal(&self) -> Option<String> {
        self.lease.as_ref().and_then(Lease::refusal)
    }
}

#[expect(clippy::panic, reason = "a test asked for it")]
fn panic_as_planned() -> ! {
    panic!("the test source panics")
}
