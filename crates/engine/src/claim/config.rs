//! How a lane is claimed.

use std::time::Duration;

/// How a lane is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimConfig {
    /// What happens when another owner holds the lane. Default [`WhenHeld::Wait`].
    pub when_held: WhenHeld,
    /// How long a claim holds without being renewed; it is renewed every third of it. Default
    /// 10 s. A killed owner of this machine is told at once, any other one after this time.
    pub ttl: Duration,
    /// How long to stand by before giving up with [`projectionist_core::Error::Held`]. Default:
    /// for ever.
    pub wait_at_most: Option<Duration>,
}

impl Default for ClaimConfig {
    fn default() -> Self {
        Self {
            when_held: WhenHeld::Wait,
            ttl: Duration::from_secs(10),
            wait_at_most: None,
        }
    }
}

/// What happens when another owner holds the lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenHeld {
    /// Stand by and take over when it is gone. A claim that is lost later is waited for again.
    #[default]
    Wait,
    /// Fail.
    Fail,
    /// Take the lane: the newest owner wins, and nothing more of the other one commits.
    Steal,
}
