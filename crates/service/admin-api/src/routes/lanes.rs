//! Commands to lanes.

use axum::Json;
use axum::extract::State;

use super::Desk;
use super::extract::{Body, Path};
use crate::AdminError;
use crate::error::ErrorBody;
use crate::view::{Done, OffsetSet, PauseRequest, SkipRequest, Skipped};

/// Pauses a lane, or all lanes of its name, until it is resumed, also across restarts.
#[utoipa::path(post, path = "/api/projections/{name}/{key}/pause", tag = "commands", operation_id = "pause",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    request_body = PauseRequest,
    responses(
        (status = 200, description = "The flag is stored; the owner obeys within a second", body = Done),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn pause(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
    Body(request): Body<PauseRequest>,
) -> Result<Json<Done>, AdminError> {
    shared.desk.pause(&name, &key, request.scope).await?;
    Ok(Json(Done::YES))
}

/// Lifts the pause of a lane, or that of all lanes of its name.
#[utoipa::path(post, path = "/api/projections/{name}/{key}/resume", tag = "commands", operation_id = "resume",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    request_body = PauseRequest,
    responses(
        (status = 200, description = "The flag is lifted; the owner obeys within a second", body = Done),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn resume(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
    Body(request): Body<PauseRequest>,
) -> Result<Json<Done>, AdminError> {
    shared.desk.resume(&name, &key, request.scope).await?;
    Ok(Json(Done::YES))
}

/// Passes over the envelope that cannot be handled now; it is counted, and kept as a dead letter.
#[utoipa::path(post, path = "/api/projections/{name}/{key}/skip", tag = "commands", operation_id = "skip",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    request_body = SkipRequest,
    responses(
        (status = 200, description = "It is stored", body = Skipped),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn skip(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
    Body(request): Body<SkipRequest>,
) -> Result<Json<Skipped>, AdminError> {
    let offset = shared.desk.skip(&name, &key, request.at.as_deref()).await?;
    Ok(Json(Skipped { offset }))
}

/// Moves a lane to behind an offset: what follows is handled, again or for the first time.
#[utoipa::path(post, path = "/api/projections/{name}/{key}/offset/set", tag = "commands", operation_id = "set_offset",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    request_body = OffsetSet,
    responses(
        (status = 200, description = "It is moved", body = Done),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn set_offset(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
    Body(OffsetSet { to, expected }): Body<OffsetSet>,
) -> Result<Json<Done>, AdminError> {
    let expected = expected.as_deref().map(Some);
    let moved = shared.desk.move_lane(&name, &key, expected, Some(&to));
    moved.await?;
    Ok(Json(Done::YES))
}

/// Moves a lane to its beginning: everything is handled again.
#[utoipa::path(post, path = "/api/projections/{name}/{key}/offset/clear", tag = "commands", operation_id = "clear_offset",
    params(("name" = String, Path, description = "The name of the projection"),
           ("key" = String, Path, description = "The key of the lane")),
    request_body = NoWishes,
    responses(
        (status = 200, description = "It is moved", body = Done),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn clear_offset(
    State(shared): Desk,
    Path((name, key)): Path<(String, String)>,
    Body(NoWishes {}): Body<NoWishes>,
) -> Result<Json<Done>, AdminError> {
    shared.desk.move_lane(&name, &key, None, None).await?;
    Ok(Json(Done::YES))
}

/// An empty object: there is nothing to say.
#[derive(Debug, serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoWishes {}
