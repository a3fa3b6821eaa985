//! Rebuilds: begun, watched, given up, reverted.

use axum::Json;
use axum::extract::State;

use super::extract::{Body, Path};
use super::lanes::NoWishes;
use super::{Desk, Shared};
use crate::error::ErrorBody;
use crate::view::{RebuildStart, RebuildView};
use crate::{AdminError, ErrorCode};

/// Shows how far the rebuild of a projection is, or how its last one ended.
#[utoipa::path(get, path = "/api/rebuilds/{name}", tag = "rebuilds", operation_id = "rebuild",
    params(("name" = String, Path, description = "The name of the projection")),
    responses(
        (status = 200, description = "The rebuild", body = RebuildView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn progress(
    State(shared): Desk,
    Path(name): Path<String>,
) -> Result<Json<RebuildView>, AdminError> {
    check(&shared)?;
    Ok(Json(shared.desk.rebuild(&name).await?))
}

/// Begins to rebuild a projection beside its table, which is replaced when it has caught up.
#[utoipa::path(post, path = "/api/rebuilds/{name}/start", tag = "rebuilds", operation_id = "start_rebuild",
    params(("name" = String, Path, description = "The name of the projection")),
    request_body = RebuildStart,
    responses(
        (status = 200, description = "It has begun", body = RebuildView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn start(
    State(shared): Desk,
    Path(name): Path<String>,
    Body(how): Body<RebuildStart>,
) -> Result<Json<RebuildView>, AdminError> {
    check(&shared)?;
    Ok(Json(shared.desk.start_rebuild(&name, &how).await?))
}

/// Gives up a rebuild that is under way; the table in use is not touched.
#[utoipa::path(post, path = "/api/rebuilds/{name}/abort", tag = "rebuilds", operation_id = "abort_rebuild",
    params(("name" = String, Path, description = "The name of the projection")),
    request_body = NoWishes,
    responses(
        (status = 200, description = "It is given up", body = RebuildView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn abort(
    State(shared): Desk,
    Path(name): Path<String>,
    Body(NoWishes {}): Body<NoWishes>,
) -> Result<Json<RebuildView>, AdminError> {
    check(&shared)?;
    Ok(Json(shared.desk.abort_rebuild(&name).await?))
}

/// Puts back the table that the last rebuild has replaced.
#[utoipa::path(post, path = "/api/rebuilds/{name}/revert", tag = "rebuilds", operation_id = "revert_rebuild",
    params(("name" = String, Path, description = "The name of the projection")),
    request_body = NoWishes,
    responses(
        (status = 200, description = "It is back", body = RebuildView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn revert(
    State(shared): Desk,
    Path(name): Path<String>,
    Body(NoWishes {}): Body<NoWishes>,
) -> Result<Json<RebuildView>, AdminError> {
    check(&shared)?;
    Ok(Json(shared.desk.revert_rebuild(&name).await?))
}

fn check(shared: &Shared) -> Result<(), AdminError> {
    if shared.desk.rebuilds() {
        return Ok(());
    }
    Err(AdminError::new(
        ErrorCode::NotSupported,
        "this process cannot rebuild projections",
        "run into a new target instead",
    ))
}
