//! Handlers whose effects outlive a kill.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use projectionist::BoxError;
use projectionist::contract::{
    Context, GroupContext, GroupedHandler, GroupedTransactionalHandler, Handler, HandlerResult,
    Settlement, SettlingHandler, TransactionalHandler,
};
use projectionist::sqlite::SqliteTx;

use crate::mode::Mode;
use crate::points::{Point, Teller};

/// Appends a line for each event to a file of its own: an effect that no offset knows of.
pub(crate) struct Log {
    file: File,
    mode: Mode,
    teller: Teller,
}

impl Log {
    pub(crate) fn append_to(path: &Path, mode: Mode, teller: &Teller) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path);
        Self {
            file: file.unwrap(),
            mode,
            teller: teller.clone(),
        }
    }

    /// One write an event: a kill leaves whole lines.
    pub(crate) fn append(&mut self, event: u64) -> HandlerResult {
        self.file.write_all(format!("{event}\n").as_bytes())?;
        self.teller.reach(Point::Handled);
        Ok(())
    }
}

impl Handler<u64> for Log {
    async fn process(&mut self, event: &u64, _: &Context<'_>) -> HandlerResult {
        self.append(*event)
    }
}

impl SettlingHandler<u64> for Log {
    async fn process(&mut self, event: &u64, _: &Context<'_>) -> Result<Settlement, BoxError> {
        self.append(*event)?;
        if self.mode.drops(*event) {
            let reason = "it is to be dropped".to_owned();
            return Ok(Settlement::Drop { reason });
        }
        Ok(Settlement::Ack)
    }
}

impl GroupedHandler<u64> for Log {
    async fn process(&mut self, group: &[u64], _: GroupContext<'_>) -> HandlerResult {
        group.iter().try_for_each(|event| self.append(*event))
    }
}

/// Appends each event to a table, in the transaction that it is lent.
pub(crate) struct Rows {
    teller: Teller,
}

/// The table that [`Rows`] writes.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS seen (place INTEGER PRIMARY KEY, event INTEGER)";

/// Appends an event behind all others.
const APPEND: &str = "INSERT INTO seen (event) VALUES (?1)";

impl Rows {
    pub(crate) fn new(teller: &Teller) -> Self {
        let teller = teller.clone();
        Self { teller }
    }

    fn append(&self, tx: &mut SqliteTx, events: &[u64]) -> HandlerResult {
        tx.execute(TABLE, [])?;
        for event in events {
            tx.execute(APPEND, [i64::try_from(*event)?])?;
            self.teller.reach(Point::Handled);
        }
        Ok(())
    }
}

impl TransactionalHandler<u64, SqliteTx> for Rows {
    async fn process(&mut self, tx: &mut SqliteTx, event: &u64, _: &Context<'_>) -> HandlerResult {
        self.append(tx, std::slice::from_ref(event))
    }
}

impl GroupedTransactionalHandler<u64, SqliteTx> for Rows {
    async fn process(
        &mut self,
        tx: &mut SqliteTx,
        group: &[u64],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        self.append(tx, group)
    }
}
