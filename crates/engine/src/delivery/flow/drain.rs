//! The end of a flow: what is in flight comes out, or is given up.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use futures::Stream;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use tokio::time::sleep;

use super::run::{FlowRun, Output};
use crate::delivery::incarnation::{End, Failed, RunResult};
use crate::signals::Interruption;

/// Why a run ends whose flow did not fail.
pub(super) enum Ending<P: SourceProvider> {
    /// The source has ended as it should.
    SourceEnded(End),
    /// The source failed, or ended although it was followed.
    SourceFailed(Failed<P>),
    Interrupted(Interruption),
}

impl<P, S, O> FlowRun<'_, '_, P, S, O>
where
    P: SourceProvider,
    S: OffsetStore,
    O: Stream<Item = Output> + Send,
{
    /// Ends the input, and lets what is in flight come out: for as long as it takes when the source
    /// has ended, otherwise no longer than the stop time-out.
    pub(super) async fn drain(&mut self, ending: Ending<P>) -> RunResult<P> {
        match ending {
            Ending::SourceEnded(end) => {
                self.feed.end();
                match self.until_ended().await? {
                    None if self.in_flight.is_empty() => Ok(end),
                    None => Err(self.left_behind()),
                    Some(interruption) => self.give_up(interruption).await,
                }
            }
            Ending::SourceFailed(failed) => {
                self.feed.end();
                self.until_settled().await?;
                Err(failed)
            }
            Ending::Interrupted(interruption) => self.give_up(interruption).await,
        }
    }

    /// Waits until the output ends, or an interruption.
    async fn until_ended(&mut self) -> RunResult<P, Option<Interruption>> {
        let signals = self.run.signals;
        let mut raised = pin!(signals.raised());
        poll_fn(|cx| match self.look_at_flow(cx) {
            Err(failed) => Poll::Ready(Err(failed)),
            Ok(true) => Poll::Ready(Ok(None)),
            Ok(false) => raised.as_mut().poll(cx).map(|raised| Ok(Some(raised))),
        })
        .await
    }

    /// Takes back what the flow has not begun with, and waits for the rest as long as a stop does.
    async fn give_up(&mut self, interruption: Interruption) -> RunResult<P> {
        let Self {
            feed, in_flight, ..
        } = self;
        feed.withdraw(|numbers| {
            for number in numbers {
                let _comes_again = in_flight.take(number);
            }
        });
        self.may_lose = true;
        self.until_settled().await?;
        Ok(End::Interrupted(interruption))
    }

    /// Waits until nothing is in flight, the output has ended, or the stop time-out is over.
    async fn until_settled(&mut self) -> RunResult<P, ()> {
        let mut given_up = pin!(sleep(self.run.settings.stop_timeout));
        poll_fn(|cx| match self.look_at_flow(cx) {
            Err(failed) => Poll::Ready(Err(failed)),
            Ok(ended) if ended || self.in_flight.is_empty() => Poll::Ready(Ok(())),
            Ok(_) => given_up.as_mut().poll(cx).map(Ok),
        })
        .await
    }
}
