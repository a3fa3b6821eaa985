//! A stream is read once, to its end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::io::Write;
use std::process::{Command, Stdio};

use common::{AnyBytes, Json, Seen, fault, see};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Clock, Error, Offset, SourceItem, SystemClock, Timestamp};
use projectionist_source_file::{Fault, StreamPosition, StreamSource};
use tokio::io::AsyncWriteExt;

#[derive(Debug)]
struct At(i64);

impl Clock for At {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.0)
    }
}

fn source(bytes: &'static [u8], run: i64) -> StreamSource<AnyBytes, &'static [u8]> {
    StreamSource::new("the test's stream", bytes, AnyBytes, &At(run))
}

#[tokio::test]
async fn both_modes_read_to_the_end_and_the_last_line_needs_no_line_end() {
    for mode in [Mode::Current, Mode::Live] {
        let stream = source(b"a\n\nb\r\n!c", 7).open(None, mode).await.unwrap();
        let items: Vec<_> = stream.map(Result::unwrap).collect().await;
        let seen: Vec<_> = items.into_iter().map(|item| see(item, 1)).collect();
        assert_eq!(
            seen,
            [
                Seen::Event(b"a".to_vec(), 2, 1),
                Seen::Event(b"b".to_vec(), 6, 3),
                Seen::Malformed(b"!c".to_vec(), 8, 4, "line 4".to_owned()),
            ]
        );
    }
}

#[tokio::test]
async fn what_was_written_is_delivered_before_more_comes() {
    let (mut writer, reader) = tokio::io::duplex(64);
    let source = StreamSource::new("a pipe", reader, Json, &At(7));
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    for number in 1..100 {
        writer.write_all(b"[1]\n[").await.unwrap();
        let item = see(stream.next().await.unwrap().unwrap(), 1);
        assert_eq!(
            item,
            Seen::Event(b"[1]".to_vec(), number * 7 - 3, 2 * number - 1)
        );
        assert!(futures::poll!(stream.next()).is_pending());
        writer.write_all(b"]\n").await.unwrap();
        let item = see(stream.next().await.unwrap().unwrap(), 1);
        assert_eq!(item, Seen::Event(b"[]".to_vec(), number * 7, 2 * number));
    }
    drop(writer);
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_stream_that_was_read_in_part_cannot_be_opened_again() {
    let source = source(b"a\nb\n", 7);
    let untouched = source.open(None, Mode::Live).await.unwrap();
    drop(untouched);
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    let first = see(stream.next().await.unwrap().unwrap(), 1);
    assert_eq!(first, Seen::Event(b"a".to_vec(), 2, 1));
    let position = StreamPosition {
        run: 7,
        byte: 2,
        line: 1,
    };
    for from in [Some(position), None] {
        let error = source.open(from, Mode::Live).await.err().unwrap();
        assert!(matches!(fault(&error), Fault::Consumed { .. }));
        let text = error.to_string();
        assert!(
            text.contains("the test's stream cannot be read again"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn two_open_streams_do_not_share_what_is_read() {
    let source = source(b"a\nb\n", 7);
    let mut one = source.open(None, Mode::Live).await.unwrap();
    let mut other = source.open(None, Mode::Live).await.unwrap();
    assert!(one.next().await.unwrap().is_ok());
    let error = other.next().await.unwrap().unwrap_err();
    assert!(matches!(fault(&error), Fault::Consumed { .. }));
    assert!(other.next().await.is_none());
}

#[tokio::test]
async fn a_position_of_another_run_is_passed_over_and_below_this_one() {
    // An earlier run, one of the same millisecond, and one from before the clock was set back.
    for run in [3, 7, 9] {
        let from = StreamPosition {
            run,
            byte: 1000,
            line: 10,
        };
        let source = source(b"a\n", 7);
        let mut stream = source.open(Some(from), Mode::Current).await.unwrap();
        let projectionist_core::SourceItem::Envelope(envelope) =
            stream.next().await.unwrap().unwrap()
        else {
            panic!("`a` is an event");
        };
        assert!(envelope.position() > from, "{:?}", envelope.position());
        assert_eq!(envelope.position().run, if run == 3 { 7 } else { run + 1 });
        assert_eq!(source.position(&envelope), envelope.position());
    }
}

#[tokio::test]
async fn a_stream_starts_at_its_beginning_only() {
    let source = source(b"a\n", 7);
    let earliest = source.resolve_start(&StartPosition::Earliest).await;
    assert_eq!(earliest.unwrap(), None);
    let after = Offset::of(&StreamPosition {
        run: 7,
        byte: 2,
        line: 1,
    });
    for (start, named) in [
        (StartPosition::Latest, "latest"),
        (StartPosition::After(after), "after an offset"),
        (StartPosition::Timestamp(At(7).now()), "at a time"),
    ] {
        let error = source.resolve_start(&start).await.unwrap_err();
        assert!(matches!(error, Error::Configuration { .. }), "{error}");
        assert!(error.to_string().contains(named), "{error}");
    }
}

#[tokio::test]
async fn an_event_that_was_written_down_is_read_back() {
    let source = source(b"a\nb\n", 7);
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    let Some(Ok(SourceItem::Envelope(envelope))) = stream.next().await else {
        panic!("the first line is an event");
    };
    let mut bytes = Vec::new();
    source.encode(&envelope, &mut bytes);
    let decoded = source.decode(envelope.position(), &bytes.into()).unwrap();
    assert_eq!(decoded.event(), "a");
    assert_eq!(decoded.position(), envelope.position());
    let refused = source.decode(envelope.position(), &"!".into());
    assert_eq!(refused.unwrap_err(), "begins with `!`");
}

#[tokio::test]
async fn a_failing_stream_is_an_error_that_is_not_tried_again() {
    let source = StreamSource::new("a pipe", one_line_then_an_error(), AnyBytes, &At(7));
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    let error = stream.next().await.unwrap().unwrap_err();
    assert!(!error.is_retryable());
    assert!(error.to_string().contains("cannot read a pipe"), "{error}");
    assert!(stream.next().await.is_none());
}

/// Gives one line, then an error.
fn one_line_then_an_error() -> impl tokio::io::AsyncRead + Unpin + Send + 'static {
    struct Broken;
    impl tokio::io::AsyncRead for Broken {
        fn poll_read(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
            _: &mut tokio::io::ReadBuf<'_>,
        ) -> std::task::Poll<std::io::Result<()>> {
            std::task::Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into()))
        }
    }
    tokio::io::AsyncReadExt::chain(&b"a\n"[..], Broken)
}

/// Set in the process that reads standard input.
const CHILD: &str = "PROJECTIONIST_TEST_READS_STANDARD_INPUT";

/// Does something only in the process that [`standard_input_is_read_to_its_end`] starts.
#[tokio::test]
async fn reads_standard_input() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let source = StreamSource::stdin(Json, &SystemClock);
    let stream = source.open(None, Mode::Live).await.unwrap();
    let events: Vec<_> = stream.map(|item| see(item.unwrap(), 1)).collect().await;
    println!("{} lines, the last is {:?}", events.len(), events.last());
}

#[test]
fn standard_input_is_read_to_its_end() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "reads_standard_input", "--nocapture"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("{}\n".repeat(100_000).as_bytes()).unwrap();
    input.write_all(b"[1]").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let last = Seen::Event(b"[1]".to_vec(), 300_003, 100_001);
    let expected = format!("100001 lines, the last is {:?}", Some(last));
    assert!(output.contains(&expected), "{output}");
}
