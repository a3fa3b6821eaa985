//! What can be set on a source of lines.

use std::time::Duration;

use projectionist_core::{Error, Result};

/// Longest record that is decoded by default: 4 MiB.
const MAX_RECORD_BYTES: usize = 4 * 1024 * 1024;

/// What is read at once by default: 256 KiB.
const BLOCK_BYTES: usize = 256 * 1024;

/// What can be set on a [`FileSource`](crate::FileSource).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOptions {
    /// How long a followed file is left alone once its end was reached. Default 100 ms.
    pub poll_interval: Duration,
    /// The longest line that is decoded, in bytes without the line end. Default 4 MiB.
    pub max_record_bytes: usize,
    /// How much is read at once, in bytes. Twice as much is held: one block is handed out while
    /// the next one is read. Default 256 KiB.
    pub block_bytes: usize,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self {
            poll_interval: Duration::from_millis(100),
            max_record_bytes: MAX_RECORD_BYTES,
            block_bytes: BLOCK_BYTES,
        }
    }
}

impl FileOptions {
    /// Sets [`Self::poll_interval`].
    #[must_use]
    pub fn with_poll_interval(self, poll_interval: Duration) -> Self {
        Self {
            poll_interval,
            ..self
        }
    }

    /// Sets [`Self::max_record_bytes`].
    #[must_use]
    pub fn with_max_record_bytes(self, max_record_bytes: usize) -> Self {
        Self {
            max_record_bytes,
            ..self
        }
    }

    /// Sets [`Self::block_bytes`].
    #[must_use]
    pub fn with_block_bytes(self, block_bytes: usize) -> Self {
        Self {
            block_bytes,
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        not_zero("poll_interval", self.poll_interval.is_zero())?;
        not_zero("max_record_bytes", self.max_record_bytes == 0)?;
        not_zero("block_bytes", self.block_bytes == 0)
    }
}

/// What can be set on a [`StreamSource`](crate::StreamSource).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// The longest line that is decoded, in bytes without the line end. Default 4 MiB.
    pub max_record_bytes: usize,
    /// How much is read at once, in bytes. Default 256 KiB.
    pub block_bytes: usize,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            max_record_bytes: MAX_RECORD_BYTES,
            block_bytes: BLOCK_BYTES,
        }
    }
}

impl StreamOptions {
    /// Sets [`Self::max_record_bytes`].
    #[must_use]
    pub fn with_max_record_bytes(self, max_record_bytes: usize) -> Self {
        Self {
            max_record_bytes,
            ..self
        }
    }

    /// Sets [`Self::block_bytes`].
    #[must_use]
    pub fn with_block_bytes(self, block_bytes: usize) -> Self {
        Self {
            block_bytes,
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        not_zero("max_record_bytes", self.max_record_bytes == 0)?;
        not_zero("block_bytes", self.block_bytes == 0)
    }
}

fn not_zero(name: &str, is_zero: bool) -> Result<()> {
    if !is_zero {
        return Ok(());
    }
    Err(Error::Configuration {
        subject: format!("source option `{name}`"),
        reason: "is zero; it must be at least 1".to_owned(),
    })
}
