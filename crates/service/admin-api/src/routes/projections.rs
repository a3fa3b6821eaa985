//! What lanes do and did.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Desk;
use super::extract::{Path, Query};
use crate::AdminError;
use crate::error::ErrorBody;
use crate::view::{History, LaneHistory, LaneView, Overview};

/// Lists all lanes of the store. Read at most once a second, however many ask.
#[utoipa::path(get, path = "/api/projections", tag = "projections", operation_id = "projections",
    responses(
        (status = 200, description = "All lanes, ordered by name and key", body = Overview),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn list(State(shared): Desk) -> Result<Json<Overview>, AdminError> {
    let overview = shared.watch.overview().await?;
    Ok(Json(Overview::clone(&overview)))
}

/// Shows one lane.
#[utoipa::path(get, path = "/api/projections/{name}/{key}", tag = "projections", operation_id = "projection",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    responses(
        (status = 200, description = "The lane", body = LaneView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn one(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
) -> Result<Json<LaneView>, AdminError> {
    let overview = shared.watch.overview().await?;
    let is_it = |lane: &&LaneView| lane.status.name == name && lane.status.key == key;
    let lane = overview.lanes.iter().find(is_it).cloned();
    lane.map(Json).ok_or_else(|| unknown(&name, &key))
}

/// Says since when a history is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Since {
    /// Unix milliseconds. Default: all that is kept, which is 15 minutes.
    since_ms: Option<i64>,
}

/// Shows what all lanes did in the last minutes.
#[utoipa::path(get, path = "/api/history", tag = "projections", operation_id = "history",
    params(Since),
    responses(
        (status = 200, description = "Their samples", body = History),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn history(
    State(shared): Desk,
    Query(Since { since_ms }): Query<Since>,
) -> Result<Json<History>, AdminError> {
    let history = shared.watch.history(since_ms.unwrap_or(i64::MIN)).await?;
    Ok(Json(history))
}

/// Shows what one lane did in the last 15 minutes.
#[utoipa::path(get, path = "/api/projections/{name}/{key}/history", tag = "projections", operation_id = "projection_history",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    responses(
        (status = 200, description = "Its samples", body = LaneHistory),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn lane_history(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
) -> Result<Json<LaneHistory>, AdminError> {
    let history = shared.watch.lane_history(&name, &key).await?;
    history.map(Json).ok_or_else(|| unknown(&name, &key))
}

fn unknown(name: &str, key: &str) -> AdminError {
    AdminError::not_found(
        format!("nobody has run a projection `{name}` with the key `{key}`"),
        "look at /api/projections for those that are there",
    )
}
