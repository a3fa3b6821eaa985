//! Gives standard input to every projection.

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

/// What a projection may be behind the fastest one, in bytes. All read at the pace of the slowest.
const LEEWAY_BYTES: usize = 1 << 20;

/// How much is read at once, in bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// Copies standard input to as many readers as there are projections. A reader whose projection
/// has ended is left out; an error of standard input ends all of them as the end does, after it is
/// told.
pub(super) fn copies(count: usize) -> Vec<DuplexStream> {
    let (writers, readers): (Vec<_>, Vec<_>) = (0..count).map(|_| duplex(LEEWAY_BYTES)).unzip();
    tokio::spawn(copy(writers));
    readers
}

async fn copy(mut writers: Vec<DuplexStream>) {
    let mut input = tokio::io::stdin();
    let mut block = vec![0; BLOCK_BYTES];
    while !writers.is_empty() {
        let length = match input.read(&mut block).await {
            Ok(0) => return,
            Ok(length) => length,
            Err(error) => {
                eprintln!("cannot read standard input any further: {error}");
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
