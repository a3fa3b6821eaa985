//! Where a lane without an offset begins.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use bytes::Bytes;
use common::{Json, TestFile, Timed, event};
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, Offset, Timestamp};
use projectionist_source_file::{FileOptions, FilePosition};

async fn latest(file: &TestFile, block_bytes: usize) -> FilePosition {
    let options = FileOptions::default().with_block_bytes(block_bytes);
    let source = file.source_with(Json, options);
    let start = source.resolve_start(&StartPosition::Latest).await.unwrap();
    start.expect("the end is a position")
}

#[tokio::test]
async fn earliest_is_no_position_where_there_is_nothing_yet() {
    for file in [TestFile::with(""), TestFile::missing()] {
        let start = file
            .source(Json)
            .resolve_start(&StartPosition::Earliest)
            .await;
        assert_eq!(start.unwrap(), None);
    }
}

/// What is read first stands fixed before anything of it is settled.
#[tokio::test(start_paused = true)]
async fn earliest_is_the_beginning_of_the_file_that_is_there() {
    let file = TestFile::with("1\n2\n");
    let source = file.source(Json);
    let start = source
        .resolve_start(&StartPosition::Earliest)
        .await
        .unwrap();
    let start = start.unwrap();
    let identity = common::identity_text(b"1\n2\n");
    assert_eq!(start.to_string(), format!("0:0:{identity}"));
    assert_eq!(file.texts(Some(start.clone())).await, ["1", "2"]);
    std::fs::rename(file.path(), file.path().with_extension("jsonl.1")).unwrap();
    file.write("3\n");
    assert_eq!(file.texts(Some(start.clone())).await, ["1", "2", "3"]);
    let mut stream = source.open(Some(start.clone()), Mode::Live).await.unwrap();
    for expected in ["1", "2", "3"] {
        assert_eq!(event(&mut stream).await.event(), expected);
    }
    // Nothing of it was settled, so another file may take its place.
    file.replace("4\n");
    std::fs::remove_file(file.path().with_extension("jsonl.1")).unwrap();
    assert_eq!(file.texts(Some(start)).await, ["4"]);
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
    let mut stream = source.open(Some(start.clone()), Mode::Live).await.unwrap();
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
    let opened = file
        .source(Json)
        .open(Some(start.clone()), Mode::Current)
        .await;
    assert!(opened.is_err());
}

#[tokio::test]
async fn latest_of_no_file_is_before_all_that_will_be_written() {
    let file = TestFile::missing();
    let start = latest(&file, 4096).await;
    file.write("1\n");
    assert_eq!(file.texts(Some(start.clone())).await, ["1"]);
}

#[tokio::test]
async fn after_reads_an_offset_of_its_own_format_only() {
    let file = TestFile::with("1\n2\n");
    let first = file.items(None).await[0].1.clone();
    let source = file.source(Json);
    let mut offset = Offset::of(&first);
    let start = StartPosition::After(offset.clone());
    assert_eq!(
        source.resolve_start(&start).await.unwrap(),
        Some(first.clone())
    );
    offset.manifest = "stream".into();
    let start = StartPosition::After(offset);
    let error = source.resolve_start(&start).await.unwrap_err();
    assert!(matches!(error, Error::Configuration { .. }), "{error}");
}

/// Where a lane begins that starts at this time.
async fn start_at(file: &TestFile, unix_millis: i64) -> Result<Option<(u64, u64)>, Error> {
    let start = StartPosition::Timestamp(Timestamp::from_unix_millis(unix_millis));
    let position = file.source(Timed).resolve_start(&start).await?;
    Ok(position.map(|position| (position.byte, position.line)))
}

#[tokio::test]
async fn a_time_is_before_the_first_record_of_it_in_the_order_of_the_file() {
    let file = TestFile::with("10 a\n\n- b\nbad\n30 c\n20 d\n40 e\n");
    let (behind_first, behind_bad, behind_late, end) = ((5, 1), (14, 4), (24, 6), (29, 7));
    for (time, expected) in [
        (9, None),
        (10, None),
        (11, Some(behind_bad)),
        (20, Some(behind_bad)),
        (30, Some(behind_bad)),
        (31, Some(behind_late)),
        (40, Some(behind_late)),
        (41, Some(end)),
    ] {
        assert_eq!(start_at(&file, time).await.unwrap(), expected, "{time}");
    }
    let file = TestFile::with("10 a\n20 b");
    assert_eq!(start_at(&file, 20).await.unwrap(), Some(behind_first));
}

#[tokio::test(start_paused = true)]
async fn from_behind_an_unfinished_last_line_only_what_comes_is_read() {
    let file = TestFile::with("10 a\n20 b");
    let start = StartPosition::Timestamp(Timestamp::from_unix_millis(30));
    let source = file.source(Timed);
    let start = source.resolve_start(&start).await.unwrap();
    assert_eq!(start.as_ref().unwrap().byte, 9);
    let mut stream = source.open(start, Mode::Live).await.unwrap();
    file.append("\n25 c\n");
    assert_eq!(event(&mut stream).await.event().1, "c");
}

#[tokio::test]
async fn at_a_time_nothing_there_yet_begins_with_what_will_be_written() {
    let missing = TestFile::missing();
    assert_eq!(start_at(&missing, 10).await.unwrap(), Some((0, 0)));
    let blank = TestFile::with("\n\n");
    assert_eq!(start_at(&blank, 10).await.unwrap(), Some((2, 2)));
    let bad = TestFile::with("bad\n");
    assert_eq!(start_at(&bad, 10).await.unwrap(), Some((4, 1)));
}

#[tokio::test]
async fn a_file_that_tells_no_time_cannot_be_started_at_one() {
    let file = TestFile::with("- a\n- b\n");
    let error = start_at(&file, 10).await.unwrap_err();
    assert!(matches!(error, Error::Configuration { .. }), "{error}");
    assert!(error.to_string().contains("earliest"), "{error}");
}

#[tokio::test]
async fn an_event_that_was_written_down_is_read_back() {
    let file = TestFile::with("10 a\n20 b\n");
    let source = file.source(Timed);
    let mut stream = source.open(None, Mode::Current).await.unwrap();
    let envelope = event(&mut stream).await;
    let mut bytes = Vec::new();
    source.encode(&envelope, &mut bytes);
    let bytes = Bytes::from(bytes);
    let decoded = source.decode(envelope.position(), &bytes).unwrap();
    assert_eq!(decoded.event(), &(Some(10), "a".to_owned()));
    assert_eq!(
        (decoded.position(), decoded.bytes()),
        (envelope.position(), 4)
    );
    let refused = source.decode(envelope.position(), &Bytes::from_static(b"x y"));
    assert_eq!(refused.unwrap_err(), "\"x\" is no time");
}
