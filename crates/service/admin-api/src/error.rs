//! Why a request was not done, as it is answered.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use projectionist_core::Error;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What kind of fault it is, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request cannot be understood. Status 400.
    BadRequest,
    /// The token is missing or is another one. Status 401.
    Unauthorized,
    /// The request comes from where it must not come from. Status 403.
    Forbidden,
    /// There is no such address, projection or letter. Status 404.
    NotFound,
    /// The address takes another method. Status 405.
    MethodNotAllowed,
    /// The state of the projection does not allow it now. Status 409.
    Conflict,
    /// The body is longer than the endpoint reads. Status 413.
    TooLarge,
    /// The body is not said to be JSON. Status 415.
    NotJson,
    /// The Host header names somebody else. Status 421.
    WrongHost,
    /// A value cannot be used. Status 422.
    Unusable,
    /// Something in the endpoint failed that should not. Status 500.
    Internal,
    /// This process cannot do it. Status 501.
    NotSupported,
    /// The store is away or busy. Status 503.
    Unavailable,
    /// It was not done in time. Status 504.
    TimedOut,
}

impl ErrorCode {
    fn status(self) -> StatusCode {
        match self {
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::NotJson => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::WrongHost => StatusCode::MISDIRECTED_REQUEST,
            Self::Unusable => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::NotSupported => StatusCode::NOT_IMPLEMENTED,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            Self::TimedOut => StatusCode::GATEWAY_TIMEOUT,
        }
    }
}

/// Why a request was not done, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, thiserror::Error)]
#[error("{message}; {advice}")]
pub struct AdminError {
    /// What kind of fault it is.
    pub code: ErrorCode,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

/// The body of every answer that is no success.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// Why it was not done.
    pub(crate) error: AdminError,
}

impl AdminError {
    /// An error of that kind.
    pub fn new(code: ErrorCode, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            advice: advice.into(),
        }
    }

    /// There is no such thing.
    pub fn not_found(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, message, advice)
    }

    /// It cannot be done in the present state.
    pub fn conflict(message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(ErrorCode::Conflict, message, advice)
    }
}

impl From<Error> for AdminError {
    fn from(error: Error) -> Self {
        Self::from(&error)
    }
}

impl From<&Error> for AdminError {
    fn from(error: &Error) -> Self {
        let (code, advice) = match error {
            Error::Refused { .. } | Error::Held { .. } => {
                (ErrorCode::Conflict, "look at the projection's state")
            }
            Error::Ended(_) | Error::Fenced { .. } | Error::UnexpectedOffset { .. } => (
                ErrorCode::Conflict,
                "load the projection again, then repeat the command",
            ),
            Error::Configuration { .. }
            | Error::ForeignOffset { .. }
            | Error::OffsetCodec { .. } => (ErrorCode::Unusable, "correct the value"),
            Error::Store { .. } => (
                ErrorCode::Unavailable,
                "repeat the command; if that does not help, look at the log of the process",
            ),
            _ => (ErrorCode::Internal, "look at the log of the process"),
        };
        Self::new(code, error.to_string(), advice)
    }
}

impl IntoResponse for AdminError {
    fn into_response(self) -> Response {
        (self.code.status(), Json(ErrorBody { error: self })).into_response()
    }
}
