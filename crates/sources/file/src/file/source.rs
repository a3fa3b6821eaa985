//! The source of a file of lines.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use projectionist_core::contract::{
    EventCodec, Mode, SourceProvider, StartPosition, Stream, start_after,
};
use projectionist_core::{Result, SourceItem, Timestamp};
use tokio::runtime::Handle;

use super::FilePosition;
use super::blocks::FileBlocks;
use super::mark::FileMark;
use super::named::Named;
use super::pattern::FilePattern;
use super::waiting::Waiting;
use crate::envelope::{FileEnvelope, LineEnvelope};
use crate::fault::runtime_error;
use crate::lines::LineStream;
use crate::options::FileOptions;

/// Events from files of lines, one lane.
///
/// [`Mode::Current`] reads to the end of the last file. A last line without line end is delivered
/// when it decodes; otherwise it may be half written, so it is left for the next run with a warning.
/// A file that is compressed with gzip or Zstandard, which its first bytes tell, is unpacked.
///
/// [`Mode::Live`] follows the file as it grows and waits for one that does not exist yet. A line
/// is delivered once its line end was written. It looks for more every
/// [`poll_interval`](FileOptions::poll_interval), which costs a few microseconds and works on every
/// file system; a notification of the system would do so on some.
///
/// # Rotation
/// In both modes a file that was moved to another name beside its own is read to its end; then come
/// the rotated files that were written after it, and last the file at the path, once something
/// stands in it. A file that was copied and cut is read on in its copy. Names of rotated files are
/// that of the file with a number, a date or a time behind it or before its ending. A file that was
/// cut, or was replaced without a rotated one beside it, stops the stream with an error: what was
/// written before that cannot be read any more.
///
/// # Several files
/// [`matching`](Self::matching) reads the files of a pattern in the order of their names, each to
/// its end: one is left when a later one holds something. A file that comes before the one that is
/// read, and was not read as it is, is an error.
///
/// A start at a time reads the file from its beginning to the first record whose
/// [`created_at`](EventCodec::created_at) is that time or later, in the order of the file; records
/// that tell no time and malformed ones before it are passed over. Where every record is earlier,
/// the lane begins behind the last one. Only a file whose records all tell no time is refused.
///
/// It leaves [`remaining`](SourceProvider::remaining) unknown: lines have no index, so counting
/// them would read everything that is left each time the status is asked. It tells
/// [the bytes](SourceProvider::remaining_bytes) of what is not compressed.
///
/// # Errors
/// [`Error::Source`](projectionist_core::Error::Source) over a [`Fault`](crate::Fault) when the
/// file is not the one that a position belongs to; over an [`std::io::Error`] when it cannot be
/// read.
///
/// # Runtime
/// Reads on the blocking threads of the tokio runtime that it is opened in.
///
/// # Example
/// ```
/// use bytes::Bytes;
/// use futures::StreamExt;
/// use projectionist_core::SourceItem;
/// use projectionist_core::contract::{EventCodec, Mode, SourceProvider};
/// use projectionist_source_file::FileSource;
///
/// /// Lines that hold one number each.
/// struct Numbers;
///
/// impl EventCodec for Numbers {
///     type Event = u64;
///     type Scratch = ();
///
///     fn decode(&self, (): &mut (), record: Bytes) -> Result<u64, String> {
///         let text = std::str::from_utf8(&record).map_err(|error| error.to_string())?;
///         text.parse().map_err(|error| format!("{text:?} is no number: {error}"))
///     }
///
///     fn encode(&self, event: &u64, out: &mut Vec<u8>) {
///         out.extend_from_slice(event.to_string().as_bytes());
///     }
/// }
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("numbers");
/// std::fs::write(&path, "7\nseven\n")?;
///
/// let source = FileSource::new(&path, Numbers);
/// let mut stream = source.open(None, Mode::Current).await?;
/// while let Some(item) = stream.next().await {
///     match item? {
///         SourceItem::Envelope(envelope) => assert_eq!(envelope.event(), &7),
///         SourceItem::Malformed(bad) => assert_eq!(bad.place, "line 2"),
///     }
/// }
/// # Ok(())
/// # }
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(example())?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FileSource<C> {
    named: Named,
    waiting: Waiting,
    codec: Arc<C>,
    options: FileOptions,
}

