//! Where a lane without an offset begins.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{Json, TestFile, event};
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, Offset};
use projectionist_source_file::{FileOptions, FilePosition};

async fn latest(file: &TestFile, block_bytes: usize) -> FilePosition {
    let options = FileOptions::default().with_block_bytes(block_bytes);
    let source = file.source_with(Json, options);
    let start = source.resolve_start(&StartPosition::Latest).await.unwrap();
    start.expect("the end is a position")
}

#[tokio::test]
async fn earliest_is_no_position() {
    let source = TestFile::with("1\n").source(Json);
    let start = source.resolve_start(&StartPosition::Earliest).await;
    assert_eq!(start.unwrap(), None);
}

#[tokio::test]
async fn latest_is_behind_the_last_complete_line() {
    for (content, byte, line) in [
        ("", 0, 0),
        ("12", 0, 0),
        ("1\n", 2, 1),
        ("1\n\n2", 3, 2),
        ("1\r\n22\r\n", 7, 2),
    ] {
        let file = TestFile::with(content);
        for block_bytes in [1, 2, 3, 4096] {
            let position = latest(&file, block_bytes).await;
            assert_eq!((position.byte, position.line), (byte, line), "{content:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn from_latest_only_what_comes_is_read_and_lines_go_on_counting() {
    let file = TestFile::with("1\n2\n3");
    let start = latest(&file, 4096).await;
    let source = file.source(Json);
    let mut stream = source.open(Some(start), Mode::Live).await.unwrap();
    file.append("3\n");
    let envelope = event(&mut stream).await;
    assert_eq!(
        (envelope.event().as_str(), envelope.position().line),
        ("33", 3)
    );
}

#[tokio::test]
async fn latest_remembers_the_file() {
    let file = TestFile::with("1\n2\n");
    let start = latest(&file, 4096).await;
    file.replace("3\n4\n5\n");
    let opened = file.source(Json).open(Some(start), Mode::Current).await;
    assert!(opened.is_err());
}

#[tokio::test]
async fn latest_of_no_file_is_before_all_that_will_be_written() {
    let file = TestFile::missing();
    let start = latest(&file, 4096).await;
    file.write("1\n");
    assert_eq!(file.texts(Some(start)).await, ["1"]);
}

#[tokio::test]
async fn after_reads_an_offset_of_its_own_format_only() {
    let file = TestFile::with("1\n2\n");
    let first = file.items(None).await[0].1;
    let source = file.source(Json);
    let mut offset = Offset::of(&first);
    let start = StartPosition::After(offset.clone());
    assert_eq!(source.resolve_start(&start).await.unwrap(), Some(first));
    offset.manifest = "stream".into();
    let start = StartPosition::After(offset);
    let error = source.resolve_start(&start).await.unwrap_err();
    assert!(matches!(error, Error::Configuration { .. }), "{error}");
}
