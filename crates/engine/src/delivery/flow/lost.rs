//! Contexts that a flow has lost, and what it may still say of that.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// How long the error is waited for that explains a loss. Work on a task of its own drops its
/// contexts when it fails, a moment before its error comes out of the flow; that error says more
/// than that a context is lost.
const EXPLAINED_WITHIN: Duration = Duration::from_millis(100);

/// Contexts that a flow has lost.
#[derive(Debug)]
pub(super) struct Lost<P> {
    /// The first of them.
    position: P,
    /// Ends when no error will explain it.
    unexplained: Pin<Box<Sleep>>,
}

impl<P: Ord> Lost<P> {
    pub(super) fn new(position: P) -> Self {
        let unexplained = Box::pin(sleep(EXPLAINED_WITHIN));
        Self {
            position,
            unexplained,
        }
    }

    /// Another one is lost.
    pub(super) fn add(&mut self, position: P) {
        if position < self.position {
            self.position = position;
        }
    }

    /// Whether no error will explain it.
    pub(super) fn is_unexplained(&mut self, cx: &mut Context<'_>) -> bool {
        self.unexplained.as_mut().poll(cx).is_ready()
    }

    pub(super) fn into_position(self) -> P {
        self.position
    }
}
