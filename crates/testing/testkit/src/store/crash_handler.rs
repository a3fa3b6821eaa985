//! A handler that dies with its process.

use projectionist_core::BoxError;
use projectionist_core::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, Handler, HandlerResult,
    Settlement, SettlingHandler, TransactionalHandler,
};

use super::CrashPoint;
use super::crash_plan::CrashPlan;
use super::gate::Gate;

/// A handler that dies with its process: the other handler, which is called no more after the
/// crash of its [`CrashStore`](super::CrashStore), and whose calls under way are not answered. See
/// [`CrashStore::handler`](super::CrashStore::handler).
#[derive(Debug)]
pub struct CrashHandler<H> {
    handler: H,
    life: Life,
}

#[derive(Debug)]
struct Life {
    gate: Gate,
    plan: CrashPlan,
}

impl<H> CrashHandler<H> {
    pub(super) fn new(handler: H, gate: Gate, plan: CrashPlan) -> Self {
        let life = Life { gate, plan };
        Self { handler, life }
    }
}

impl Life {
    async fn handle<T>(
        &self,
        call: impl Future<Output = Result<T, BoxError>>,
    ) -> Result<T, BoxError> {
        let handled = self.gate.through(call).await;
        if handled.is_ok() && self.plan.reach(CrashPoint::AfterHandle) {
            return self.gate.crash().await;
        }
        handled
    }

    /// In a transaction a call is answered also after the crash: the store takes the transaction
    /// next, whatever the answer is, and drops it. A kill leaves no transaction open either.
    async fn handle_in_transaction(
        &self,
        call: impl Future<Output = HandlerResult>,
    ) -> HandlerResult {
        let handled = call.await;
        let lives = !self.gate.has_crashed();
        if handled.is_ok() && lives && self.plan.reach(CrashPoint::AfterHandle) {
            self.gate.close();
        }
        handled
    }
}

/// The hooks of a handler, which are the same whatever it handles.
macro_rules! hooks {
    ($handler:ident) => {
        async fn start(&mut self) -> HandlerResult {
            let call = $handler::start(&mut self.handler);
            self.life.gate.through(call).await
        }

        async fn stop(&mut self) -> HandlerResult {
            let call = $handler::stop(&mut self.handler);
            self.life.gate.through(call).await
        }
    };
}

impl<E: Sync, H: Handler<E>> Handler<E> for CrashHandler<H> {
    async fn process(&mut self, envelope: &E, context: &Context<'_>) -> HandlerResult {
        let call = self.handler.process(envelope, context);
        self.life.handle(call).await
    }

    hooks!(Handler);
}

impl<E: Sync, H: SettlingHandler<E>> SettlingHandler<E> for CrashHandler<H> {
    async fn process(
        &mut self,
        envelope: &E,
        context: &Context<'_>,
    ) -> Result<Settlement, BoxError> {
        let call = self.handler.process(envelope, context);
        self.life.handle(call).await
    }

    hooks!(SettlingHandler);
}

impl<E: Sync, H: GroupedHandler<E>> GroupedHandler<E> for CrashHandler<H> {
    async fn process(&mut self, group: &[E], context: GroupContext<'_>) -> HandlerResult {
        let call = self.handler.process(group, context);
        self.life.handle(call).await
    }

    hooks!(GroupedHandler);
}

impl<E, Tx, H> TransactionalHandler<E, Tx> for CrashHandler<H>
where
    E: Sync,
    Tx: Send,
    H: TransactionalHandler<E, Tx>,
{
    async fn process(&mut self, tx: &mut Tx, envelope: &E, context: &Context<'_>) -> HandlerResult {
        let call = self.handler.process(tx, envelope, context);
        self.life.handle_in_transaction(call).await
    }

    hooks!(TransactionalHandler);
}

impl<E, Tx, H> GroupedTransactionalHandler<E, Tx> for CrashHandler<H>
where
    E: Sync,
    Tx: Send,
    H: GroupedTransactionalHandler<E, Tx>,
{
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> HandlerResult {
        let call = self.handler.process(tx, group, context);
        self.life.handle_in_transaction(call).await
    }

    hooks!(GroupedTransactionalHandler);
}
