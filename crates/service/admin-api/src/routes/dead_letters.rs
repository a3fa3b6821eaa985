//! Dead letters: looked at, replayed, discarded.

use axum::Json;
use axum::extract::State;

use super::Desk;
use super::extract::{Body, Path, Query};
use crate::error::ErrorBody;
use crate::view::dead_letter::MAX_LETTERS;
use crate::view::{
    DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LettersDone,
    ReplayRequest,
};
use crate::{AdminError, ErrorCode};

/// Lists dead letters without their events, those that were kept first in front.
#[utoipa::path(get, path = "/api/dead-letters", tag = "dead letters", operation_id = "dead_letters",
    params(DeadLetterQuery),
    responses(
        (status = 200, description = "A page of them", body = DeadLetterPage),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn list(
    State(shared): Desk,
    Query(query): Query<DeadLetterQuery>,
) -> Result<Json<DeadLetterPage>, AdminError> {
    if !(1..=MAX_LETTERS).contains(&query.limit.unwrap_or(1)) {
        return Err(AdminError::new(
            ErrorCode::Unusable,
            "the limit is out of range",
            format!("ask for 1 to {MAX_LETTERS} letters and go on with `after`"),
        ));
    }
    Ok(Json(shared.desk.dead_letters(&query).await?))
}

/// Shows one dead letter with its event.
#[utoipa::path(get, path = "/api/dead-letters/{id}", tag = "dead letters", operation_id = "dead_letter",
    params(("id" = u64, Path, description = "The number of the letter")),
    responses(
        (status = 200, description = "The letter", body = DeadLetterView),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn show(
    State(shared): Desk,
    Path(id): Path<u64>,
) -> Result<Json<DeadLetterView>, AdminError> {
    Ok(Json(shared.desk.dead_letter(id).await?))
}

/// Applies the events of dead letters again, at most 500 at once.
#[utoipa::path(post, path = "/api/dead-letters/replay", tag = "dead letters", operation_id = "replay",
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "What became of each", body = LettersDone),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn replay(
    State(shared): Desk,
    Body(request): Body<ReplayRequest>,
) -> Result<Json<LettersDone>, AdminError> {
    check(&request.selection())?;
    Ok(Json(shared.desk.replay(&request).await?))
}

/// Gives dead letters up, at most 500 at once: they go, and their events count as skipped.
#[utoipa::path(post, path = "/api/dead-letters/discard", tag = "dead letters", operation_id = "discard",
    request_body = DeadLetterSelection,
    responses(
        (status = 200, description = "What became of each", body = LettersDone),
        (status = "default", description = "An error", body = ErrorBody)))]
pub(super) async fn discard(
    State(shared): Desk,
    Body(selection): Body<DeadLetterSelection>,
) -> Result<Json<LettersDone>, AdminError> {
    check(&selection)?;
    Ok(Json(shared.desk.discard(&selection).await?))
}

/// Nobody means all letters of the store by saying nothing.
fn check(selection: &DeadLetterSelection) -> Result<(), AdminError> {
    let DeadLetterSelection {
        ids,
        projection,
        key,
    } = selection;
    if ids.is_empty() && projection.is_none() && key.is_none() {
        return Err(AdminError::new(
            ErrorCode::Unusable,
            "the request does not say which letters are meant",
            "name `ids`, a `projection` or a `key`",
        ));
    }
    if ids.len() > MAX_LETTERS as usize {
        return Err(AdminError::new(
            ErrorCode::Unusable,
            format!("{} numbers are too many", ids.len()),
            format!("name at most {MAX_LETTERS} at once"),
        ));
    }
    Ok(())
}
