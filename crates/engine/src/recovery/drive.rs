//! Runs one call of a handler to its end, and meets what may happen meanwhile.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use projectionist_core::BoxError;
use projectionist_core::contract::HandlerResult;

use crate::signals::{Interruption, Signals};

/// How a call of a handler ended.
#[derive(Debug)]
pub(crate) enum Call {
    /// It returned.
    Returned(HandlerResult),
    /// It panicked, or did not end in its time: the handler is not to be used again.
    Broken(BoxError),
    /// It was still running when a stop had waited long enough; its future was dropped.
    Abandoned(Interruption),
}

/// How long a call may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// After an interruption.
    pub(crate) stop_timeout: Duration,
    /// In any case; `None` for as long as it likes.
    pub(crate) handler_timeout: Option<Duration>,
}

impl Limits {
    /// Those of a hook: the time-out is one of calls that handle something.
    pub(crate) fn of_a_hook(stop_timeout: Duration) -> Self {
        Self {
            stop_timeout,
            handler_timeout: None,
        }
    }
}

/// The error of a call that did not end in its time.
#[derive(Debug, thiserror::Error)]
#[error("the handler did not end within {0:?}")]
pub(crate) struct TimedOut(pub(crate) Duration);

/// Calls a handler; see [`called`].
pub(crate) async fn drive(
    call: impl Future<Output = HandlerResult>,
    signals: &Signals,
    limits: Limits,
    background: impl FnMut(&mut Context<'_>),
) -> Call {
    match called(pin!(call), signals, limits, background).await {
        Ok(()) => Call::Returned(Ok(())),
        Err(trouble) => *trouble,
    }
}

/// Calls a handler. An error is any other end than the good one; it is boxed because the good one
/// is met for every envelope, and moving the room for an error costs more than many a handler.
///
/// The first poll is made bare: most handlers are ready at once, and to set up a wait would cost
/// more than they do. It is lent by its place: to move it costs as much. Only a call that is pending is waited for together with the signals and
/// with `background`, which is polled whenever the wait is woken.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn moves its arguments once more when it is first polled, which costs as \
              much as many a handler"
)]
pub(crate) fn called<F: Future<Output = HandlerResult>>(
    mut call: Pin<&mut F>,
    signals: &Signals,
    limits: Limits,
    mut background: impl FnMut(&mut Context<'_>),
) -> impl Future<Output = Result<(), Box<Call>>> {
    async move {
        let look = poll_fn(|cx| Poll::Ready(poll_guarded(call.as_mut(), cx)));
        if let Poll::Ready(ended) = look.await {
            return ended;
        }
        let mut given_up = pin!(given_up(signals, limits));
        poll_fn(|cx| {
            background(cx);
            if let Poll::Ready(ended) = poll_guarded(call.as_mut(), cx) {
                return Poll::Ready(ended);
            }
            given_up.as_mut().poll(cx).map(|call| Err(Box::new(call)))
        })
        .await
    }
}

/// Ends when a call has taken too long.
async fn given_up(signals: &Signals, limits: Limits) -> Call {
    let timed_out = async {
        match limits.handler_timeout {
            Some(timeout) => {
                tokio::time::sleep(timeout).await;
                Call::Broken(TimedOut(timeout).into())
            }
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        interruption = signals.raised_for(limits.stop_timeout) => Call::Abandoned(interruption),
        call = timed_out => call,
    }
}

/// Polls a call; a panic ends it.
fn poll_guarded<F: Future<Output = HandlerResult>>(
    call: Pin<&mut F>,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Box<Call>>> {
    match catch_unwind(AssertUnwindSafe(|| call.poll(cx))) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(Ok(()))) => Poll::Ready(Ok(())),
        Ok(Poll::Ready(Err(error))) => Poll::Ready(Err(Box::new(Call::Returned(Err(error))))),
        Err(payload) => Poll::Ready(Err(panicked(payload.as_ref()))),
    }
}

#[cold]
fn panicked(payload: &(dyn Any + Send)) -> Box<Call> {
    Box::new(Call::Broken(panic_message("the handler", payload).into()))
}

/// What a panic of `who` said, as far as it can be told.
pub(crate) fn panic_message(who: &str, payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    match text {
        Some(text) => format!("{who} panicked: {text}"),
        None => format!("{who} panicked"),
    }
}
