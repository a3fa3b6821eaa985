//! Handlers that keep what they were given.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::contract::{Context, Handler, HandlerResult};

use crate::TestEnvelope;

/// Keeps what its handlers were given, and makes them fail where a test says so. A clone is the
/// same recorder.
#[derive(Clone, Debug)]
pub struct Recorder<E> {
    state: Arc<Mutex<State<E>>>,
}

#[derive(Debug)]
struct State<E> {
    handled: Vec<E>,
    calls: Vec<String>,
    failures: VecDeque<(u64, Fault)>,
}

#[derive(Clone, Debug)]
enum Fault {
    Error(String),
    Panic(String),
}

impl<E> Default for Recorder<E> {
    fn default() -> Self {
        let state = State {
            handled: Vec::new(),
            calls: Vec::new(),
            failures: VecDeque::new(),
        };
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }
}

impl<E: Clone> Recorder<E> {
    /// A handler of this recorder, for a factory.
    #[must_use]
    pub fn handler(&self) -> RecordingHandler<E> {
        self.lock().calls.push("created".to_owned());
        RecordingHandler {
            recorder: self.clone(),
        }
    }

    /// The events that were handled, in order.
    #[must_use]
    pub fn handled(&self) -> Vec<E> {
        self.lock().handled.clone()
    }

    /// What was called, in order: `created`, `start`, `process 3#1` (position and attempt), `stop`.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    /// The handler fails at `position` in its next `times` attempts there.
    pub fn fail_at(&self, position: u64, times: usize) {
        let fault = (position, Fault::Error(format!("no {position}")));
        self.lock()
            .failures
            .extend(std::iter::repeat_n(fault, times));
    }

    /// The handler panics at `position` in its next attempt there.
    pub fn panic_at(&self, position: u64) {
        self.lock()
            .failures
            .push_back((position, Fault::Panic(format!("panic {position}"))));
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handler of a [`Recorder`].
#[derive(Debug)]
pub struct RecordingHandler<E> {
    recorder: Recorder<E>,
}

impl<E: Clone + Debug + Send + Sync + 'static> Handler<TestEnvelope<E>> for RecordingHandler<E> {
    #[expect(clippy::panic, reason = "a test asked for it")]
    async fn process(
        &mut self,
        envelope: &TestEnvelope<E>,
        context: &Context<'_>,
    ) -> HandlerResult {
        let position = envelope.position.0;
        let fault = {
            let mut state = self.recorder.lock();
            state
                .calls
                .push(format!("process {position}#{}", context.attempt));
            let index = state.failures.iter().position(|(at, _)| *at == position);
            index.and_then(|index| state.failures.remove(index))
        };
        match fault {
            Some((_, Fault::Error(reason))) => return Err(reason.into()),
            Some((_, Fault::Panic(reason))) => panic!("{reason}"),
            None => {}
        }
        self.recorder.lock().handled.push(envelope.event.clone());
        Ok(())
    }

    async fn start(&mut self) -> HandlerResult {
        self.recorder.lock().calls.push("start".to_owned());
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        self.recorder.lock().calls.push("stop".to_owned());
        Ok(())
    }
}
