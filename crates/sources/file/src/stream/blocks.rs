//! Reads a stream as it comes.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use projectionist_core::{Error, Result};
use tokio::io::AsyncRead;
use tokio_util::io::poll_read_buf;

use super::StreamPosition;
use crate::fault::Fault;
use crate::lines::{Block, BlockSource, LastLine};

/// A fresh buffer is made when less than this part of one is left.
const SMALLEST_READ: usize = 16;

/// A stream that nothing was read of yet; whoever reads it takes it.
#[derive(Debug)]
pub(super) struct Unread<R> {
    pub(super) name: String,
    reader: Mutex<Option<R>>,
}

impl<R> Unread<R> {
    pub(super) fn new(name: String, reader: R) -> Self {
        Self {
            name,
            reader: Mutex::new(Some(reader)),
        }
    }

    /// An error when the stream was taken.
    pub(super) fn check(&self) -> Result<()> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.as_ref().map(drop).ok_or_else(|| self.consumed())
    }

    fn take(&self) -> Result<R> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        reader.take().ok_or_else(|| self.consumed())
    }

    fn consumed(&self) -> Error {
        let fault = Fault::Consumed {
            name: self.name.clone(),
        };
        fault.into_error(&self.name)
    }
}

/// Reads a stream as it comes: what was read is handed out before more is read.
pub(super) struct ReaderBlocks<R> {
    unread: Arc<Unread<R>>,
    reader: Option<R>,
    run: i64,
    block_bytes: usize,
    buffer: BytesMut,
}

impl<R> ReaderBlocks<R> {
    /// Reads `unread`, which it takes with its first poll.
    pub(super) fn new(unread: Arc<Unread<R>>, run: i64, block_bytes: usize) -> Self {
        Self {
            unread,
            reader: None,
            run,
            block_bytes,
            buffer: BytesMut::new(),
        }
    }
}

impl<R: AsyncRead + Unpin + Send + 'static> BlockSource for ReaderBlocks<R> {
    type Position = StreamPosition;
    type Mark = i64;

    fn poll_block(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Block<i64>>>> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(self.unread.take()?),
        };
        if self.buffer.capacity() <= self.block_bytes / SMALLEST_READ {
            self.buffer = BytesMut::with_capacity(self.block_bytes);
        }
        let read = ready!(poll_read_buf(Pin::new(reader), cx, &mut self.buffer));
        Poll::Ready(match read {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(Block {
                bytes: self.buffer.split().freeze(),
                mark: self.run,
                begins_file: false,
            })),
            // What was read is gone, so there is nothing that could be tried again.
            Err(error) => Err(Error::Source {
                action: format!("read {}", self.unread.name),
                retryable: false,
                source: error.into(),
            }),
        })
    }

    fn position(run: &i64, byte: u64, line: u64) -> StreamPosition {
        StreamPosition {
            run: *run,
            byte,
            line,
        }
    }

    fn last_line(&self) -> LastLine {
        LastLine::Complete
    }
}
