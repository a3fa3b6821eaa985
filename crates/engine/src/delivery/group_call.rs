//! The kinds of handlers that take a group, as the one loop calls them.

use std::future::Future;
use std::marker::PhantomData;

use projectionist_core::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, HandlerResult,
    TransactionalHandler,
};

use super::handler_slot::Hooks;

/// A handler that takes a group, with or without a transaction.
pub(super) trait GroupCall<E, Tx>: Hooks + 'static {
    fn call(
        &mut self,
        tx: &mut Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;
}

/// A [`GroupedTransactionalHandler`].
pub(super) struct InGroups<H, E, Tx> {
    pub(super) handler: H,
    pub(super) types: PhantomData<fn(&E, &mut Tx)>,
}

/// A [`GroupedHandler`], which gets no transaction.
pub(super) struct WithoutTransaction<H, E> {
    pub(super) handler: H,
    pub(super) types: PhantomData<fn(&E)>,
}

/// A [`TransactionalHandler`]: its groups have one envelope.
pub(super) struct OneByOne<H, E, Tx> {
    pub(super) handler: H,
    pub(super) types: PhantomData<fn(&E, &mut Tx)>,
}

impl<E, Tx, H> Hooks for InGroups<H, E, Tx>
where
    E: Sync + 'static,
    Tx: Send + 'static,
    H: GroupedTransactionalHandler<E, Tx>,
{
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<E, Tx, H> GroupCall<E, Tx> for InGroups<H, E, Tx>
where
    E: Sync + 'static,
    Tx: Send + 'static,
    H: GroupedTransactionalHandler<E, Tx>,
{
    fn call(
        &mut self,
        tx: &mut Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        self.handler.process(tx, group, context)
    }
}

impl<E: Sync + 'static, H: GroupedHandler<E>> Hooks for WithoutTransaction<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<E: Sync + 'static, H: GroupedHandler<E>> GroupCall<E, ()> for WithoutTransaction<H, E> {
    fn call(
        &mut self,
        (): &mut (),
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        self.handler.process(group, context)
    }
}

impl<E, Tx, H> Hooks for OneByOne<H, E, Tx>
where
    E: Sync + 'static,
    Tx: Send + 'static,
    H: TransactionalHandler<E, Tx>,
{
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<E, Tx, H> GroupCall<E, Tx> for OneByOne<H, E, Tx>
where
    E: Sync + 'static,
    Tx: Send + 'static,
    H: TransactionalHandler<E, Tx>,
{
    async fn call(&mut self, tx: &mut Tx, group: &[E], context: GroupContext<'_>) -> HandlerResult {
        let GroupContext {
            lane,
            position,
            attempt,
            replay,
            report: _,
        } = context;
        let context = Context {
            lane,
            position,
            attempt,
            replay,
        };
        for envelope in group {
            self.handler.process(tx, envelope, &context).await?;
        }
        Ok(())
    }
}
