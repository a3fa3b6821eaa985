//! Keeps a lent transaction from being ended by the one who borrowed it.
//!
//! Two fences stand behind each other. The authorizer refuses a handler's statement while it is
//! prepared, so that nothing happens. The commit hook is for a transaction that ends in another
//! way (an `ON CONFLICT ROLLBACK`, an error after which SQLite rolls back by itself): from then on
//! each statement would commit alone, so every commit that is not the store's own is turned into a
//! rollback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use crate::read_model::names::is_own;

/// What the hooks of one connection and its owner tell each other. One thread at a time uses a
/// connection, so the flags order nothing.
#[derive(Debug, Default)]
pub(crate) struct TransactionWatch {
    /// A handler's statement is being prepared.
    preparing_for_handler: AtomicBool,
    /// The store itself commits.
    may_commit: AtomicBool,
}

impl TransactionWatch {
    /// Watches a connection. Statements before this are not watched.
    pub(crate) fn install(connection: &Connection) -> rusqlite::Result<Arc<Self>> {
        let watch = Arc::new(Self::default());
        let seen = Arc::clone(&watch);
        connection.authorizer(Some(move |context: AuthContext<'_>| seen.judge(&context)))?;
        let seen = Arc::clone(&watch);
        // The answer is whether to roll back.
        connection.commit_hook(Some(move || !seen.may_commit.load(Ordering::Relaxed)))?;
        Ok(watch)
    }

    /// Runs the store's own commit.
    pub(crate) fn committing<T>(&self, commit: impl FnOnce() -> T) -> T {
        self.may_commit.store(true, Ordering::Relaxed);
        let outcome = commit();
        self.may_commit.store(false, Ordering::Relaxed);
        outcome
    }

    /// Prepares a statement of a handler.
    pub(crate) fn preparing<T>(&self, prepare: impl FnOnce() -> T) -> T {
        self.preparing_for_handler.store(true, Ordering::Relaxed);
        let outcome = prepare();
        self.preparing_for_handler.store(false, Ordering::Relaxed);
        outcome
    }

    fn judge(&self, context: &AuthContext<'_>) -> Authorization {
        if self.preparing_for_handler.load(Ordering::Relaxed) && is_denied(&context.action) {
            Authorization::Deny
        } else {
            Authorization::Allow
        }
    }
}

fn is_denied(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Transaction { .. } | AuthAction::Attach { .. } | AuthAction::Detach { .. } => {
            true
        }
        AuthAction::Insert { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::Delete { table_name }
        | AuthAction::DropTable { table_name }
        | AuthAction::AlterTable { table_name, .. }
        | AuthAction::CreateTrigger { table_name, .. } => is_own(table_name),
        _ => false,
    }
}
