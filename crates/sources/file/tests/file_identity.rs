//! A position belongs to one file: another one at its path is refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{Json, TestFile, fault, identity_text, position_text, text_at};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Error, Position};
use projectionist_source_file::{Fault, FileOptions, FilePosition, FileSource};

/// As a store would keep it.
fn stored(position: FilePosition) -> FilePosition {
    let mut text = String::new();
    position.write_to(&mut text);
    FilePosition::parse(&text).unwrap()
}

async fn refused(file: &TestFile, from: FilePosition, mode: Mode) -> Error {
    let opened = file
        .source(Json)
        .open(Some(stored(from.clone())), mode)
        .await;
    opened.err().expect("the file is another one")
}

#[tokio::test]
async fn a_replaced_file_is_refused_and_the_choices_are_named() {
    let file = TestFile::with("1\n2\n3\n");
    let from = file.items(None).await[0].1.clone();
    file.replace("9\n2\n3\n4\n");
    for mode in [Mode::Current, Mode::Live] {
        let error = refused(&file, from.clone(), mode).await;
        assert!(matches!(
            fault(&error),
            Fault::Replaced {
                compared: 2,
                byte: 2,
                ..
            }
        ));
        let text = error.to_string();
        for part in [
            file.path().to_str().unwrap(),
            "put the old file back",
            "new target",
        ] {
            assert!(text.contains(part), "{text}");
        }
    }
}

#[tokio::test]
async fn a_truncated_file_is_refused_with_both_lengths() {
    let file = TestFile::with("1\n2\n3\n");
    let from = file.items(None).await[2].1.clone();
    file.write("1\n2\n");
    let error = refused(&file, from.clone(), Mode::Current).await;
    assert!(matches!(
        fault(&error),
        Fault::Truncated {
            length: 4,
            read: 6,
            ..
        }
    ));
    let text = error.to_string();
    assert!(
        text.contains("4 bytes") && text.contains("6 bytes"),
        "{text}"
    );
}

/// Offsets of earlier builds covered what the file held when it was read, not only what was
/// consumed.
#[tokio::test]
async fn an_identity_that_covers_more_than_was_consumed_is_accepted_and_compared_whole() {
    let content = b"1\n2\n3\n";
    let text = format!("2:1:{}", identity_text(content));
    let from = FilePosition::parse(&text).unwrap();
    let file = TestFile::with(content);
    for block_bytes in [1, 3, 4096] {
        let options = FileOptions::default().with_block_bytes(block_bytes);
        let source = file.source_with(Json, options);
        let stream = source
            .open(Some(from.clone()), Mode::Current)
            .await
            .unwrap();
        let seen: Vec<_> = stream
            .map(|item| position_text(&item.unwrap()))
            .collect()
            .await;
        assert_eq!(seen, [text_at(content, 4, 2), text_at(content, 6, 3)]);
    }

    file.replace("1\n2\n4\n");
    for mode in [Mode::Current, Mode::Live] {
        let error = refused(&file, from.clone(), mode).await;
        assert!(matches!(
            fault(&error),
            Fault::Replaced {
                compared: 6,
                byte: 2,
                ..
            }
        ));
    }
    file.write("1\n2\n");
    let error = refused(&file, from.clone(), Mode::Current).await;
    assert!(matches!(fault(&error), Fault::Truncated { read: 6, .. }));
}

#[tokio::test]
async fn what_was_not_consumed_may_change() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    file.write("1\n33\n4\n");
    assert_eq!(file.texts(Some(stored(from.clone()))).await, ["33", "4"]);
}

#[tokio::test]
async fn a_file_that_grew_is_the_same_file() {
    let file = TestFile::with("1\n");
    let from = file.items(None).await[0].1.clone();
    file.append("2\n".repeat(5000));
    assert_eq!(file.texts(Some(stored(from.clone()))).await.len(), 5000);
}

#[tokio::test]
async fn the_hash_covers_no_more_than_4096_bytes() {
    let line = format!("\"{}\"\n", "x".repeat(4095));
    let file = TestFile::with(format!("{line}1\n"));
    let from = file.items(None).await[0].1.clone();
    file.write(format!("{line}2\n"));
    assert_eq!(file.texts(Some(stored(from.clone()))).await, ["2"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_at_open() {
    let missing = TestFile::missing();
    let opened = missing.source(Json).open(None, Mode::Current).await;
    let error = opened.err().unwrap();
    assert!(matches!(fault(&error), Fault::Missing { .. }));

    let directory = FileSource::new(missing.path().parent().unwrap(), Json);
    let error = directory.open(None, Mode::Live).await.err().unwrap();
    assert!(matches!(fault(&error), Fault::Directory { .. }));
    assert!(error.to_string().contains("/*.jsonl'"), "{error}");

    let device = FileSource::new("/dev/null", Json);
    let error = device.open(None, Mode::Current).await.err().unwrap();
    assert!(matches!(fault(&error), Fault::NotRegular { .. }));

    let file = TestFile::with("1\n");
    for options in [
        FileOptions::default().with_block_bytes(0),
        FileOptions::default().with_max_record_bytes(0),
        FileOptions::default().with_poll_interval(std::time::Duration::ZERO),
    ] {
        let opened = file.source_with(Json, options).open(None, Mode::Live).await;
        let error = opened.err().unwrap();
        assert!(matches!(error, Error::Configuration { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_cut_while_it_is_read_is_an_error_not_an_end() {
    let file = TestFile::with("1\n".repeat(1000));
    let options = FileOptions::default().with_block_bytes(10);
    let source = file.source_with(Json, options);
    let mut stream = source.open(None, Mode::Current).await.unwrap();
    assert!(stream.next().await.unwrap().is_ok());
    file.write("1\n");
    let mut last = stream.next().await.unwrap();
    while last.is_ok() {
        last = stream.next().await.expect("the stream must not just end");
    }
    assert!(matches!(fault(&last.unwrap_err()), Fault::Truncated { .. }));
    assert!(stream.next().await.is_none());
}

#[test]
fn without_a_runtime_opening_fails_instead_of_panicking() {
    let source = TestFile::with("1\n").source(Json);
    let mut opening = std::pin::pin!(source.open(None, Mode::Live));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let std::task::Poll::Ready(Err(error)) = opening.as_mut().poll(&mut context) else {
        panic!("there is nothing to wait for");
    };
    assert!(!error.is_retryable(), "{error}");
}
