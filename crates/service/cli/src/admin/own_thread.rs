//! Work on the store, where it holds up nobody: SQLite works in place and may wait for writers.

use std::future::Future;

use projectionist_admin_api::{AdminError, DeskAnswer, ErrorCode};
use tokio::runtime::Handle;

use crate::exit::Failure;

/// Does it on a thread for work that blocks. It goes on when nobody waits for it any more.
pub(super) fn on_own_thread<T, E, W>(
    work: impl FnOnce() -> W + Send + 'static,
) -> DeskAnswer<'static, T>
where
    T: Send + 'static,
    E: IntoAdminError + Send + 'static,
    W: Future<Output = Result<T, E>>,
{
    Box::pin(async move {
        let runtime = Handle::current();
        let ended = tokio::task::spawn_blocking(move || runtime.block_on(work())).await;
        let worked = ended.map_err(|_| {
            AdminError::new(
                ErrorCode::Internal,
                "the command broke off",
                "look at the log of the process, then at the state of the projection",
            )
        })?;
        worked.map_err(IntoAdminError::into_admin_error)
    })
}

/// What can be answered as an error.
pub(super) trait IntoAdminError {
    fn into_admin_error(self) -> AdminError;
}

impl IntoAdminError for projectionist_core::Error {
    fn into_admin_error(self) -> AdminError {
        AdminError::from(self)
    }
}

impl IntoAdminError for AdminError {
    fn into_admin_error(self) -> AdminError {
        self
    }
}

impl IntoAdminError for Failure {
    fn into_admin_error(self) -> AdminError {
        let (code, advice) = match self.is_usage() {
            true => (ErrorCode::Unusable, "correct the request"),
            false => (ErrorCode::Conflict, "look at the state of the projection"),
        };
        AdminError::new(code, self.message(), advice)
    }
}
