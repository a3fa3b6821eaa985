//! A live stream follows its file, and stops when it cannot be followed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::time::Duration;

use common::{Json, TestFile, event, fault, is_quiet, next};
use futures::StreamExt;
use projectionist_core::Error;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_source_file::{Fault, FileOptions, FileStream};

async fn follow(file: &TestFile) -> FileStream<Json> {
    file.source(Json).open(None, Mode::Live).await.unwrap()
}

async fn failure(mut stream: FileStream<Json>) -> Error {
    let error = next(&mut stream).await.unwrap_err();
    assert!(stream.next().await.is_none());
    error
}

#[tokio::test(start_paused = true)]
async fn what_is_appended_is_delivered() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file).await;
    assert_eq!(event(&mut stream).await.event(), "1");
    assert!(is_quiet(&mut stream).await);
    file.append("2\n3\n");
    assert_eq!(event(&mut stream).await.event(), "2");
    assert_eq!(event(&mut stream).await.event(), "3");
    file.append("4\n");
    let fourth = event(&mut stream).await;
    assert_eq!((fourth.event().as_str(), fourth.position().line), ("4", 4));
}

#[tokio::test(start_paused = true)]
async fn a_line_waits_for_its_line_end() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file).await;
    event(&mut stream).await;
    for part in ["\"", "ä", "\""] {
        file.append(part);
        assert!(is_quiet(&mut stream).await);
    }
    file.append("\n");
    let second = event(&mut stream).await;
    assert_eq!(second.event(), "\"ä\"");
    assert_eq!((second.position().byte, second.position().line), (7, 2));
}

#[tokio::test(start_paused = true)]
async fn a_whole_last_line_of_a_run_before_is_not_delivered_again() {
    let file = TestFile::with("1\n22");
    let from = file.items(None).await[1].1.clone();
    let mut stream = file
        .source(Json)
        .open(Some(from.clone()), Mode::Live)
        .await
        .unwrap();
    assert!(is_quiet(&mut stream).await);
    file.append("\n3\n");
    let third = event(&mut stream).await;
    assert_eq!((third.event().as_str(), third.position().line), ("3", 3));
}

#[tokio::test(start_paused = true)]
async fn the_end_is_looked_at_once_an_interval() {
    let file = TestFile::with("");
    let options = FileOptions::default().with_poll_interval(Duration::from_secs(90));
    let source = file.source_with(Json, options);
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    let start = tokio::time::Instant::now();
    assert!(is_quiet(&mut stream).await);
    file.append("1\n");
    event(&mut stream).await;
    let waited = start.elapsed().as_secs();
    assert!((90..92).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_not_there_yet_is_waited_for() {
    let file = TestFile::missing();
    let mut stream = follow(&file).await;
    assert!(is_quiet(&mut stream).await);
    file.replace("1\n");
    assert_eq!(event(&mut stream).await.event(), "1");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_appears_is_compared_with_the_position() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    std::fs::remove_file(file.path()).unwrap();
    let mut stream = file
        .source(Json)
        .open(Some(from.clone()), Mode::Live)
        .await
        .unwrap();
    assert!(is_quiet(&mut stream).await);
    file.replace("3\n4\n");
    let error = failure(stream).await;
    assert!(matches!(fault(&error), Fault::Replaced { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn another_file_at_the_path_stops_the_stream_after_the_old_ones_rest() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file).await;
    event(&mut stream).await;
    file.append("2\n");
    file.replace("3\n");
    assert_eq!(event(&mut stream).await.event(), "2");
    let error = failure(stream).await;
    let is_moved = matches!(
        fault(&error),
        Fault::Moved {
            gone: false,
            byte: 4,
            ..
        }
    );
    assert!(is_moved, "{error}");
    assert!(error.to_string().contains("was replaced by another file"));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_was_moved_to_another_folder_or_deleted_stops_the_stream() {
    let elsewhere = tempfile::tempdir().unwrap();
    let moves: [&dyn Fn(&std::path::Path); 2] = [
        &|path| std::fs::rename(path, elsewhere.path().join("events.jsonl.1")).unwrap(),
        &|path| std::fs::remove_file(path).unwrap(),
    ];
    for away in moves {
        let file = TestFile::with("1\n");
        let mut stream = follow(&file).await;
        event(&mut stream).await;
        file.append("2\n");
        away(file.path());
        assert_eq!(event(&mut stream).await.event(), "2");
        let error = failure(stream).await;
        assert!(matches!(fault(&error), Fault::Moved { gone: true, .. }));
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_truncated_stops_the_stream() {
    let file = TestFile::with("1\n2\n");
    let mut stream = follow(&file).await;
    event(&mut stream).await;
    event(&mut stream).await;
    file.truncate(2);
    let error = failure(stream).await;
    let is_truncated = matches!(
        fault(&error),
        Fault::Truncated {
            length: 2,
            read: 4,
            ..
        }
    );
    assert!(is_truncated, "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_rewritten_in_place_and_longer_stops_the_stream() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file).await;
    event(&mut stream).await;
    assert!(is_quiet(&mut stream).await);
    file.overwrite("2\n3\n");
    let error = failure(stream).await;
    assert!(matches!(fault(&error), Fault::Replaced { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_long_file_that_is_rewritten_in_place_and_longer_stops_the_stream() {
    let long = format!("\"{}\"\n", "x".repeat(5000));
    let file = TestFile::with(&long);
    let mut stream = follow(&file).await;
    event(&mut stream).await;
    assert!(is_quiet(&mut stream).await);
    file.overwrite(format!("1\n{long}"));
    let error = failure(stream).await;
    assert!(matches!(fault(&error), Fault::Replaced { .. }), "{error}");
}

/// What stands before the position is not read again, but it is compared.
#[tokio::test(start_paused = true)]
async fn a_resumed_file_whose_passed_beginning_is_rewritten_stops_the_stream() {
    for length in [1, 5000] {
        let long = format!("\"{}\"\n", "x".repeat(length));
        let file = TestFile::with(format!("{long}1\n"));
        let from = file.items(None).await[0].1.clone();
        let source = file.source(Json);
        let mut stream = source.open(Some(from.clone()), Mode::Live).await.unwrap();
        assert_eq!(event(&mut stream).await.event(), "1");
        assert!(is_quiet(&mut stream).await);
        file.overwrite("\"y");
        file.append("2\n");
        let error = failure(stream).await;
        let read = long.len() as u64 + 2;
        let is_replaced = matches!(
            fault(&error),
            Fault::Replaced { compared, byte, .. } if (*compared, *byte) == (read.min(4096), read)
        );
        assert!(is_replaced, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_stream_loses_nothing() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file).await;
    let from = event(&mut stream).await.position();
    file.append("2\n");
    // Reading begins; whether it ends before the stream is dropped must not matter.
    let _ = futures::poll!(stream.next());
    drop(stream);
    let mut stream = file
        .source(Json)
        .open(Some(from.clone()), Mode::Live)
        .await
        .unwrap();
    assert_eq!(event(&mut stream).await.event(), "2");
}
