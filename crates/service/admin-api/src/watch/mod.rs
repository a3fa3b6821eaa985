//! Reads the desk for everybody who looks, at most once a second, and remembers the last minutes.

mod ring;

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Clock, SystemClock};
use tokio::sync::Mutex;
use tokio::time::{Instant, MissedTickBehavior};

use crate::view::{Capabilities, History, LaneHistory, LaneStatus, LaneView, Overview};
use crate::{AdminDesk, AdminError};
use ring::Rings;

/// The shortest time between two reads of the desk.
pub const READ_AT_MOST_EVERY: Duration = Duration::from_secs(1);

/// How often the desk is read while nobody looks, so that a page that is opened has a history.
pub const READ_AT_LEAST_EVERY: Duration = Duration::from_secs(5);

/// Reads the desk for everybody who looks.
///
/// Whoever asks while another read is under way waits for that one. So a page that is open costs
/// one read a second, and a hundred pages cost no more.
pub struct Watch {
    desk: Arc<dyn AdminDesk>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    last: Option<(Instant, Result<Arc<Overview>, AdminError>)>,
    rings: Rings,
}

impl Watch {
    /// Watches a desk that nobody has read yet.
    #[must_use]
    pub fn new(desk: Arc<dyn AdminDesk>) -> Self {
        Self {
            desk,
            seen: Mutex::default(),
        }
    }

    /// All lanes, not older than [`READ_AT_MOST_EVERY`].
    ///
    /// # Errors
    /// The desk's own, for as long as an answer holds.
    pub async fn overview(&self) -> Result<Arc<Overview>, AdminError> {
        let mut seen = self.seen.lock().await;
        self.read(&mut seen).await
    }

    /// What all lanes did since `since_ms`.
    ///
    /// # Errors
    /// As [`overview`](Self::overview).
    pub async fn history(&self, since_ms: i64) -> Result<History, AdminError> {
        let mut seen = self.seen.lock().await;
        self.read(&mut seen).await?;
        Ok(seen.rings.history(since_ms))
    }

    /// What one lane did in the last minutes; `None` for a lane that nobody knows.
    ///
    /// # Errors
    /// As [`overview`](Self::overview).
    pub async fn lane_history(
        &self,
        name: &str,
        key: &str,
    ) -> Result<Option<LaneHistory>, AdminError> {
        let mut seen = self.seen.lock().await;
        self.read(&mut seen).await?;
        Ok(seen.rings.of_lane(name, key))
    }

    /// Reads the desk now and then until it is dropped, whether somebody looks or not.
    pub async fn keep_reading(&self) {
        let mut turn = tokio::time::interval(READ_AT_LEAST_EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            turn.tick().await;
            if let Err(error) = self.overview().await {
                tracing::debug!(%error, "the admin endpoint cannot read the projections");
            }
        }
    }

    async fn read(&self, seen: &mut Seen) -> Result<Arc<Overview>, AdminError> {
        if let Some((at, answer)) = &seen.last
            && at.elapsed() < READ_AT_MOST_EVERY
        {
            return answer.clone();
        }
        let read = self.desk.lanes().await;
        let at_ms = SystemClock.now().unix_millis;
        let answer = read.map(|lanes| {
            seen.rings.add(at_ms, &lanes);
            Arc::new(self.overview_of(at_ms, lanes, &seen.rings))
        });
        seen.last = Some((Instant::now(), answer.clone()));
        answer
    }

    fn overview_of(&self, at_ms: i64, lanes: Vec<LaneStatus>, rings: &Rings) -> Overview {
        let with_rate = |status: LaneStatus| LaneView {
            events_per_second: rings.events_per_second(&status.name, &status.key),
            status,
        };
        Overview {
            at_ms,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            capabilities: Capabilities {
                rebuild: self.desk.rebuilds(),
            },
            lanes: lanes.into_iter().map(with_rate).collect(),
        }
    }
}