impl<C: EventCodec> FileSource<C> {
    /// The file at `path`, its lines read by `codec`. Nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>, codec: C) -> Self {
        Self {
            named: Named::Path(path.into().into()),
            waiting: Waiting::default(),
            codec: Arc::new(codec),
            options: FileOptions::default(),
        }
    }

    /// The files that match `pattern`, such as `logs/*.jsonl`, their lines read by `codec`. In the
    /// name of the file, not in its folder, `*` stands for any text, `?` for one character and
    /// `[…]` for one of some. Nothing is opened yet.
    ///
    /// # Errors
    /// [`Error::Configuration`](projectionist_core::Error::Configuration) when that is no pattern.
    pub fn matching(pattern: &str, codec: C) -> Result<Self> {
        Ok(Self {
            named: Named::Pattern(Arc::new(FilePattern::parse(pattern)?)),
            waiting: Waiting::default(),
            codec: Arc::new(codec),
            options: FileOptions::default(),
        })
    }

    /// Sets what can be set.
    #[must_use]
    pub fn with_options(self, options: FileOptions) -> Self {
        Self { options, ..self }
    }

    /// The file that is read, or the pattern of several.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.named.path()
    }

    pub(super) async fn latest(&self) -> Result<FilePosition> {
        let block_bytes = self.options.block_bytes as u64;
        self.blocking(move |named| named.latest(block_bytes)).await
    }

    /// Runs `ask` on a thread that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Named) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let name = || self.path().display();
        let runtime = Handle::try_current().map_err(|error| runtime_error(name(), error, false))?;
        let named = self.named.clone();
        runtime
            .spawn_blocking(move || ask(&named))
            .await
            .map_err(|error| runtime_error(name(), error, true))?
    }
}

impl<C: EventCodec> SourceProvider for FileSource<C> {
    type Envelope = FileEnvelope<C::Event>;
    type Position = FilePosition;
    type Stream = FileStream<C>;

    async fn open(&self, from: Option<FilePosition>, mode: Mode) -> Result<FileStream<C>> {
        self.options.check()?;
        let passed = from.as_ref().map_or((0, 0), |from| (from.byte, from.line));
        let FileOptions {
            block_bytes,
            poll_interval,
            ..
        } = self.options;
        let tail = self.named.tail(from, mode, block_bytes);
        let waiting = self.waiting.clone();
        let blocks = FileBlocks::open(tail, mode, poll_interval, waiting).await?;
        Ok(FileStream(LineStream::resume(
            Arc::clone(&self.codec),
            blocks,
            FileMark::empty(),
            passed,
            self.options.max_record_bytes,
        )))
    }

    fn position(&self, envelope: &Self::Envelope) -> FilePosition {
        envelope.position()
    }

    fn encode(&self, envelope: &Self::Envelope, out: &mut Vec<u8>) {
        self.codec.encode(envelope.event(), out);
    }

    fn decode(&self, position: FilePosition, event: &Bytes) -> Result<Self::Envelope, String> {
        LineEnvelope::decode(&*self.codec, position, event)
    }

    fn created_at(&self, envelope: &Self::Envelope) -> Option<Timestamp> {
        self.codec.created_at(envelope.event())
    }

    async fn remaining_bytes(&self, low: Option<&FilePosition>) -> Result<Option<u64>> {
        let low = low.cloned();
        self.blocking(move |named| named.bytes_behind(low.as_ref()))
            .await
    }

    fn waiting_for(&self) -> Option<String> {
        let waits = self.waiting.get();
        waits.then(|| format!("{}, which is not there yet", self.path().display()))
    }

    fn size_bytes(&self, envelope: &Self::Envelope) -> usize {
        envelope.bytes()
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<FilePosition>> {
        match start {
            StartPosition::Earliest => self.blocking(Named::earliest).await,
            StartPosition::Latest => {
                self.options.check()?;
                self.latest().await.map(Some)
            }
            StartPosition::After(offset) => start_after(offset).map(Some),
            StartPosition::Timestamp(time) => self.first_at(*time).await,
        }
    }
}

/// The stream of a [`FileSource`].
pub struct FileStream<C: EventCodec>(LineStream<C, FileBlocks>);

impl<C: EventCodec> Stream for FileStream<C> {
    type Item = Result<SourceItem<FileEnvelope<C::Event>, FilePosition>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.get_mut().0).poll_next(cx)
    }
}
