//! The SQLite store: offsets, claims, dead letters and read models in one file.
//!
//! What a handler writes and the offset that passes it share one transaction of one file, so a
//! projection is exactly-once without any further care. [`SqliteStore`] is the handle,
//! [`SqliteTx`] the transaction that is lent to a handler:
//!
//! ```
//! use projectionist_core::contract::TransactionalOffsetStore;
//! use projectionist_core::{Claim, Commit, Offset, Result};
//! use projectionist_store_sqlite::SqliteStore;
//!
//! async fn count(store: &SqliteStore, claim: &Claim, next: Offset) -> Result<()> {
//!     let mut tx = store.begin(claim, None).await?;
//!     tx.execute("UPDATE totals SET events = events + ?1", [1])?;
//!     let commit = Commit { offset: Some(next), ..Commit::default() };
//!     store.commit_in(tx, claim, &commit).await
//! }
//! ```
//!
//! The store's own tables begin with `projectionist_`; everything else in the file belongs to the
//! read models and to whoever reads them. Any SQLite client may read while projections run.

mod connection;
mod data_version;
mod dead_letter_store;
mod declaration_store;
pub mod error;
mod file;
mod guard_versions;
mod known_rows;
mod lane_move;
mod lane_row;
mod management;
mod offset_store;
mod owner_report_store;
mod parked_store;
mod read_model;
mod rebuild_store;
mod schema;
mod scope_ids;
mod sequence_guard;
pub mod store;
pub mod transaction;
mod transaction_watch;
mod transactional_dead_letter_store;
mod view;
mod writer;

/// The SQLite library of this store, in the version whose types its methods take.
pub use rusqlite;

pub use error::statement_error;
pub use read_model::{WriteShapes, explain_new};
pub use store::{SqliteOptions, SqliteStore, Synchronous};
pub use transaction::SqliteTx;
pub use view::{KeptLetter, SqliteView, stored_value};
