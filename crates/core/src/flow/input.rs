//! The envelopes that go into a flow.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures::Stream;

use super::context::FlowContext;
use super::ledger::set_waker;

/// The envelopes that go into a flow, each with its context, in the order of the source.
///
/// It ends when the source does, and when the run is asked to end; what is in flight is to come out
/// then. The engine feeds it within bounds: when too much is in flight, nothing comes before some
/// of it is given back.
pub struct FlowInput<E> {
    queue: Arc<Queue<E>>,
}

/// What was fed and not taken yet.
pub(super) struct Queue<E>(Mutex<State<E>>);

struct State<E> {
    fed: VecDeque<(E, FlowContext)>,
    /// Nothing more is fed.
    ended: bool,
    /// The flow takes nothing more.
    refused: bool,
    flow: Option<Waker>,
}

impl<E> FlowInput<E> {
    pub(super) fn new() -> (Arc<Queue<E>>, Self) {
        let state = State {
            fed: VecDeque::new(),
            ended: false,
            refused: false,
            flow: None,
        };
        let queue = Arc::new(Queue(Mutex::new(state)));
        (Arc::clone(&queue), Self { queue })
    }
}

impl<E> Stream for FlowInput<E> {
    type Item = (E, FlowContext);

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut state = self.queue.lock();
        if let Some(fed) = state.fed.pop_front() {
            return Poll::Ready(Some(fed));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        set_waker(&mut state.flow, cx);
        Poll::Pending
    }
}

impl<E> Drop for FlowInput<E> {
    /// What the flow will never take is lost.
    fn drop(&mut self) {
        let never_taken = {
            let mut state = self.queue.lock();
            state.refused = true;
            std::mem::take(&mut state.fed)
        };
        drop(never_taken);
    }
}

impl<E> fmt::Debug for FlowInput<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowInput").finish_non_exhaustive()
    }
}

impl<E> Queue<E> {
    pub(super) fn feed(&self, envelope: E, context: FlowContext) {
        let (refused, flow) = {
            let mut state = self.lock();
            if state.refused {
                (Some(context), None)
            } else {
                state.fed.push_back((envelope, context));
                (None, state.flow.take())
            }
        };
        // Outside of the lock: both may call what takes it.
        drop(refused);
        if let Some(flow) = flow {
            flow.wake();
        }
    }

    /// Nothing more is fed.
    pub(super) fn end(&self) {
        let flow = {
            let mut state = self.lock();
            state.ended = true;
            state.flow.take()
        };
        if let Some(flow) = flow {
            flow.wake();
        }
    }

    /// Takes back what the flow has not taken.
    pub(super) fn take_back(&self) -> VecDeque<(E, FlowContext)> {
        std::mem::take(&mut self.lock().fed)
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
