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
use super::head::FileHead;
use super::latest::latest;
use super::tail::FileTail;
use crate::envelope::{FileEnvelope, LineEnvelope};
use crate::fault::runtime_error;
use crate::lines::LineStream;
use crate::options::FileOptions;

/// Events from a file of lines, one lane.
///
/// [`Mode::Current`] reads to the end of the file. A last line without line end is delivered when
/// it decodes; otherwise it may be half written, so it is left for the next run with a warning.
///
/// [`Mode::Live`] follows the file as it grows and waits for one that does not exist yet. A line
/// is delivered once its line end was written. It stops with an error when the path comes to name
/// another file or the file is cut: neither can be followed without losing events.
///
/// A start at a time reads the file from its beginning to the first record whose
/// [`created_at`](EventCodec::created_at) is that time or later, in the order of the file; records
/// that tell no time and malformed ones before it are passed over. Where every record is earlier,
/// the lane begins behind the last one. Only a file whose records all tell no time is refused.
///
/// It leaves [`remaining`](SourceProvider::remaining) unknown: lines have no index, so counting
/// them would read everything that is left each time the status is asked.
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
    path: Arc<Path>,
    codec: Arc<C>,
    options: FileOptions,
}

impl<C: EventCodec> FileSource<C> {
    /// The file at `path`, its lines read by `codec`. Nothing is opened yet.
    pub fn new(path: impl Into<PathBuf>, codec: C) -> Self {
        Self {
            path: path.into().into(),
            codec: Arc::new(codec),
            options: FileOptions::default(),
        }
    }

    /// Sets what can be set.
    #[must_use]
    pub fn with_options(self, options: FileOptions) -> Self {
        Self { options, ..self }
    }

    /// The file that is read.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(super) async fn latest(&self) -> Result<FilePosition> {
        let name = || self.path.display();
        let runtime = Handle::try_current().map_err(|error| runtime_error(name(), error, false))?;
        let (path, block_bytes) = (Arc::clone(&self.path), self.options.block_bytes);
        runtime
            .spawn_blocking(move || latest(&path, block_bytes))
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
        let tail = FileTail::new(Arc::clone(&self.path), from, mode, self.options.block_bytes);
        let blocks = FileBlocks::open(tail, mode, self.options.poll_interval).await?;
        let passed = from.map_or((0, 0), |from| (from.byte, from.line));
        Ok(FileStream(LineStream::resume(
            Arc::clone(&self.codec),
            blocks,
            FileHead::empty(),
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

    fn size_bytes(&self, envelope: &Self::Envelope) -> usize {
        envelope.bytes()
    }

    async fn resolve_start(&self, start: &StartPosition) -> Result<Option<FilePosition>> {
        match start {
            StartPosition::Earliest => Ok(None),
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
