//! The stream of envelopes over a sequence of blocks.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use projectionist_core::contract::{EventCodec, Stream};
use projectionist_core::{Malformed, Result, SourceItem};

use super::splitter::Line;
use super::{BlockSource, LastLine, LineSplitter};
use crate::envelope::LineEnvelope;

type Item<C, B> = SourceItem<
    LineEnvelope<<C as EventCodec>::Event, <B as BlockSource>::Position>,
    <B as BlockSource>::Position,
>;

/// Decodes the lines of `blocks`. Lines of a block that was read are handed out at once, without
/// a wake-up in between.
pub(crate) struct LineStream<C: EventCodec, B: BlockSource> {
    codec: Arc<C>,
    scratch: C::Scratch,
    lines: LineSplitter,
    blocks: B,
    mark: B::Mark,
    max_record_bytes: usize,
    is_over: bool,
}

// Nothing of it is ever pinned.
impl<C: EventCodec, B: BlockSource> Unpin for LineStream<C, B> {}

impl<C: EventCodec, B: BlockSource> LineStream<C, B> {
    /// Decodes what follows the first `byte` bytes and `line` lines. The blocks begin at
    /// [`LineSplitter::first_byte`].
    pub(crate) fn resume(
        codec: Arc<C>,
        blocks: B,
        mark: B::Mark,
        (byte, line): (u64, u64),
        max_record_bytes: usize,
    ) -> Self {
        Self {
            codec,
            scratch: C::Scratch::default(),
            lines: LineSplitter::resume(byte, line, max_record_bytes),
            blocks,
            mark,
            max_record_bytes,
            is_over: false,
        }
    }

    fn item(&mut self, line: Line) -> Item<C, B> {
        match line {
            Line::Record => match self.decode() {
                Ok(envelope) => SourceItem::Envelope(envelope),
                Err(reason) => self.malformed(reason, self.lines.record()),
            },
            Line::TooLong { head, length } => {
                let limit = self.max_record_bytes;
                self.malformed(
                    format!("the line has {length} bytes, at most {limit} are allowed"),
                    head,
                )
            }
            Line::Remainder(rest) => self.malformed(
                "the line goes on behind what was read as a whole record when it had no line end \
                 yet; this is the rest of it"
                    .to_owned(),
                rest,
            ),
        }
    }

    fn decode(&mut self) -> Result<LineEnvelope<C::Event, B::Position>, String> {
        let record = self.lines.record();
        let length = record.len();
        let event = self.codec.decode(&mut self.scratch, record)?;
        Ok(LineEnvelope::new(event, self.position(), length))
    }

    fn malformed(&self, reason: String, raw: Bytes) -> Item<C, B> {
        SourceItem::Malformed(Malformed {
            position: self.position(),
            place: match B::file_name(&self.mark) {
                Some(name) => format!("line {} of {name}", self.lines.line()),
                None => format!("line {}", self.lines.line()),
            },
            reason,
            raw,
        })
    }

    /// Behind the line that was passed last.
    fn position(&self) -> B::Position {
        B::position(&self.mark, self.lines.byte(), self.lines.line())
    }

    /// Ends a file that nothing is written to any more: what stands behind its last line end is a
    /// line.
    fn end_file(&mut self) -> Option<Item<C, B>> {
        let line = self.lines.unterminated();
        let last = line.map(|line| self.item(line));
        self.lines = LineSplitter::resume(0, 0, self.max_record_bytes);
        last
    }

    /// What becomes of the bytes behind the last line end.
    fn last_item(&mut self) -> Option<Item<C, B>> {
        let byte = self.lines.byte();
        let line = self.lines.unterminated()?;
        match (self.blocks.last_line(), line) {
            (LastLine::Complete, line) => Some(self.item(line)),
            (LastLine::MayGrow(name), line) => {
                let decoded = match line {
                    Line::Record => self.decode().ok(),
                    Line::TooLong { .. } | Line::Remainder(_) => None,
                };
                if decoded.is_none() {
                    tracing::warn!(
                        "{name}: the last line (line {}, byte {byte}) has no line end yet and is \
                         left for the next run",
                        self.lines.line(),
                    );
                }
                decoded.map(SourceItem::Envelope)
            }
        }
    }
}

impl<C: EventCodec, B: BlockSource> Stream for LineStream<C, B> {
    type Item = Result<Item<C, B>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(line) = this.lines.next_line() {
                return Poll::Ready(Some(Ok(this.item(line))));
            }
            if this.is_over {
                return Poll::Ready(None);
            }
            match ready!(this.blocks.poll_block(cx)) {
                Ok(Some(block)) => {
                    let last = if block.begins_file {
                        this.end_file()
                    } else {
                        None
                    };
                    this.mark = block.mark;
                    this.lines.feed(block.bytes);
                    if let Some(last) = last {
                        return Poll::Ready(Some(Ok(last)));
                    }
                }
                Ok(None) => {
                    this.is_over = true;
                    return Poll::Ready(this.last_item().map(Ok));
                }
                Err(error) => {
                    this.is_over = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}
