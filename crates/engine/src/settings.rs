//! The settings that every projection has.

use std::sync::Arc;
use std::time::Duration;

use projectionist_core::contract::{Mode, NoObserver, Observer, StartPosition};

use crate::{ClaimConfig, Recovery, RestartBackoff};

/// The settings that every projection has, whatever its delivery.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether the source is followed. Default [`Mode::Live`].
    pub mode: Mode,
    /// Where a lane begins that has no stored offset. Default [`StartPosition::Earliest`].
    pub start: StartPosition,
    /// How the lane is claimed.
    pub claim: ClaimConfig,
    /// What is done when an attempt fails.
    pub recovery: Recovery,
    /// When a failed run is started again.
    pub restart: RestartBackoff,
    /// How long a stop waits for a handler before its future is dropped. Default 10 s.
    pub stop_timeout: Duration,
    /// Sees what happens. Default: nobody.
    pub observer: Arc<dyn Observer>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            start: StartPosition::default(),
            claim: ClaimConfig::default(),
            recovery: Recovery::default(),
            restart: RestartBackoff::default(),
            stop_timeout: Duration::from_secs(10),
            observer: Arc::new(NoObserver),
        }
    }
}
