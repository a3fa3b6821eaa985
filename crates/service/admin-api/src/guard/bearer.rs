//! Whether a request knows the token.

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

use crate::{AdminError, AdminToken, ErrorCode};

/// The scheme in front of the token; its case does not count.
const SCHEME: &str = "bearer";

pub(super) fn check(headers: &HeaderMap, token: &AdminToken) -> Result<(), AdminError> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, second) = (given.next(), given.next());
    let known = first
        .filter(|_| second.is_none())
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(SCHEME))
        .is_some_and(|(_, secret)| token.is(secret.trim()));
    if known {
        return Ok(());
    }
    Err(AdminError::new(
        ErrorCode::Unauthorized,
        "the request does not carry the admin token",
        "send it as `Authorization: Bearer TOKEN`",
    ))
}
