//! Answers the handle of a projection, and looks into the store for what others ask.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{
    Epoch, Error, ManagementCommand, Offset, PauseScope, ProjectionId, Result,
};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::order::{Asker, Order};
use super::waiters::Waiters;
use crate::recovery::drive::panic_message;
use crate::restart::shared::Shared;
use crate::{ProjectionReport, ProjectionStatus};

/// A call of a handle.
#[derive(Debug)]
pub(crate) enum Call {
    Offset(Reply<Option<Offset>>),
    SetPaused(bool, Reply<()>),
    Command(ManagementCommand, Reply<()>),
    Report(Reply<ProjectionReport>),
    /// Answered when the store was asked what others want.
    Look(Reply<()>),
    /// Answered when everything up to the offset is processed.
    WaitUntil(Offset, Reply<()>),
}

/// Where an answer goes.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, Arc<Error>>>;

/// After how many looks the lag in events is told anew: to count what the source has may cost more
/// than a look.
const LAG_EVERY: u32 = 10;

/// How many calls of a handle may wait for their turn.
pub(crate) const CALLS: usize = 64;

/// Answers a handle's calls one after the other, also while a handler runs or a retry waits.
pub(crate) struct Desk<P: SourceProvider, S> {
    pub(crate) lane: ProjectionId,
    pub(crate) provider: Arc<P>,
    pub(crate) store: S,
    pub(crate) shared: Arc<Shared>,
    pub(crate) waiters: Arc<Waiters<P::Position>>,
    /// How often the store is asked.
    pub(crate) interval: Duration,
}

impl<P: SourceProvider, S: OffsetStore> Desk<P, S> {
    /// Serves for as long as it is polled.
    pub(crate) async fn serve(&self, calls: &mut mpsc::Receiver<Call>) {
        let answers = async {
            while let Some(call) = calls.recv().await {
                self.answer(call).await;
            }
        };
        // Beside each other: what a call waits for may be what the look brings.
        futures::join!(answers, self.look_again_and_again());
    }

    async fn look_again_and_again(&self) {
        let mut next_look = Instant::now() + self.interval;
        for look in 1_u32.. {
            sleep_until(next_look).await;
            self.look().await;
            if look.is_multiple_of(LAG_EVERY) && self.shared.signals.holds_claim() {
                // For its gauges: who wants the report asks for it.
                let _report = guarded(self.report()).await;
            }
            next_look = Instant::now() + self.interval;
        }
    }

    /// Asks the store what others want, or how far another owner has come. A store that cannot be
    /// asked is asked again: what the run needs of it fails by itself.
    async fn look(&self) {
        if self.shared.signals.holds_claim() {
            let lag = self.shared.lag().map(|lag| lag.as_secs_f64());
            self.shared.metrics().lag_seconds(lag);
            let read = self.shared.wishes.begin_read();
            if let Ok(management) = guarded(self.store.management(&self.lane)).await {
                self.shared.wishes.stored(read, management);
            }
        } else if self.waiters.are_there() {
            self.pass_stored().await;
        }
    }

    /// Lets those go on who wait for what is stored as processed.
    async fn pass_stored(&self) {
        if let Ok(Some(low)) = guarded(self.offset()).await
            && let Ok(low) = low.position::<P::Position>(&self.lane)
        {
            self.waiters.stored(&low);
        }
    }

    async fn answer(&self, call: Call) {
        match call {
            Call::Offset(reply) => send(reply, guarded(self.offset()).await),
            Call::SetPaused(paused, reply) => send(reply, guarded(self.set_paused(paused)).await),
            Call::Command(command, reply) => self.command(command, reply).await,
            Call::Report(reply) => send(reply, guarded(self.report()).await),
            Call::Look(reply) => {
                self.look().await;
                send(reply, Ok(()));
            }
            Call::WaitUntil(offset, reply) => self.wait_until(&offset, reply).await,
        }
    }

    async fn offset(&self) -> Result<Option<Offset>> {
        let row = self.store.lane(&self.lane).await?;
        Ok(row.and_then(|row| row.offset))
    }

