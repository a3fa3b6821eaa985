//! The settings that every projection has.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::{Mode, NoObserver, Observer, StartPosition};
use projectionist_core::{Error, ProjectionId, Result};

use crate::{ClaimConfig, FailurePolicy};

/// The settings that every projection has, whatever its delivery.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether the source is followed. Default [`Mode::Live`].
    pub mode: Mode,
    /// Where a lane begins that has no stored offset. Default [`StartPosition::Earliest`].
    pub start: StartPosition,
    /// How the lane is claimed.
    pub claim: ClaimConfig,
    /// What becomes of failures.
    pub failures: FailurePolicy,
    /// Whether what is passed over is kept as a dead letter, in the commit that passes it. Default
    /// off: then it is counted and logged.
    pub dead_letters: bool,
    /// How long one call of a handler may take. A call that takes longer is a failed attempt, and
    /// a fresh handler takes the place of the one that was given up. Default: no limit.
    pub handler_timeout: Option<Duration>,
    /// How long a stop, a pause and other commands wait for a handler before its future is
    /// dropped. Default 10 s.
    pub stop_timeout: Duration,
    /// How often the owner of a lane asks the store what other processes want of it. Default
    /// 500 ms.
    pub management_interval: Duration,
    /// Sees what happens. Default: nobody.
    pub observer: Arc<dyn Observer>,
}

impl Settings {
    /// Refuses what cannot work, before anything is claimed.
    pub(crate) fn check(&self, lane: &ProjectionId) -> Result<()> {
        let zero = |setting: &str, duration: Duration| {
            (duration.is_zero()).then(|| Error::Configuration {
                subject: format!("{setting} of {lane}"),
                reason: "it is zero; it must be some time".to_owned(),
            })
        };
        let wrong = zero("the ttl of the claim", self.claim.ttl)
            .or_else(|| zero("the management interval", self.management_interval));
        wrong.map_or(Ok(()), Err)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            start: StartPosition::default(),
            claim: ClaimConfig::default(),
            failures: FailurePolicy::default(),
            dead_letters: false,
            handler_timeout: None,
            stop_timeout: Duration::from_secs(10),
            management_interval: Duration::from_millis(500),
            observer: Arc::new(NoObserver),
        }
    }
}
