//! The source as the engine sees it.

use std::fmt::Debug;

use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{BoxError, Error, Position, Result};

use super::script::{Found, OpenFault, StreamFault};
use super::{Item, TestSource, position_of};
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
        match fault {
            Some(OpenFault::Fail { reason, retryable }) => {
                return Err(failure("open the test source", reason, retryable));
            }
            Some(OpenFault::Hang) => std::future::pending().await,
            None => {}
        }
        let first = self.lock().first(from, self.inclusive);
        let seed = (self.clone(), self.changed.subscribe(), first);
        let items = stream::unfold(seed, move |(source, mut changed, next)| async move {
            loop {
                changed.mark_unchanged();
                let found = source.lock().find(next, mode);
                match found {
                    Found::Item(item) => return Some((Ok(item), (source, changed, next + 1))),
                    Found::Fault(fault) => {
                        return Some((Err(happen(fault)), (source, changed, next)));
                    }
                    Found::End => return None,
                    Found::Nothing => changed.changed().await.ok()?,
                }
            }
        });
        Ok(items.boxed())
    }

    fn position(&self, envelope: &TestEnvelope<E>) -> TestPosition {
        envelope.position
    }

    /// The bytes are what `Debug` writes of the event.
    fn encode(&self, envelope: &TestEnvelope<E>, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("{:?}", envelope.event).as_bytes());
    }

    fn size_bytes(&self, _: &TestEnvelope<E>) -> usize {
        self.envelope_bytes
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<TestPosition>> {
        match start {
            StartPosition::Earliest => Ok(None),
            StartPosition::Latest => Ok(self.lock().items.last().map(position_of)),
            StartPosition::After(offset) if offset.manifest == TestPosition::MANIFEST => {
                TestPosition::parse(&offset.text).map(Some)
            }
            StartPosition::After(offset) => Err(Error::Configuration {
                subject: format!("start after `{offset}`"),
                reason: format!("a test source has no `{}`", offset.manifest),
            }),
        }
    }
}

#[expect(clippy::panic, reason = "a test asked for it")]
fn happen(fault: StreamFault) -> Error {
    match fault {
        StreamFault::Fail(reason) => failure("read the test source", reason, true),
        StreamFault::Panic => panic!("the test source panics"),
    }
}

fn failure(action: &str, reason: String, retryable: bool) -> Error {
    Error::Source {
        action: action.to_owned(),
        retryable,
        source: BoxError::from(reason),
    }
}