    /// Sets the lane's own flag; from the next envelope on it is obeyed.
    async fn set_paused(&self, paused: bool) -> Result<()> {
        let (name, key) = (self.lane.name(), Some(self.lane.key()));
        if paused && self.shared.wishes.pause().is_none() {
            // Before the flag is stored: the store may be held by the transaction of a handler that
            // does not end.
            self.shared.signals.ask_attention();
        }
        self.store.set_paused(name, key, paused).await?;
        let read = self.shared.wishes.begin_read();
        let management = self.store.management(&self.lane).await?;
        let still = management.pause;
        self.shared.wishes.stored(read, management);
        match still {
            Some(pause) if !paused && pause.scope == PauseScope::AllLanes => Err(Error::Refused {
                lane: self.lane.clone(),
                reason: format!("all lanes of `{name}` are paused; resume them all"),
            }),
            _ => Ok(()),
        }
    }

    /// Has a command carried out: by the run of this process, or by the owner of the lane.
    async fn command(&self, command: ManagementCommand, reply: Reply<()>) {
        if !self.shared.signals.holds_claim() {
            return send(reply, self.request(&command).await);
        }
        if !matches!(command, ManagementCommand::SetOffset { .. }) {
            // Done by the next run, which may not come for long: other calls do not wait for it.
            let asker = Asker::Handle(reply);
            return self.shared.wishes.add(Order { command, asker });
        }
        let (asker, outcome) = oneshot::channel();
        let asker = Asker::Handle(asker);
        self.shared.wishes.add(Order { command, asker });
        let ended = || Err(Arc::new(Error::Ended(self.lane.clone())));
        let outcome = outcome.await.unwrap_or_else(|_| ended());
        // Whoever asked may have given up waiting.
        let _given_up = reply.send(outcome);
    }

    /// Asks the owner of the lane through the store.
    async fn request(&self, command: &ManagementCommand) -> Result<()> {
        let lane = &self.lane;
        let asked = super::client::request(&self.store, lane, command, super::client::PATIENCE);
        guarded(asked).await
    }

    async fn report(&self) -> Result<ProjectionReport> {
        let row = self.store.lane(&self.lane).await?.unwrap_or_default();
        let low = row
            .offset
            .as_ref()
            .map(|offset| offset.position(&self.lane));
        // A source that cannot be asked takes nothing from what the store tells.
        let low = low.transpose()?;
        let remaining = self.provider.remaining(low.as_ref()).await;
        let lag_events = remaining.ok().flatten();
        let lag_bytes = self.provider.remaining_bytes(low.as_ref()).await;
        let lag_bytes = lag_bytes.ok().flatten();
        let published = self.shared.published();
        let status = match published.status {
            ProjectionStatus::Running { epoch } if self.shared.is_quiet() => self.idle(epoch),
            status => status,
        };
        let lag = self.shared.lag();
        let seconds = lag.map(|lag| lag.as_secs_f64());
        self.shared.metrics().lag(lag_events, seconds);
        Ok(ProjectionReport {
            status,
            since: published.since,
            offset: row.offset,
            counters: row.counters,
            epoch: row.epoch,
            updated_at: row.updated_at,
            lag_events,
            lag_bytes,
            lag,
        })
    }

    /// What a run does that has nothing to do.
    fn idle(&self, epoch: Epoch) -> ProjectionStatus {
        match self.provider.waiting_for() {
            Some(reason) => ProjectionStatus::AwaitingSource { epoch, reason },
            None => ProjectionStatus::Idle { epoch },
        }
    }

    async fn wait_until(&self, offset: &Offset, reply: Reply<()>) {
        let position = match offset.position::<P::Position>(&self.lane) {
            Ok(position) => position,
            Err(error) => return send(reply, Err(error)),
        };
        self.waiters.add(position, reply);
        // It may have been processed before the waiter was there, also by another owner.
        self.pass_stored().await;
    }
}

/// Asks the store or the source. A panic of theirs is an error: the task that owns the projection
/// goes on.
async fn guarded<T>(asked: impl Future<Output = Result<T>>) -> Result<T> {
    let asked = AssertUnwindSafe(asked).catch_unwind().await;
    asked.unwrap_or_else(|payload| {
        Err(Error::Store {
            action: "answer a call".to_owned(),
            retryable: true,
            source: panic_message("the store or the source", payload.as_ref()).into(),
        })
    })
}

fn send<T>(reply: Reply<T>, result: Result<T>) {
    // Whoever asked may have given up waiting.
    let _given_up = reply.send(result.map_err(Arc::new));
}

/// Runs `life` to its end, and serves the handle meanwhile.
pub(crate) async fn beside<T>(life: impl Future<Output = T>, desk: impl Future<Output = ()>) -> T {
    let desk = async {
        desk.await;
        std::future::pending().await
    };
    tokio::select! {
        biased;
        ended = life => ended,
        never = desk => never,
    }
}
