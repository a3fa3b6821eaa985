//! What a line is, told by single cases.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{Json, Seen, TestFile, see};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{SourceItem, Timestamp};
use projectionist_source_file::{FileOptions, FileSource};

async fn seen(file: &TestFile, options: FileOptions) -> Vec<Seen> {
    let source = file.source_with(Json, options);
    let stream = source.open(None, Mode::Current).await.unwrap();
    stream.map(|item| see(item.unwrap(), 0)).collect().await
}

fn event(text: &str, byte: u64, line: u64) -> Seen {
    Seen::Event(text.as_bytes().to_vec(), byte, line)
}

#[tokio::test]
async fn blank_lines_are_passed_over_and_counted() {
    let file = TestFile::with("1\n\n \t\n\r\n2\n\n");
    assert_eq!(
        seen(&file, FileOptions::default()).await,
        [event("1", 2, 1), event("2", 10, 5)]
    );
}

#[tokio::test]
async fn line_ends_of_both_kinds_are_dropped() {
    let file = TestFile::with("1\r\n2\n3\r\n");
    assert_eq!(
        seen(&file, FileOptions::default()).await,
        [event("1", 3, 1), event("2", 5, 2), event("3", 8, 3)]
    );
}

#[tokio::test]
async fn a_byte_order_mark_is_dropped_at_the_beginning_only() {
    let file = TestFile::with("\u{FEFF}1\n\u{FEFF}2\n");
    let expected = [
        event("1", 5, 1),
        Seen::Malformed("\u{FEFF}2".into(), 10, 2, "line 2".to_owned()),
    ];
    assert_eq!(seen(&file, FileOptions::default()).await, expected);
    let tiny = FileOptions::default().with_block_bytes(1);
    assert_eq!(seen(&file, tiny).await, expected);
}

#[tokio::test]
async fn nul_bytes_and_invalid_utf8_are_the_codecs_business() {
    let file = TestFile::with(b"1\n\0\n\xFF\n\"a\0\"\n2\n");
    assert_eq!(
        seen(&file, FileOptions::default()).await,
        [
            event("1", 2, 1),
            Seen::Malformed(b"\0".to_vec(), 4, 2, "line 2".to_owned()),
            Seen::Malformed(b"\xFF".to_vec(), 6, 3, "line 3".to_owned()),
            Seen::Malformed(b"\"a\0\"".to_vec(), 11, 4, "line 4".to_owned()),
            event("2", 13, 5),
        ]
    );
}

#[tokio::test]
async fn a_line_of_ten_megabytes_is_read_when_the_limit_allows_it() {
    let long = format!("\"{}\"", "x".repeat(10_000_000));
    let file = TestFile::with(format!("1\n{long}\n2\n"));
    let options = FileOptions::default().with_max_record_bytes(long.len());
    assert_eq!(
        seen(&file, options).await,
        [
            event("1", 2, 1),
            event(&long, 10_000_005, 2),
            event("2", 10_000_007, 3)
        ]
    );
}

#[tokio::test]
async fn a_line_above_the_limit_is_malformed_and_keeps_its_head() {
    let long = format!("\"{}\"", "x".repeat(10_000_000));
    let file = TestFile::with(format!("1\n{long}\r\n2\n"));
    let source = file.source(Json);
    let stream = source.open(None, Mode::Current).await.unwrap();
    let items: Vec<_> = stream.map(Result::unwrap).collect().await;
    let [_, SourceItem::Malformed(bad), SourceItem::Envelope(last)] = items.as_slice() else {
        panic!("{items:?}");
    };
    assert_eq!(bad.raw, long.as_bytes()[..64 * 1024]);
    assert_eq!(bad.place, "line 2");
    for number in ["10000002", "4194304"] {
        assert!(bad.reason.contains(number), "{}", bad.reason);
    }
    assert_eq!((last.event().as_str(), last.position().line), ("2", 3));
}

#[tokio::test]
async fn the_limit_counts_neither_line_end_nor_byte_order_mark() {
    let file = TestFile::with("\u{FEFF}123\r\n456\n7890\r\n");
    for block_bytes in [1, 4, 1000] {
        let options = FileOptions::default()
            .with_max_record_bytes(3)
            .with_block_bytes(block_bytes);
        assert_eq!(
            seen(&file, options).await,
            [
                event("123", 8, 1),
                event("456", 12, 2),
                Seen::Malformed(b"7890".to_vec(), 18, 3, "line 3".to_owned()),
            ]
        );
    }
}

#[tokio::test]
async fn what_an_envelope_says_comes_from_line_and_codec() {
    struct Stamped;
    impl projectionist_core::contract::EventCodec for Stamped {
        type Event = i64;
        type Scratch = Vec<u8>;
        fn decode(&self, seen: &mut Vec<u8>, record: bytes::Bytes) -> Result<i64, String> {
            seen.extend_from_slice(&record);
            // The buffer belongs to the stream: it still holds the records before.
            Ok(i64::try_from(seen.len()).unwrap())
        }
        fn encode(&self, event: &i64, out: &mut Vec<u8>) {
            out.extend_from_slice(event.to_string().as_bytes());
        }
        fn created_at(&self, event: &i64) -> Option<Timestamp> {
            Some(Timestamp::from_unix_millis(*event))
        }
    }
    let file = TestFile::with("abc\r\nde\n");
    let source = FileSource::new(file.path(), Stamped);
    let stream = source.open(None, Mode::Current).await.unwrap();
    let items: Vec<_> = stream.map(Result::unwrap).collect().await;
    let [_, SourceItem::Envelope(second)] = items.as_slice() else {
        panic!("{items:?}");
    };
    assert_eq!(second.as_ref(), &5);
    assert_eq!(source.size_bytes(second), 2);
    assert_eq!(source.created_at(second).unwrap().unix_millis, 5);
    let mut out = b">".to_vec();
    source.encode(second, &mut out);
    assert_eq!(out, b">5");
    let position = source.position(second);
    assert_eq!((position.byte, position.line), (8, 2));
}
