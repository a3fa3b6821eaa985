//! Whether a request that changes something comes from a page of this endpoint, or from no page.
//!
//! A page of a foreign site can make a browser send requests here. It cannot add a header of its own
//! or the content type of JSON to them without being asked about first, which is never allowed, and
//! the browser says where they come from.

use axum::http::HeaderMap;
use axum::http::header::{CONTENT_TYPE, HOST, ORIGIN};

use crate::{AdminError, ErrorCode};

/// The header that every request must carry that changes something; its value does not count.
pub const HEADER: &str = "x-projectionist";

const FETCH_SITE: &str = "sec-fetch-site";

pub(super) fn check(headers: &HeaderMap) -> Result<(), AdminError> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get(FETCH_SITE)
        && !matches!(site.as_bytes(), b"same-origin" | b"none")
    {
        return Err(foreign());
    }
    if headers.contains_key(ORIGIN) {
        let origin = text(ORIGIN.as_str()).and_then(|origin| origin.split_once("://"));
        let is_same = origin.is_some_and(|(scheme, host)| {
            matches!(scheme, "http" | "https")
                && text(HOST.as_str()).is_some_and(|ours| ours.eq_ignore_ascii_case(host))
        });
        if !is_same {
            return Err(foreign());
        }
    }
    if !headers.contains_key(HEADER) {
        return Err(AdminError::new(
            ErrorCode::Forbidden,
            "the request lacks the header X-Projectionist",
            "send `X-Projectionist: 1` with every POST",
        ));
    }
    let kind = text(CONTENT_TYPE.as_str()).and_then(|kind| kind.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        return Err(AdminError::new(
            ErrorCode::NotJson,
            "the body is not said to be JSON",
            "send `Content-Type: application/json`, and `{}` where there is nothing to say",
        ));
    }
    Ok(())
}

fn foreign() -> AdminError {
    AdminError::new(
        ErrorCode::Forbidden,
        "the request comes from a page of another site",
        "use the pages of this endpoint, or a program that is no browser",
    )
}
