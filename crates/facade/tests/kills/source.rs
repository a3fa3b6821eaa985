//! A source with a content that every process finds the same: a file with a number a line.

use std::path::PathBuf;

use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use projectionist::contract::{Mode, SourceProvider};
use projectionist::{Error, Position, Result, SourceItem};

/// The number of a line, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Line(pub(crate) u64);

impl Position for Line {
    const MANIFEST: &'static str = "line";

    fn write_to(&self, out: &mut String) {
        out.push_str(&self.0.to_string());
    }

    fn parse(text: &str) -> Result<Self> {
        text.parse().map(Self).map_err(|_| Error::OffsetCodec {
            manifest: Self::MANIFEST,
            text: text.to_owned(),
            reason: "it is no number".to_owned(),
        })
    }
}

/// An event is the number that stands in its line, which is the number of the line.
#[derive(Clone, Debug)]
pub(crate) struct Numbered(pub(crate) PathBuf);

impl Numbered {
    /// The content for so many events.
    pub(crate) fn content(events: u64) -> String {
        (1..=events).map(|event| format!("{event}\n")).collect()
    }
}

impl SourceProvider for Numbered {
    type Envelope = u64;
    type Position = Line;
    type Stream = BoxStream<'static, Result<SourceItem<u64, Line>>>;

    async fn open(&self, from: Option<Line>, _: Mode) -> Result<Self::Stream> {
        let content = std::fs::read_to_string(&self.0).map_err(|error| Error::Source {
            action: format!("read {}", self.0.display()),
            retryable: false,
            source: error.into(),
        })?;
        let passed = from.map_or(0, |line| usize::try_from(line.0).unwrap());
        let events: Vec<u64> = content
            .lines()
            .skip(passed)
            .map(|line| line.parse().unwrap())
            .collect();
        let items = events
            .into_iter()
            .map(|event| Ok(SourceItem::Envelope(event)));
        Ok(stream::iter(items).boxed())
    }

    fn position(&self, event: &u64) -> Line {
        Line(*event)
    }

    fn encode(&self, event: &u64, out: &mut Vec<u8>) {
        out.extend_from_slice(event.to_string().as_bytes());
    }

    fn decode(&self, position: Line, _: &Bytes) -> Result<u64, String> {
        Ok(position.0)
    }
}
