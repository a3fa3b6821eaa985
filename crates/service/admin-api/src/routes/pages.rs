//! The pages for browsers.

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Uri};
use axum::response::{IntoResponse, Response};

use super::Desk;
use crate::AdminError;

pub(super) async fn page(
    State(shared): Desk,
    method: Method,
    uri: Uri,
) -> Result<Response, AdminError> {
    if method != Method::GET && method != Method::HEAD {
        return Err(super::wrong_method().await);
    }
    match (shared.pages)(uri.path()) {
        Some(page) => Ok(([(CONTENT_TYPE, page.content_type)], page.body).into_response()),
        None => Err(AdminError::not_found(
            "there is nothing at this address",
            "begin at / or at /api/openapi.json",
        )),
    }
}
