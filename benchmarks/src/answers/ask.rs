//! What is asked of a projection, and how long the answer takes.

use std::future::Future;
use std::time::Duration;

use projectionist_engine::{Completion, ProjectionHandle, ProjectionStatus};
use tokio::time::{Instant, timeout};

use super::stuck::Stuck;
use crate::failure::Outcome;

/// Whoever has no answer by then has none.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `status()`.
    Status,
    /// `report().await`.
    Report,
    /// `pause().await`: the flag is stored.
    Pause,
    /// `stop_and_wait().await`: everything is let go of.
    Stop,
}

impl Ask {
    /// All of it.
    pub const ALL: [Self; 4] = [Self::Status, Self::Report, Self::Pause, Self::Stop];

    /// The name in the report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status()",
            Self::Report => "report()",
            Self::Pause => "pause()",
            Self::Stop => "stop_and_wait()",
        }
    }

    /// Waits until a projection is `spawned` and stuck, asks it, and ends it.
    ///
    /// # Errors
    /// When it cannot be spawned, when the answer is a wrong one, and when none comes.
    pub async fn once(
        self,
        stuck: Stuck,
        spawned: impl Future<Output = Outcome<ProjectionHandle>>,
    ) -> Outcome<Duration> {
        let asked = timeout(PATIENCE, async { self.ask(stuck, &spawned.await?).await }).await;
        asked.unwrap_or_else(|_| {
            let (ask, stuck) = (self.name(), stuck.name());
            Err(format!("{ask} while a {stuck}: no answer within {PATIENCE:?}").into())
        })
    }

    async fn ask(self, stuck: Stuck, handle: &ProjectionHandle) -> Outcome<Duration> {
        let asked = Instant::now();
        match self {
            Self::Status => self.is_right(is_stuck(stuck, &handle.status()))?,
            Self::Report => self.is_right(is_stuck(stuck, &handle.report().await?.status))?,
            Self::Pause => handle.pause().await?,
            Self::Stop => self.stop(handle).await?,
        }
        let answered = asked.elapsed();
        match self {
            Self::Stop => {}
            Self::Pause => {
                handle.resume().await?;
                self.stop(handle).await?;
            }
            Self::Status | Self::Report => self.stop(handle).await?,
        }
        Ok(answered)
    }

    async fn stop(self, handle: &ProjectionHandle) -> Outcome<()> {
        self.is_right(handle.stop_and_wait().await? == Completion::Stopped)
    }

    fn is_right(self, right: bool) -> Outcome<()> {
        match right {
            true => Ok(()),
            false => Err(format!("{} gave a wrong answer", self.name()).into()),
        }
    }
}

/// Whether a projection that is stuck says so.
fn is_stuck(stuck: Stuck, status: &ProjectionStatus) -> bool {
    match stuck {
        Stuck::HandlerSleeps => matches!(status, ProjectionStatus::Running { .. }),
        Stuck::RetryWaits => matches!(status, ProjectionStatus::Retrying { .. }),
    }
}
