//! Reads the parts of a request; what does not fit is answered as every other error is.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts};
use axum::http::StatusCode;

use crate::{AdminError, ErrorCode};

/// The body, as JSON.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(AdminError))]
pub(super) struct Body<T>(pub(super) T);

/// The parts of the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(AdminError))]
pub(super) struct Path<T>(pub(super) T);

/// The query.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(AdminError))]
pub(super) struct Query<T>(pub(super) T);

impl From<JsonRejection> for AdminError {
    fn from(rejection: JsonRejection) -> Self {
        let (code, advice) = match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => (ErrorCode::TooLarge, "send less at once"),
            StatusCode::UNPROCESSABLE_ENTITY => (
                ErrorCode::Unusable,
                "compare it with the schema in /api/openapi.json",
            ),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                (ErrorCode::NotJson, "send `Content-Type: application/json`")
            }
            _ => (
                ErrorCode::BadRequest,
                "send a JSON object, `{}` where there is nothing to say",
            ),
        };
        Self::new(code, rejection.body_text(), advice)
    }
}

impl From<PathRejection> for AdminError {
    fn from(rejection: PathRejection) -> Self {
        Self::not_found(
            rejection.body_text(),
            "look the address up in /api/openapi.json",
        )
    }
}

impl From<QueryRejection> for AdminError {
    fn from(rejection: QueryRejection) -> Self {
        Self::new(
            ErrorCode::BadRequest,
            rejection.body_text(),
            "look the parameters up in /api/openapi.json",
        )
    }
}
