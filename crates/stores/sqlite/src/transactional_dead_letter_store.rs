//! Settles dead letters in a transaction: the letter, and the counters of its lane.

use std::sync::LazyLock;

use projectionist_core::contract::{StoredDeadLetter, TransactionalDeadLetterStore};
use projectionist_core::counters::COUNTER_NAMES;
use projectionist_core::{
    Counters, DeadLetterFate, DeadLetterId, DeadLetterOrigin, Defect, Result, Timestamp,
};
use rusqlite::Connection;

use crate::dead_letter_store::read_one;
use crate::error::{signed, store_error};
use crate::{SqliteStore, SqliteTx};

/// The parameters of [`COUNT_ANEW`] before the counters.
const COUNT_PARAMETERS: usize = 3;

/// Counts one dead letter of a lane less, and what its event counts as now.
static COUNT_ANEW: LazyLock<String> = LazyLock::new(|| {
    let mut text = "UPDATE projectionist_lanes SET updated_at = ?3".to_owned();
    for (index, name) in COUNTER_NAMES.iter().enumerate() {
        let parameter = COUNT_PARAMETERS + 1 + index;
        let most = i64::MAX;
        let held = match *name {
            "dead_lettered" => "max(dead_lettered - 1, 0)".to_owned(),
            name => format!("\"{name}\""),
        };
        text.push_str(&format!(
            r#", "{name}" = min({held}, {most} - ?{parameter}) + ?{parameter}"#
        ));
    }
    text.push_str(" WHERE name = ?1 AND key = ?2");
    text
});

// The names begin as the store's own tables do, so that no savepoint of a handler is met.
const SAVEPOINT: &str = "SAVEPOINT projectionist_letter";
const RELEASE: &str = "RELEASE projectionist_letter";
const TAKE_BACK: &str = "ROLLBACK TO projectionist_letter";

impl TransactionalDeadLetterStore for SqliteStore {
    async fn begin_settling(&self) -> Result<SqliteTx> {
        let mut writer = self.file.writer().await;
        writer.begin()?;
        Ok(SqliteTx { writer })
    }

    async fn letter_in(
        &self,
        tx: &mut SqliteTx,
        id: DeadLetterId,
    ) -> Result<Option<StoredDeadLetter>> {
        tx.check_open()?;
        read_one(&tx.writer.connection, id)
    }

    async fn settle_in(
        &self,
        tx: &mut SqliteTx,
        id: DeadLetterId,
        fate: &DeadLetterFate,
    ) -> Result<bool> {
        tx.check_open()?;
        let connection = &tx.writer.connection;
        let Some(stored) = read_one(connection, id)? else {
            return Ok(false);
        };
        let failed = |error| store_error(format!("settle dead letter {id}"), error);
        match fate {
            DeadLetterFate::FailedAgain { defect, at } => {
                keep_again(connection, id, defect, *at).map_err(failed)?;
            }
            DeadLetterFate::Settled(counters) => {
                remove(connection, id).map_err(failed)?;
                if stored.letter.origin == DeadLetterOrigin::Projection {
                    count_anew(connection, &stored, counters, self.clock.now()).map_err(failed)?;
                }
            }
        }
        Ok(true)
    }

    async fn set_savepoint(&self, tx: &mut SqliteTx) -> Result<()> {
        run(tx, SAVEPOINT)
    }

    async fn keep_savepoint(&self, tx: &mut SqliteTx) -> Result<()> {
        run(tx, RELEASE)
    }

    async fn undo_savepoint(&self, tx: &mut SqliteTx) -> Result<()> {
        run(tx, TAKE_BACK)?;
        // Tables and scopes that were made since are gone. What is known of others is only read
        // again.
        tx.writer.tables.rolled_back();
        tx.writer.scopes.rolled_back();
        run(tx, RELEASE)
    }

    async fn commit_settled(&self, mut tx: SqliteTx) -> Result<()> {
        tx.check_open()?;
        tx.writer.commit()
    }
}

fn run(tx: &SqliteTx, statement: &str) -> Result<()> {
    tx.check_open()?;
    let connection = &tx.writer.connection;
    connection
        .prepare_cached(statement)
        .and_then(|mut statement| statement.raw_execute())
        .map_err(|error| store_error("part the transaction of a dead letter", error))?;
    Ok(())
}

fn remove(connection: &Connection, id: DeadLetterId) -> rusqlite::Result<()> {
    let text = "DELETE FROM projectionist_dead_letters WHERE id = ?1";
    connection.prepare_cached(text)?.execute([signed(id.0)])?;
    Ok(())
}

fn keep_again(
    connection: &Connection,
    id: DeadLetterId,
    defect: &Defect,
    at: Timestamp,
) -> rusqlite::Result<()> {
    // One more than the largest count would not be read back.
    let most = u32::MAX;
    let text = format!(
        "UPDATE projectionist_dead_letters SET class = ?2, error = ?3, field = ?4, value = ?5,
             attempts = min(attempts + 1, {most}), failed_at = ?6
         WHERE id = ?1"
    );
    connection.prepare_cached(&text)?.execute((
        signed(id.0),
        defect.class.name(),
        &defect.error,
        defect.field.as_deref(),
        defect.value.as_deref(),
        at.unix_millis,
    ))?;
    Ok(())
}

fn count_anew(
    connection: &Connection,
    stored: &StoredDeadLetter,
    counters: &Counters,
    now: Timestamp,
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(&COUNT_ANEW)?;
    statement.raw_bind_parameter(1, &stored.projection)?;
    statement.raw_bind_parameter(2, &stored.key)?;
    statement.raw_bind_parameter(3, now.unix_millis)?;
    for (index, count) in counters.values().iter().enumerate() {
        statement.raw_bind_parameter(COUNT_PARAMETERS + 1 + index, signed(*count))?;
    }
    statement.raw_execute()?;
    Ok(())
}
