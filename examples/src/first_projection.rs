//! A first projection in code: words of a growing file, counted exactly once in SQLite.
//!
//! The handler writes through the transaction that also moves the offset, so a crash at any moment
//! counts no word twice and loses none. Run it twice: the second run reads nothing again.

use std::error::Error;
use std::path::Path;

use bytes::Bytes;
use projectionist::contract::{
    EventCodec, GroupContext, GroupedTransactionalHandler, HandlerResult, Mode,
};
use projectionist::file::{FileEnvelope, FileSource};
use projectionist::sqlite::{SqliteOptions, SqliteStore, SqliteTx};
use projectionist::{Projection, ProjectionId, ProjectionRuntime};

/// Lines that hold one word each.
pub struct Words;

impl EventCodec for Words {
    type Event = String;
    type Scratch = ();

    fn decode(&self, (): &mut (), record: Bytes) -> Result<String, String> {
        String::from_utf8(record.into()).map_err(|error| error.to_string())
    }

    fn encode(&self, word: &String, out: &mut Vec<u8>) {
        out.extend_from_slice(word.as_bytes());
    }
}

/// Counts words in a table of its own.
pub struct CountWords;

impl GroupedTransactionalHandler<FileEnvelope<String>, SqliteTx> for CountWords {
    async fn process(
        &mut self,
        tx: &mut SqliteTx,
        group: &[FileEnvelope<String>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        tx.execute(
            "CREATE TABLE IF NOT EXISTS words (word TEXT PRIMARY KEY, count INTEGER NOT NULL)",
            [],
        )?;
        for envelope in group {
            tx.execute(
                "INSERT INTO words VALUES (?1, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                [envelope.event()],
            )?;
        }
        Ok(())
    }
}

/// Counts the words of `file` that were not counted before into the SQLite file `views`.
pub async fn count_words(file: &Path, views: &Path) -> Result<(), Box<dyn Error + Send + Sync>> {
    let projection = Projection::grouped_exactly_once(
        ProjectionId::new("words", "all")?,
        FileSource::new(file, Words),
        SqliteStore::open(views, SqliteOptions::default())?,
        || CountWords,
    )
    .with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection)?;
    handle.wait().await?;
    Ok(())
}
