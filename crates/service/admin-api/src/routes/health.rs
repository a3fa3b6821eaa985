//! Whether the process lives and does what it should, and its metrics.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use projectionist_telemetry::Exporter;

use super::Desk;
use crate::error::ErrorBody;
use crate::view::Readiness;
use crate::{AdminError, ErrorCode};

/// Says that the process lives. Needs no token.
#[utoipa::path(get, path = "/healthz", tag = "endpoint", operation_id = "healthz", security(()),
    responses((status = 200, description = "The process lives", body = String, content_type = "text/plain")))]
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Says whether every projection that runs in this process moves.
#[utoipa::path(get, path = "/readyz", tag = "endpoint", operation_id = "readyz",
    responses(
        (status = 200, description = "All of them move", body = Readiness),
        (status = 503, description = "One has failed or is stalled; or the store is away (then the body is an error)", body = Readiness),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn readyz(State(shared): Desk) -> Result<Response, AdminError> {
    let overview = shared.watch.overview().await?;
    let readiness = Readiness::of(overview.lanes.iter().map(|lane| &lane.status));
    let status = match readiness.ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    Ok((status, Json(readiness)).into_response())
}

/// Gives the metrics of the process in Prometheus' text format.
#[utoipa::path(get, path = "/metrics", tag = "endpoint", operation_id = "metrics",
    responses(
        (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn metrics(State(shared): Desk) -> Result<Response, AdminError> {
    let Some(exporter) = &shared.metrics else {
        return Err(AdminError::new(
            ErrorCode::NotSupported,
            "this process counts no metrics",
            "install an exporter before projections start",
        ));
    };
    // Lags are measured when somebody asks for them; the answer itself is not needed.
    let _ = shared.watch.overview().await;
    let kind = [(CONTENT_TYPE, Exporter::CONTENT_TYPE)];
    Ok((kind, exporter.render()).into_response())
}
