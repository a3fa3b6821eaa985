//! The handler that does nothing but count, so that only the peer's runtime is measured and a lost
//! event is noticed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use async_trait::async_trait;
use datum_persistence::projection::{GroupedHandler, Handler, ProjectionResult};

/// Counts what passes.
#[derive(Clone, Default)]
pub(crate) struct Count(Arc<AtomicU64>);

impl Count {
    pub(crate) fn handled(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

#[async_trait]
impl Handler<u64> for Count {
    async fn process(&mut self, _: &u64) -> ProjectionResult<()> {
        self.0.fetch_add(1, Relaxed);
        Ok(())
    }
}

#[async_trait]
impl GroupedHandler<u64> for Count {
    async fn process(&mut self, group: &[u64]) -> ProjectionResult<()> {
        self.0.fetch_add(group.len() as u64, Relaxed);
        Ok(())
    }
}
