//! Codecs, items and files that the tests share.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt};
use projectionist_core::contract::{EventCodec, Mode, SourceProvider};
use projectionist_core::{Error, Offset, Position, Result, SourceItem, Timestamp};
use projectionist_source_file::{
    Fault, FileOptions, FilePosition, FileSource, FileStream, LineEnvelope,
};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Events are JSON texts, checked by another parser than the product's.
pub(crate) struct Json;

impl EventCodec for Json {
    type Event = String;
    type Scratch = ();

    fn decode(&self, (): &mut (), record: Bytes) -> Result<String, String> {
        serde_json::from_slice::<serde_json::Value>(&record).map_err(|e| e.to_string())?;
        String::from_utf8(record.to_vec()).map_err(|e| e.to_string())
    }

    fn encode(&self, event: &String, out: &mut Vec<u8>) {
        out.extend_from_slice(event.as_bytes());
    }
}

/// Events are any bytes that do not begin with `!`.
pub(crate) struct AnyBytes;

impl EventCodec for AnyBytes {
    type Event = Bytes;
    type Scratch = ();

    fn decode(&self, (): &mut (), record: Bytes) -> Result<Bytes, String> {
        if record.starts_with(b"!") {
            return Err("begins with `!`".to_owned());
        }
        Ok(record)
    }

    fn encode(&self, event: &Bytes, out: &mut Vec<u8>) {
        out.extend_from_slice(event);
    }
}

/// Events are words with the Unix milliseconds at which they happened before them, or `-` for
/// events that do not say when.
pub(crate) struct Timed;

impl EventCodec for Timed {
    type Event = (Option<i64>, String);
    type Scratch = ();

    fn decode(&self, (): &mut (), record: Bytes) -> Result<Self::Event, String> {
        let text = String::from_utf8(record.to_vec()).map_err(|e| e.to_string())?;
        let (time, word) = text.split_once(' ').ok_or("has no time")?;
        let time = match time {
            "-" => None,
            time => Some(time.parse().map_err(|_| format!("{time:?} is no time"))?),
        };
        Ok((time, word.to_owned()))
    }

    fn encode(&self, (time, word): &Self::Event, out: &mut Vec<u8>) {
        let time = time.map_or("-".to_owned(), |time| time.to_string());
        out.extend_from_slice(format!("{time} {word}").as_bytes());
    }

    fn created_at(&self, event: &Self::Event) -> Option<Timestamp> {
        event.0.map(Timestamp::from_unix_millis)
    }
}

/// What a test sees of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// An event, its first unconsumed byte, its lines passed.
    Event(Vec<u8>, u64, u64),
    /// A malformed record: raw, byte, lines, and the number of its line.
    Malformed(Vec<u8>, u64, u64, String),
}

/// Byte and line of a position, read from its text.
pub(crate) fn byte_and_line(text: &str, byte_at: usize) -> (u64, u64) {
    let parts: Vec<_> = text.split(':').collect();
    (
        parts[byte_at].parse().unwrap(),
        parts[byte_at + 1].parse().unwrap(),
    )
}

/// The text of the position of an item, as a store would keep it.
pub(crate) fn position_text<E, P: Position>(item: &SourceItem<LineEnvelope<E, P>, P>) -> String {
    let position = match item {
        SourceItem::Envelope(envelope) => envelope.position(),
        SourceItem::Malformed(bad) => bad.position.clone(),
    };
    Offset::of(&position).text
}

pub(crate) fn see<E: AsRef<[u8]>, P: Position>(
    item: SourceItem<LineEnvelope<E, P>, P>,
    byte_at: usize,
) -> Seen {
    let text = |position: P| {
        let mut text = String::new();
        position.write_to(&mut text);
        byte_and_line(&text, byte_at)
    };
    match item {
        SourceItem::Envelope(envelope) => {
            let (byte, line) = text(envelope.position());
            assert_eq!(envelope.bytes(), envelope.event().as_ref().len());
            Seen::Event(envelope.event().as_ref().to_vec(), byte, line)
        }
        SourceItem::Malformed(bad) => {
            let (byte, line) = text(bad.position);
            Seen::Malformed(bad.raw.to_vec(), byte, line, bad.place)
        }
    }
}

/// The text of the position behind the first `byte` bytes of `content`, which hold `line` lines.
pub(crate) fn text_at(content: &[u8], byte: u64, line: u64) -> String {
    let head = &content[..usize::try_from(byte.min(4096)).unwrap()];
    let text = format!("{byte}:{line}:{}", identity_text(head));
    if byte <= 4096 {
        return text;
    }
    let byte = usize::try_from(byte).unwrap();
    let before = xxhash_rust::xxh3::xxh3_64(&content[byte - 256..byte]);
    format!("{text}:{before:016x}")
}

