//! The handle on a SQLite file, and how it is opened.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use projectionist_core::{Clock, Result, SystemClock};

use crate::file::OpenFile;

/// How durable a commit is when the power fails. A crash of the process or of the program loses no
/// commit in either mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// The last commits before a power cut may be gone. As the offset and what was written with it
    /// share the file, they go together: the events are read again.
    #[default]
    Normal,
    /// Every commit is on the disk before it returns. For offsets whose effects lie elsewhere.
    Full,
}

/// How a SQLite file is opened.
///
/// Everyone in a process who opens the same file must use the same options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    pub(crate) synchronous: Synchronous,
    pub(crate) busy_timeout: Duration,
    pub(crate) cache_kib: u32,
    pub(crate) checkpoint_pages: u32,
    pub(crate) statements: usize,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            synchronous: Synchronous::Normal,
            busy_timeout: Duration::from_secs(5),
            cache_kib: 32 * 1024,
            checkpoint_pages: 8_000,
            statements: 256,
        }
    }
}

impl SqliteOptions {
    /// How durable a commit is. Default: [`Synchronous::Normal`].
    #[must_use]
    pub fn with_synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// How long to wait for another process that writes, before that is a retryable error.
    /// Default: 5 s.
    #[must_use]
    pub fn with_busy_timeout(mut self, busy_timeout: Duration) -> Self {
        self.busy_timeout = busy_timeout;
        self
    }

    /// The most memory for pages of the file, in KiB. Default: 32,768 (32 MiB).
    #[must_use]
    pub fn with_cache_kib(mut self, cache_kib: u32) -> Self {
        self.cache_kib = cache_kib;
        self
    }

    /// After how many pages in the write-ahead log they are copied into the file. More pages make
    /// fewer copies of pages that change often, and a larger log. Default: 8,000 (32 MB at the
    /// usual page size).
    #[must_use]
    pub fn with_checkpoint_pages(mut self, checkpoint_pages: u32) -> Self {
        self.checkpoint_pages = checkpoint_pages;
        self
    }

    /// How many prepared statements are kept; at least 128. A table takes about three, a tenant's
    /// tables count as their own. Default: 256.
    #[must_use]
    pub fn with_statements(mut self, statements: usize) -> Self {
        self.statements = statements.max(128);
        self
    }
}

/// A handle on a SQLite file that holds lanes, dead letters and read models.
///
/// Cloning is cheap. All handles of a process on one file share one queue of writers, which take
/// turns in the order in which they asked; other processes are met by waiting for SQLite's lock.
///
/// Every call works in place and blocks its thread, a commit for as long as the disk takes:
/// [`placement`](projectionist_core::contract::OffsetStore::placement) asks for a thread of its own.
///
/// A transaction has the turn until it ends. Whoever awaits another write to the same file while
/// holding one waits for ever.
#[derive(Clone, Debug)]
pub struct SqliteStore {
    pub(crate) file: Arc<OpenFile>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl SqliteStore {
    /// Opens a file, which is made when it is missing, and brings the store's tables up to date.
    ///
    /// # Errors
    /// [`projectionist_core::Error::Configuration`] for a path that cannot be used or tables of a
    /// newer build, [`projectionist_core::Error::Store`] for SQLite's own failures.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self> {
        Self::open_with_clock(path, options, Arc::new(SystemClock))
    }

    /// As [`open`](Self::open), with a clock that decides when a claim is over.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with_clock(
        path: impl AsRef<Path>,
        options: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let file = OpenFile::shared(path.as_ref(), &options, false)?;
        Ok(Self { file, clock })
    }

    /// Opens a file that projections have written before, and makes nothing: for whoever only
    /// looks.
    ///
    /// # Errors
    /// As [`open`](Self::open); also [`projectionist_core::Error::Configuration`] when there is no
    /// such file, or none with this store's tables.
    pub fn open_existing(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self> {
        let file = OpenFile::shared(path.as_ref(), &options, true)?;
        let clock = Arc::new(SystemClock);
        Ok(Self { file, clock })
    }

    /// As [`open_with_clock`](Self::open_with_clock), with connections that no other handle of
    /// this process shares: the file is seen as another process sees it. For tests of what happens
    /// between processes; handles that share a queue are faster and fairer.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_apart(
        path: impl AsRef<Path>,
        options: SqliteOptions,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let file = OpenFile::apart(path.as_ref(), &options)?;
        Ok(Self { file, clock })
    }

    /// The file, by its one canonical path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
