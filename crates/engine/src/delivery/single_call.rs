//! The kinds of handlers that take one envelope, as the one loop calls them.

use std::future::Future;
use std::marker::PhantomData;

use projectionist_core::contract::{Context, Handler, HandlerResult, Settlement, SettlingHandler};

use super::handler_slot::Hooks;
use crate::recovery::Refusal;

/// A handler that takes one envelope.
pub(super) trait SingleCall<E>: Hooks + 'static {
    fn call(
        &mut self,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;
}

/// A [`Handler`].
pub(super) struct Single<H, E> {
    pub(super) handler: H,
    pub(super) envelope: PhantomData<fn(&E)>,
}

/// A [`SettlingHandler`]: what it does not acknowledge is an attempt that failed with a
/// [`Refusal`].
pub(super) struct Settling<H, E> {
    pub(super) handler: H,
    pub(super) envelope: PhantomData<fn(&E)>,
}

impl<E: Sync + 'static, H: Handler<E>> Hooks for Single<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<E: Sync + 'static, H: Handler<E>> SingleCall<E> for Single<H, E> {
    fn call(
        &mut self,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        self.handler.process(envelope, context)
    }
}

impl<E: Sync + 'static, H: SettlingHandler<E>> Hooks for Settling<H, E> {
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.start()
    }
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        self.handler.stop()
    }
}

impl<E: Sync + 'static, H: SettlingHandler<E>> SingleCall<E> for Settling<H, E> {
    async fn call(&mut self, envelope: &E, context: &Context<'_>) -> HandlerResult {
        let refusal = match self.handler.process(envelope, context).await? {
            Settlement::Ack => return Ok(()),
            Settlement::Drop { reason } => Refusal::Drop { reason },
            Settlement::Retry { reason } => Refusal::Retry { reason },
            Settlement::RetryAfter { delay, reason } => Refusal::RetryAfter { delay, reason },
        };
        Err(refusal.into())
    }
}
