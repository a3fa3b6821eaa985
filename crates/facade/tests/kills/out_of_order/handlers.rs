//! Handlers of several events at once, and handlers that fail for a while.

use futures::stream::{Stream, StreamExt};
use projectionist::contract::{Context, FlowHandler, Handler, HandlerResult, TransactionalHandler};
use projectionist::sqlite::SqliteTx;
use projectionist::{BoxError, FlowContext, FlowContexts, FlowInput};

use crate::handlers::Log;
use crate::mode::{AT_ONCE, Mode};
use crate::points::{Point, Teller};

/// Lets others go first, for some events more often than for others: what is handled at once comes
/// to its end in another order.
async fn dawdle(event: u64) {
    for _ in 0..event * 7 % 5 {
        tokio::task::yield_now().await;
    }
}

/// Takes its time for each event.
pub(crate) struct Unhurried(pub(crate) Log);

impl Handler<u64> for Unhurried {
    async fn process(&mut self, event: &u64, _: &Context<'_>) -> HandlerResult {
        dawdle(*event).await;
        self.0.append(*event)
    }
}

/// Handles some events at once, passes over some, and gives them back as they are done.
pub(crate) struct Flow<F> {
    pub(crate) mode: Mode,
    /// Opens the log, once for each event.
    pub(crate) log: F,
}

impl<F: Fn() -> Log + Clone + Send + 'static> FlowHandler<u64> for Flow<F> {
    fn flow(
        &mut self,
        events: FlowInput<u64>,
    ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
        let (mode, log) = (self.mode, self.log.clone());
        let wanted = move |(event, context): (u64, FlowContext)| {
            let wanted = if mode.filters(event) {
                context.filtered();
                None
            } else {
                Some((event, context))
            };
            std::future::ready(wanted)
        };
        let handled = move |(event, context): (u64, FlowContext)| {
            let mut log = log();
            async move {
                dawdle(event).await;
                log.append(event)?;
                Ok(context.into())
            }
        };
        events
            .filter_map(wanted)
            .map(handled)
            .buffer_unordered(AT_ONCE)
    }
}

/// Fails with some events until the store has counted enough attempts.
pub(crate) struct Failing<H> {
    pub(crate) inner: H,
    pub(crate) mode: Mode,
    pub(crate) teller: Teller,
}

impl<H> Failing<H> {
    fn fail(&self, event: u64, attempt: u32) -> HandlerResult {
        if attempt > self.mode.failures(event) {
            return Ok(());
        }
        self.teller.reach(Point::Failed);
        Err(format!("{event} fails in attempt {attempt}").into())
    }
}

impl<H: Handler<u64>> Handler<u64> for Failing<H> {
    async fn process(&mut self, event: &u64, context: &Context<'_>) -> HandlerResult {
        self.fail(*event, context.attempt)?;
        self.inner.process(event, context).await
    }
}

impl<H: TransactionalHandler<u64, SqliteTx>> TransactionalHandler<u64, SqliteTx> for Failing<H> {
    async fn process(
        &mut self,
        tx: &mut SqliteTx,
        event: &u64,
        context: &Context<'_>,
    ) -> HandlerResult {
        // Behind the write, so that only a rollback undoes it.
        self.inner.process(tx, event, context).await?;
        self.fail(*event, context.attempt)
    }
}