/// The identity of a file that begins with `head`.
pub(crate) fn identity_text(head: &[u8]) -> String {
    let digest = Sha256::digest(head);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}", head.len(), &digits[..32])
}

/// A file in a directory of its own.
pub(crate) struct TestFile {
    directory: TempDir,
    path: PathBuf,
}

impl TestFile {
    /// A path without a file.
    pub(crate) fn missing() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.jsonl");
        Self { directory, path }
    }

    pub(crate) fn with(content: impl AsRef<[u8]>) -> Self {
        let file = Self::missing();
        file.write(content);
        file
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the content in place. A reader may see the file empty in between.
    pub(crate) fn write(&self, content: impl AsRef<[u8]>) {
        std::fs::write(&self.path, content).unwrap();
    }

    /// Overwrites the beginning in place, in one step.
    pub(crate) fn overwrite(&self, content: impl AsRef<[u8]>) {
        let file = OpenOptions::new().write(true).open(&self.path).unwrap();
        file.write_all_at(content.as_ref(), 0).unwrap();
    }

    /// Cuts the file to its first `length` bytes.
    pub(crate) fn truncate(&self, length: u64) {
        let file = OpenOptions::new().write(true).open(&self.path).unwrap();
        file.set_len(length).unwrap();
    }

    /// Appends.
    pub(crate) fn append(&self, content: impl AsRef<[u8]>) {
        let mut file = OpenOptions::new().append(true).open(&self.path).unwrap();
        file.write_all(content.as_ref()).unwrap();
    }

    /// Puts another file in its place.
    pub(crate) fn replace(&self, content: impl AsRef<[u8]>) {
        let other = self.directory.path().join("other");
        std::fs::write(&other, content).unwrap();
        std::fs::rename(other, &self.path).unwrap();
    }

    pub(crate) fn source<C: EventCodec>(&self, codec: C) -> FileSource<C> {
        FileSource::new(&self.path, codec)
    }

    pub(crate) fn source_with<C: EventCodec>(
        &self,
        codec: C,
        options: FileOptions,
    ) -> FileSource<C> {
        self.source(codec).with_options(options)
    }

    /// Everything behind `from`, with the positions.
    pub(crate) async fn items(&self, from: Option<FilePosition>) -> Vec<(String, FilePosition)> {
        let mut stream = self.source(Json).open(from, Mode::Current).await.unwrap();
        let mut items = Vec::new();
        while let Some(item) = stream.next().await {
            items.push(match item.unwrap() {
                SourceItem::Envelope(envelope) => (envelope.event().clone(), envelope.position()),
                SourceItem::Malformed(bad) => {
                    (format!("{}: {}", bad.place, bad.reason), bad.position)
                }
            });
        }
        items
    }

    /// Only the texts of [`Self::items`].
    pub(crate) async fn texts(&self, from: Option<FilePosition>) -> Vec<String> {
        let items = self.items(from).await;
        items.into_iter().map(|(text, _)| text).collect()
    }
}

/// The next item of a live stream as an event.
pub(crate) async fn event<C: EventCodec>(
    stream: &mut FileStream<C>,
) -> LineEnvelope<C::Event, FilePosition> {
    match next(stream).await.unwrap() {
        SourceItem::Envelope(envelope) => envelope,
        SourceItem::Malformed(bad) => panic!("{bad:?}"),
    }
}

/// What the stream gives next, within an hour of paused time.
pub(crate) async fn next<T>(stream: &mut (impl Stream<Item = T> + Unpin)) -> T {
    let hour = Duration::from_secs(3600);
    let next = tokio::time::timeout(hour, stream.next()).await;
    next.expect("the stream gives something")
        .expect("the stream goes on")
}

/// Whether the stream gives nothing in a minute of paused time.
pub(crate) async fn is_quiet(stream: &mut (impl Stream + Unpin)) -> bool {
    let minute = Duration::from_secs(60);
    tokio::time::timeout(minute, stream.next()).await.is_err()
}

/// The fault beneath a source error that must not be tried again.
pub(crate) fn fault(error: &Error) -> &Fault {
    assert!(!error.is_retryable(), "{error}");
    match error {
        Error::Source { source, .. } => source.downcast_ref().unwrap(),
        other => panic!("{other}"),
    }
}

/// `content` as gzip packs it.
pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

/// `content` as Zstandard packs it, with a checksum.
pub(crate) fn zstd(content: &[u8]) -> Vec<u8> {
    let mut packed = zstd::Encoder::new(Vec::new(), 3).unwrap();
    packed.include_checksum(true).unwrap();
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}
