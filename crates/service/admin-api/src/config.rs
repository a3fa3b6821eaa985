//! Where the endpoint answers, to whom, and within which limits.

use std::net::SocketAddr;
use std::time::Duration;

use projectionist_core::{Error, Result};

use crate::AdminToken;

/// Where the endpoint answers, and to whom.
#[derive(Clone, Debug)]
pub struct AdminConfig {
    /// The address it listens at; port 0 takes a free one.
    pub address: SocketAddr,
    /// The secret that requests must know; `None` for none, which only a loopback address may have.
    pub token: Option<AdminToken>,
    /// Names besides `localhost` and addresses under which browsers and scrapers reach it. A request
    /// whose Host header has another name is refused.
    pub hosts: Vec<String>,
    /// Its limits.
    pub limits: AdminLimits,
}

/// What one request and all of them together may take.
#[derive(Clone, Copy, Debug)]
pub struct AdminLimits {
    /// Connections at once; further ones wait to be accepted. Default 64.
    pub connections: usize,
    /// Longest body of a request, in bytes. Default 64 KiB.
    pub body_bytes: usize,
    /// Longest time for the head of a request, which is also how long a connection may be idle.
    /// Default 15 s.
    pub head: Duration,
    /// Longest time for an answer. A rebuild goes on behind its answer. Default 60 s.
    pub answer: Duration,
}

impl Default for AdminLimits {
    fn default() -> Self {
        Self {
            connections: 64,
            body_bytes: 64 << 10,
            head: Duration::from_secs(15),
            answer: Duration::from_secs(60),
        }
    }
}

impl AdminConfig {
    /// An endpoint at `address`, without a token and with the default limits.
    #[must_use]
    pub fn at(address: SocketAddr) -> Self {
        Self {
            address,
            token: None,
            hosts: Vec::new(),
            limits: AdminLimits::default(),
        }
    }

    /// Whether nobody but this machine may be answered under this configuration.
    ///
    /// # Errors
    /// [`Error::Configuration`] for an address off loopback without a token.
    pub fn check(&self) -> Result<()> {
        if self.token.is_some() || self.address.ip().is_loopback() {
            return Ok(());
        }
        Err(Error::Configuration {
            subject: format!("admin address {}", self.address),
            reason: "other machines reach this address, so it needs a token: name a file that \
                     holds one with --admin-token-file, set PROJECTIONIST_ADMIN_TOKEN, or listen \
                     at 127.0.0.1"
                .to_owned(),
        })
    }
}
