//! Runs one call of a handler to its end, and meets what may happen meanwhile.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::BoxError;
use projectionist_core::contract::HandlerResult;

use crate::signals::{Interruption, Signals};

/// How a call of a handler ended.
#[derive(Debug)]
pub(crate) enum Call {
    /// It returned.
    Returned(HandlerResult),
    /// It panicked: the handler is not to be used again.
    Panicked(BoxError),
    /// It was still running when a stop had waited long enough; its future was dropped.
    Abandoned(Interruption),
}

/// Calls a handler.
///
/// The first poll is made bare: most handlers are ready at once, and to set up a wait would cost
/// more than they do. Only a call that is pending is waited for together with the signals and
/// with `background`, which is polled whenever the wait is woken.
pub(crate) async fn drive(
    call: impl Future<Output = HandlerResult>,
    signals: &Signals,
    stop_timeout: Duration,
    mut background: impl FnMut(&mut Context<'_>),
) -> Call {
    let mut call = pin!(AssertUnwindSafe(call).catch_unwind());
    let first = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await;
    if let Poll::Ready(ended) = first {
        return ended_as(ended);
    }
    let mut grace = pin!(signals.raised_for(stop_timeout));
    poll_fn(|cx| {
        background(cx);
        if let Poll::Ready(ended) = call.as_mut().poll(cx) {
            return Poll::Ready(ended_as(ended));
        }
        grace.as_mut().poll(cx).map(Call::Abandoned)
    })
    .await
}

fn ended_as(ended: Result<HandlerResult, Box<dyn Any + Send>>) -> Call {
    match ended {
        Ok(result) => Call::Returned(result),
        Err(payload) => Call::Panicked(panic_message("the handler", payload.as_ref()).into()),
    }
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
