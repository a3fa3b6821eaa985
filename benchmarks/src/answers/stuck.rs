//! Projections that do not come on.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::ProjectionId;
use projectionist_core::contract::{
    Context, Handler, HandlerResult, Mode, OffsetStore, TransactionalHandler,
    TransactionalOffsetStore,
};
use projectionist_engine::delivery::kinds::Retrying;
use projectionist_engine::{
    Delivery, Projection, ProjectionHandle, ProjectionRuntime, ProjectionStatus, Recovery,
    RetryDelay,
};
use tokio::sync::Notify;

use crate::failure::Outcome;
use crate::source::{Envelope, Envelopes};

/// Longer than anybody waits.
const FOR_EVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Why it does not come on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The handler does not return.
    HandlerSleeps,
    /// The handler failed, and the next attempt is far away.
    RetryWaits,
}

impl Stuck {
    /// Both.
    pub const ALL: [Self; 2] = [Self::HandlerSleeps, Self::RetryWaits];

    /// The name in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HandlerSleeps => "handler sleeps",
            Self::RetryWaits => "retry waits",
        }
    }

    /// Spawns an at-least-once projection over `store` and returns when it is stuck.
    ///
    /// # Errors
    /// When it cannot be spawned.
    pub async fn at_least_once<S: OffsetStore>(self, store: S) -> Outcome<ProjectionHandle> {
        let (begun, source) = (Arc::new(Notify::new()), Envelopes::new(1));
        let handler = self.handler(&begun);
        let projection = Projection::at_least_once(lane()?, source, store, move || handler.clone());
        self.spawn(projection, &begun).await
    }

    /// As [`at_least_once`](Self::at_least_once), with a handler in the transaction of the store.
    ///
    /// # Errors
    /// As [`at_least_once`](Self::at_least_once).
    pub async fn exactly_once<S>(self, store: S) -> Outcome<ProjectionHandle>
    where
        S: TransactionalOffsetStore,
    {
        let (begun, source) = (Arc::new(Notify::new()), Envelopes::new(1));
        let handler = self.handler(&begun);
        let projection = Projection::exactly_once(lane()?, source, store, move || handler.clone());
        self.spawn(projection, &begun).await
    }

    fn handler(self, begun: &Arc<Notify>) -> Sticking {
        Sticking {
            stuck: self,
            begun: Arc::clone(begun),
        }
    }

    async fn spawn<S: OffsetStore, D: Delivery<Envelopes, S> + Retrying>(
        self,
        projection: Projection<Envelopes, S, D>,
        begun: &Notify,
    ) -> Outcome<ProjectionHandle> {
        let retry = Recovery::RetryAndFail {
            retries: u32::MAX,
            delay: RetryDelay::Fixed(FOR_EVER),
        };
        // The grace that a handler is given is its user's choice; with none, what is left is what the
        // engine takes.
        let projection = projection
            .with_mode(Mode::Current)
            .with_recovery(retry)
            .with_stop_timeout(Duration::ZERO);
        let handle = ProjectionRuntime::new().spawn(projection)?;
        match self {
            Self::HandlerSleeps => begun.notified().await,
            Self::RetryWaits => {
                let waits = |status: &_| matches!(status, ProjectionStatus::Retrying { .. });
                handle.status_receiver().wait_for(waits).await;
            }
        }
        Ok(handle)
    }
}

fn lane() -> Outcome<ProjectionId> {
    Ok(ProjectionId::new("benchmark", "all")?)
}

/// The handler.
#[derive(Clone)]
struct Sticking {
    stuck: Stuck,
    begun: Arc<Notify>,
}

impl Sticking {
    async fn stick(&self) -> HandlerResult {
        match self.stuck {
            Stuck::HandlerSleeps => {
                self.begun.notify_one();
                tokio::time::sleep(FOR_EVER).await;
                Ok(())
            }
            Stuck::RetryWaits => Err("it is to be tried again".into()),
        }
    }
}

impl Handler<Envelope> for Sticking {
    async fn process(&mut self, _: &Envelope, _: &Context<'_>) -> HandlerResult {
        self.stick().await
    }
}

impl<Tx: Send + 'static> TransactionalHandler<Envelope, Tx> for Sticking {
    async fn process(&mut self, _: &mut Tx, _: &Envelope, _: &Context<'_>) -> HandlerResult {
        self.stick().await
    }
}
