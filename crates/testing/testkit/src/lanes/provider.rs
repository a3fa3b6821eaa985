//! The lanes as the engine sees them.

use std::fmt::Debug;

use futures::stream::{self, BoxStream, StreamExt};
use projectionist_core::Result;
use projectionist_core::contract::{LaneEvent, LaneSource, Mode};
use tokio::sync::watch;

use super::TestLanes;
use super::roster::{Next, Told};
use crate::TestSource;
use crate::failure::failure;

impl<E: Clone + Debug + Send + Sync + 'static> LaneSource for TestLanes<E> {
    type Provider = TestSource<E>;
    type Events = BoxStream<'static, Result<LaneEvent<TestSource<E>>>>;

    async fn watch(&self, mode: Mode) -> Result<Self::Events> {
        let fault = self.lock().watch_faults.pop_front();
        if let Some(reason) = fault {
            return Err(failure("watch the test lanes", reason, true));
        }
        let changed = self.changed.subscribe();
        let number = self.lock().watch(&self.lanes);
        // Wakes the watch before, which ends by that.
        self.changed.send_replace(());
        let lanes = self.clone();
        let watch = Watch {
            lanes,
            changed,
            number,
            mode,
        };
        let events = stream::unfold(watch, |mut watch| async move {
            let event = watch.next().await?;
            Some((event, watch))
        });
        Ok(events.boxed())
    }
}

/// A watch that is open until it is dropped.
struct Watch<E> {
    lanes: TestLanes<E>,
    changed: watch::Receiver<()>,
    number: usize,
    mode: Mode,
}

impl<E> Watch<E> {
    async fn next(&mut self) -> Option<Result<LaneEvent<TestSource<E>>>> {
        let action = "watch the test lanes";
        loop {
            self.changed.mark_unchanged();
            let next = self.lanes.lock().next(self.number, self.mode);
            return match next {
                Next::Told(Told::Event(event)) => Some(Ok(event)),
                Next::Told(Told::Fault(reason)) => Some(Err(failure(action, reason, true))),
                Next::Replaced => {
                    let reason = "they are watched anew, and one watch is open at a time";
                    Some(Err(failure(action, reason.to_owned(), false)))
                }
                Next::End => None,
                Next::Nothing => {
                    self.changed.changed().await.ok()?;
                    continue;
                }
            };
        }
    }
}

impl<E> Drop for Watch<E> {
    fn drop(&mut self) {
        self.lanes.lock().close(self.number);
    }
}
