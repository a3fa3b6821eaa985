//! What SQLite's errors mean to the one who gets them.
//!
//! Whether trying again can help is decided here, where the code of the error is still known.

use projectionist_core::Error;
use rusqlite::ErrorCode;

/// What a failure of SQLite calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Something needed is away or busy: trying again helps.
    TryAgain,
    /// A row does not fit its table.
    ChangeRow,
    /// Nothing but a person helps.
    LookAtIt,
}

/// What a failure with this code calls for.
pub(crate) fn remedy(code: ErrorCode) -> Remedy {
    match code {
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::DiskFull
        | ErrorCode::SystemIoFailure
        | ErrorCode::OutOfMemory
        | ErrorCode::CannotOpen
        | ErrorCode::FileLockingProtocolFailed
        | ErrorCode::SchemaChanged
        | ErrorCode::OperationInterrupted
        | ErrorCode::OperationAborted => Remedy::TryAgain,
        ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig => {
            Remedy::ChangeRow
        }
        _ => Remedy::LookAtIt,
    }
}

/// The failure of something that the store itself wanted to do.
pub(crate) fn store_error(action: impl Into<String>, error: rusqlite::Error) -> Error {
    let retryable = error
        .sqlite_error_code()
        .is_some_and(|code| remedy(code) == Remedy::TryAgain);
    Error::Store {
        action: action.into(),
        retryable,
        source: error.into(),
    }
}

/// The failure to read a row that the store itself wrote.
pub(crate) fn read_error(what: &str, error: rusqlite::Error) -> Error {
    match error {
        rusqlite::Error::InvalidColumnType(..)
        | rusqlite::Error::IntegralValueOutOfRange(..)
        | rusqlite::Error::FromSqlConversionFailure(..)
        | rusqlite::Error::Utf8Error(..) => Error::Damaged {
            what: what.to_owned(),
            text: error.to_string(),
        },
        error => store_error(format!("read the {what}"), error),
    }
}

/// The failure of a statement of a handler. A row that breaks a constraint is the event's fault, a
/// busy or full disk is an outage; the rest is the handler's own.
///
/// Meant for statements that a handler got from
/// [`SqliteTx::prepare_cached`](crate::SqliteTx::prepare_cached) and ran itself.
#[must_use]
pub fn statement_error(error: rusqlite::Error) -> Error {
    let code = error.sqlite_error_code();
    if code.map(remedy) == Some(Remedy::ChangeRow) {
        return Error::Row {
            table: "written by the handler".to_owned(),
            reason: error.to_string(),
        };
    }
    if code == Some(ErrorCode::AuthorizationForStatementDenied) {
        return Error::Store {
            action: "run a statement of the handler".to_owned(),
            retryable: false,
            source: "the transaction is lent: a handler cannot begin, commit or roll back, attach \
                     databases, or write tables whose names begin with projectionist_"
                .into(),
        };
    }
    store_error("run a statement of the handler", error)
}

/// Numbers that SQLite keeps as 64-bit signed integers and that are never negative.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads such a number back from a column of `what`.
pub(crate) fn unsigned(what: &str, number: i64) -> projectionist_core::Result<u64> {
    u64::try_from(number).map_err(|_| Error::Damaged {
        what: what.to_owned(),
        text: number.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn failure(code: i32) -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)
    }

    #[test]
    fn every_code_has_its_remedy() {
        for (code, expected) in [
            (ffi::SQLITE_BUSY, Remedy::TryAgain),
            (ffi::SQLITE_BUSY_SNAPSHOT, Remedy::TryAgain),
            (ffi::SQLITE_LOCKED, Remedy::TryAgain),
            (ffi::SQLITE_FULL, Remedy::TryAgain),
            (ffi::SQLITE_IOERR, Remedy::TryAgain),
            (ffi::SQLITE_IOERR_FSYNC, Remedy::TryAgain),
            (ffi::SQLITE_NOMEM, Remedy::TryAgain),
            (ffi::SQLITE_CANTOPEN, Remedy::TryAgain),
            (ffi::SQLITE_PROTOCOL, Remedy::TryAgain),
            (ffi::SQLITE_SCHEMA, Remedy::TryAgain),
            (ffi::SQLITE_INTERRUPT, Remedy::TryAgain),
            (ffi::SQLITE_ABORT_ROLLBACK, Remedy::TryAgain),
            (ffi::SQLITE_CONSTRAINT, Remedy::ChangeRow),
            (ffi::SQLITE_CONSTRAINT_NOTNULL, Remedy::ChangeRow),
            (ffi::SQLITE_CONSTRAINT_DATATYPE, Remedy::ChangeRow),
            (ffi::SQLITE_MISMATCH, Remedy::ChangeRow),
            (ffi::SQLITE_TOOBIG, Remedy::ChangeRow),
            (ffi::SQLITE_NOTADB, Remedy::LookAtIt),
            (ffi::SQLITE_CORRUPT, Remedy::LookAtIt),
            (ffi::SQLITE_READONLY, Remedy::LookAtIt),
            (ffi::SQLITE_PERM, Remedy::LookAtIt),
            (ffi::SQLITE_AUTH, Remedy::LookAtIt),
            (ffi::SQLITE_MISUSE, Remedy::LookAtIt),
            (ffi::SQLITE_RANGE, Remedy::LookAtIt),
            (ffi::SQLITE_INTERNAL, Remedy::LookAtIt),
            (ffi::SQLITE_ERROR, Remedy::LookAtIt),
        ] {
            let found = failure(code).sqlite_error_code().map(remedy);
            assert_eq!(found, Some(expected), "code {code}");
            let retryable = store_error("try", failure(code)).is_retryable();
            assert_eq!(retryable, expected == Remedy::TryAgain, "code {code}");
        }
    }

    #[test]
    fn a_handler_learns_whose_fault_it_is() {
        let broken = statement_error(failure(ffi::SQLITE_CONSTRAINT_UNIQUE));
        assert!(matches!(broken, Error::Row { .. }), "{broken:?}");
        assert!(statement_error(failure(ffi::SQLITE_BUSY)).is_retryable());
        let denied = statement_error(failure(ffi::SQLITE_AUTH)).to_string();
        assert!(
            denied.contains("cannot begin, commit or roll back"),
            "{denied}"
        );
    }

    #[test]
    fn a_row_of_a_wrong_type_is_damaged_and_a_busy_file_is_not() {
        let wrong = rusqlite::Error::InvalidColumnType(0, "x".into(), rusqlite::types::Type::Blob);
        assert!(matches!(read_error("lane", wrong), Error::Damaged { .. }));
        assert!(read_error("lane", failure(ffi::SQLITE_BUSY)).is_retryable());
    }
}
