//! The endpoint as a whole: bound first, then answering.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use projectionist_core::{Error, Result};
use projectionist_telemetry::Exporter;
use tokio::net::TcpListener;
use utoipa::openapi::OpenApi;

use crate::routes::{self, Shared};
use crate::watch::Watch;
use crate::{AdminConfig, AdminDesk, Pages, connections};

/// The endpoint, bound to its address and not answering yet.
pub struct AdminServer {
    listener: TcpListener,
    address: SocketAddr,
    config: AdminConfig,
}

impl AdminServer {
    /// Takes the address. Do so before projections start: what fails here fails early.
    ///
    /// # Errors
    /// [`Error::Configuration`] for an address that may not or cannot be listened at.
    pub async fn bind(config: AdminConfig) -> Result<Self> {
        config.check()?;
        let cannot = |error: std::io::Error| Error::Configuration {
            subject: format!("admin address {}", config.address),
            reason: format!("cannot listen there: {error}; choose another address with --admin"),
        };
        let listener = TcpListener::bind(config.address).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        Ok(Self {
            listener,
            address,
            config,
        })
    }

    /// Where it listens, with the port that it was given.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` is ready, and then until open answers have ended.
    pub async fn serve(
        self,
        desk: Arc<dyn AdminDesk>,
        metrics: Option<Exporter>,
        pages: Pages,
        stop: impl Future<Output = ()>,
    ) {
        let watch = Arc::new(Watch::new(Arc::clone(&desk)));
        let limits = self.config.limits;
        let shared = Shared::new(desk, Arc::clone(&watch), metrics, pages);
        let routes = routes::router(shared, self.config);
        tokio::select! {
            () = connections::answer(self.listener, routes, limits, stop) => {}
            () = watch.keep_reading() => {}
        }
    }
}

/// The OpenAPI document of the endpoint.
#[must_use]
pub fn openapi() -> OpenApi {
    routes::document()
}
