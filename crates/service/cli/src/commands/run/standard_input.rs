//! Gives standard input to every projection.

use std::sync::{Arc, OnceLock};

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use crate::exit::Failure;

/// What a projection may be behind the fastest one, in bytes. All read at the pace of the slowest.
const LEEWAY_BYTES: usize = 1 << 20;

/// How much is read at once, in bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// Why standard input could not be read to its end.
#[derive(Clone, Debug, Default)]
pub(super) struct InputError(Arc<OnceLock<std::io::Error>>);

impl InputError {
    /// Fails when standard input did. Complete once all that read it have ended.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.0.get() {
            None => Ok(()),
            Some(error) => Err(Failure::at_run_time(format!(
                "cannot read standard input any further: {error}"
            ))),
        }
    }
}

/// Copies standard input to as many readers as there are projections. A reader whose projection
/// has ended is left out; an error of standard input ends all of them as the end does, after it is
/// kept in `failed`.
pub(super) fn copies(count: usize, failed: &InputError) -> Vec<DuplexStream> {
    let (writers, readers): (Vec<_>, Vec<_>) = (0..count).map(|_| duplex(LEEWAY_BYTES)).unzip();
    tokio::spawn(copy(writers, failed.clone()));
    readers
}

async fn copy(mut writers: Vec<DuplexStream>, failed: InputError) {
    let mut input = tokio::io::stdin();
    let mut block = vec![0; BLOCK_BYTES];
    while !writers.is_empty() {
        let length = match input.read(&mut block).await {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) => {
                // Before the writers go, which lets the projections end.
                let _ = failed.0.set(error);
                return;
            }
        };
        let mut open = Vec::with_capacity(writers.len());
        for mut writer in writers {
            if writer.write_all(&block[..length]).await.is_ok() {
                open.push(writer);
            }
        }
        writers = open;
    }
}
