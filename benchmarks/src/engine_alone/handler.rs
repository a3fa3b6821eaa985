//! The handler that does nothing but count, so that an envelope that is lost or doubled is noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use projectionist_core::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, Handler, HandlerResult,
    TransactionalHandler,
};

use crate::source::Envelope;

/// Counts the envelopes that pass.
#[derive(Clone, Debug, Default)]
pub struct Count(Arc<AtomicU64>);

impl Count {
    /// How many passed.
    #[must_use]
    pub fn handled(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// Counts one.
    pub fn one(&self, envelope: &Envelope) {
        std::hint::black_box(envelope);
        self.0.fetch_add(1, Relaxed);
    }

    /// Counts a group.
    pub fn all(&self, group: &[Envelope]) {
        std::hint::black_box(group);
        self.0.fetch_add(group.len() as u64, Relaxed);
    }
}

impl Handler<Envelope> for Count {
    async fn process(&mut self, envelope: &Envelope, _: &Context<'_>) -> HandlerResult {
        self.one(envelope);
        Ok(())
    }
}

impl GroupedHandler<Envelope> for Count {
    async fn process(&mut self, group: &[Envelope], _: GroupContext<'_>) -> HandlerResult {
        self.all(group);
        Ok(())
    }
}

impl<Tx: Send + 'static> TransactionalHandler<Envelope, Tx> for Count {
    async fn process(&mut self, _: &mut Tx, envelope: &Envelope, _: &Context<'_>) -> HandlerResult {
        self.one(envelope);
        Ok(())
    }
}

impl<Tx: Send + 'static> GroupedTransactionalHandler<Envelope, Tx> for Count {
    async fn process(
        &mut self,
        _: &mut Tx,
        group: &[Envelope],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        self.all(group);
        Ok(())
    }
}
