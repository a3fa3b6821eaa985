//! A rebuild that this process has begun and that nobody sits in front of.

use std::sync::{Mutex, MutexGuard, PoisonError};

use projectionist_core::contract::Observer;
use projectionist_core::rebuild::{Comparison, Rebuild};
use projectionist_core::{LaneState, Offset, Timestamp};
use projectionist_engine::StopSignal;
use tokio::sync::watch;

use super::driver::{Ended, Watch};
use crate::exit::Failure;

/// A rebuild that this process has begun.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) began_at: Timestamp,
    reading: Mutex<Reading>,
    outcome: watch::Sender<Option<Outcome>>,
}

#[derive(Debug, Default)]
struct Reading {
    stop: Option<StopSignal>,
    is_stopping: bool,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) how: How,
    pub(super) at: Timestamp,
    /// How many events it had read.
    pub(super) read: u64,
}

/// How a rebuild ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// What it has built is in use.
    Swapped,
    /// Someone stopped it.
    Stopped,
    /// It failed, for this reason.
    Failed(String),
}

impl Begun {
    pub(super) fn at(began_at: Timestamp) -> Self {
        Self {
            began_at,
            reading: Mutex::default(),
            outcome: watch::Sender::new(None),
        }
    }

    /// How it ended; `None` while it goes on.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.outcome.borrow().clone()
    }

    /// Notes how it ended.
    pub(super) fn end(&self, ended: Result<Ended, Failure>, at: Timestamp) {
        let (how, read) = match ended {
            Ok(Ended::Swapped(counters)) => (How::Swapped, counters.read),
            Ok(Ended::Stopped) => (How::Stopped, 0),
            Err(failure) => (How::Failed(failure.message().to_owned()), 0),
        };
        self.outcome.send_replace(Some(Outcome { how, at, read }));
    }

    /// Asks it to stop, and waits until it has.
    pub(super) async fn stop(&self) {
        let stop = {
            let mut reading = self.reading_now();
            reading.is_stopping = true;
            reading.stop.clone()
        };
        if let Some(stop) = stop {
            stop.stop();
        }
        let mut outcome = self.outcome.subscribe();
        // The sender is this value's own.
        let _never_closed = outcome.wait_for(Option::is_some).await;
    }

    fn reading_now(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Begun {}

impl Watch for Begun {
    fn began(&self, _: &Rebuild, _: Option<LaneState>) {}

    fn reading(&self, stop: StopSignal) {
        let mut reading = self.reading_now();
        if reading.is_stopping {
            stop.stop();
        }
        reading.stop = Some(stop);
    }

    fn compared(&self, _: &Comparison) {}

    fn behind(&self, _: u32, _: Option<&Offset>) {}

    fn holding_live(&self) {}

    fn swapped(&self) {}
}
