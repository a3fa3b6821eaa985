//! Refuses requests that must not be answered, before anything else looks at them.
//!
//! In this order: the Host header ([`host`]), the token ([`bearer`]), and for what changes something
//! where the request comes from ([`origin`]). Every answer carries [`headers`] for browsers.

pub mod bearer;
pub mod headers;
pub mod host;
pub mod origin;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::{AdminConfig, AdminError, ErrorCode};

/// The address that everybody may ask: it says that the process lives, and nothing else.
pub const PUBLIC: &str = "/healthz";

/// What the guard needs to know.
#[derive(Debug)]
pub(crate) struct Guard {
    config: AdminConfig,
}

impl Guard {
    pub(crate) fn new(config: AdminConfig) -> Self {
        Self { config }
    }

    fn check(&self, request: &Request) -> Result<(), AdminError> {
        let path = request.uri().path();
        if path == PUBLIC {
            return Ok(());
        }
        let headers = request.headers();
        host::check(headers, &self.config)?;
        if !is_page(path)
            && let Some(token) = &self.config.token
        {
            bearer::check(headers, token)?;
        }
        if request.method() != Method::GET && request.method() != Method::HEAD {
            origin::check(headers)?;
        }
        Ok(())
    }
}

/// Whether the path is that of a page: a browser loads those without a token, to ask for one.
fn is_page(path: &str) -> bool {
    !(path.starts_with("/api/") || path == "/api" || path == "/metrics" || path == "/readyz")
}

/// Refuses, or lets the request through and bounds the time of its answer.
pub(crate) async fn guard(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let may_be_kept = is_page(request.uri().path());
    let mut response = match guard.check(&request) {
        Err(refused) => refused.into_response(),
        Ok(()) => {
            let within = guard.config.limits.answer;
            let answer = tokio::time::timeout(within, next.run(request)).await;
            answer.unwrap_or_else(|_| too_late(within).into_response())
        }
    };
    headers::add(response.headers_mut(), may_be_kept);
    response
}

fn too_late(within: std::time::Duration) -> AdminError {
    AdminError::new(
        ErrorCode::TimedOut,
        format!("the answer was not ready within {} s", within.as_secs()),
        "look whether it was done meanwhile, then repeat the request",
    )
}
