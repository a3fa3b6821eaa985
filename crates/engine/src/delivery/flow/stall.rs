//! Notices that a flow gives nothing back.

use std::pin::Pin;
use std::task::Context;
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::in_flight::{InFlight, Watched};

/// Notices that the same envelope is the first one in flight for long.
///
/// One timer, set anew when it is over and not for every envelope: an envelope costs nothing.
#[derive(Debug)]
pub(super) struct Stall {
    after: Duration,
    timer: Pin<Box<Sleep>>,
    /// The first envelope in flight when the timer was set.
    watched: Option<Watched>,
    is_stalled: bool,
}

/// What a look at the flow found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// Nothing that was not known.
    None,
    /// The first envelope in flight is it for too long.
    Stalled,
    /// It is not in flight any more.
    GoesOn,
}

impl Stall {
    pub(super) fn new(after: Duration) -> Self {
        Self {
            after,
            timer: Box::pin(sleep_until(Instant::now())),
            watched: None,
            is_stalled: false,
        }
    }

    /// Looks at what is in flight; the task of `cx` is woken when there may be something to tell.
    pub(super) fn look<P>(&mut self, cx: &mut Context<'_>, in_flight: &InFlight<P>) -> Turn {
        if self.is_stalled {
            if self.watched.is_some_and(|first| in_flight.holds(first)) {
                return Turn::None;
            }
            self.is_stalled = false;
            self.watched = None;
            return Turn::GoesOn;
        }
        loop {
            match self.watched {
                None => {
                    let Some((first, _)) = in_flight.first() else {
                        return Turn::None;
                    };
                    let Some(due) = Instant::now().checked_add(self.after) else {
                        return Turn::None;
                    };
                    self.watched = Some(first);
                    self.timer.as_mut().reset(due);
                }
                Some(first) => {
                    if self.timer.as_mut().poll(cx).is_pending() {
                        return Turn::None;
                    }
                    if in_flight.holds(first) {
                        self.is_stalled = true;
                        return Turn::Stalled;
                    }
                    self.watched = None;
                }
            }
        }
    }
}
