//! A last line without line end: delivered when it is whole, otherwise left, and never lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{AnyBytes, Seen, TestFile, see};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider};

#[tokio::test]
async fn a_whole_last_line_is_delivered_once_and_counted_once() {
    let file = TestFile::with("1\n22");
    let items = file.items(None).await;
    let position = items[1].1.clone();
    assert_eq!((position.byte, position.line), (4, 2));
    assert!(file.items(Some(position.clone())).await.is_empty());
    for line_end in ["\n", "\r\n", " \r\n"] {
        file.write("1\n22");
        file.append(line_end);
        assert!(file.items(Some(position.clone())).await.is_empty());
        file.append("333\n");
        let rest = file.items(Some(position.clone())).await;
        assert_eq!((rest[0].0.as_str(), rest[0].1.line), ("333", 3));
    }
}

#[tokio::test]
async fn a_line_that_goes_on_behind_a_delivered_beginning_is_not_lost() {
    let file = TestFile::with("1\n22");
    let position = file.items(None).await[1].1.clone();
    file.append("44\n5\n");
    let source = file.source(AnyBytes);
    let stream = source
        .open(Some(position.clone()), Mode::Current)
        .await
        .unwrap();
    let seen: Vec<_> = stream.map(|item| see(item.unwrap(), 0)).collect().await;
    assert_eq!(
        seen,
        [
            Seen::Malformed(b"44".to_vec(), 7, 2, "line 2".to_owned()),
            Seen::Event(b"5".to_vec(), 9, 3),
        ]
    );
}

/// The file may end anywhere when the first run reads it, inside of a character too.
#[tokio::test]
async fn two_runs_over_any_cut_give_each_record_once() {
    let whole = "\u{FEFF}{\"a\":\"ä€🦀\"}\r\n\n{\"b\":{\"c\":[1,2]}}\n \t\n\"x\"\r\n[]\n{}";
    let expected = [
        "{\"a\":\"ä€🦀\"}",
        "{\"b\":{\"c\":[1,2]}}",
        "\"x\"",
        "[]",
        "{}",
    ];
    for cut in 0..=whole.len() {
        let file = TestFile::with(&whole.as_bytes()[..cut]);
        let mut items = file.items(None).await;
        let position = items.last().map(|(_, position)| position.clone());
        file.append(&whole.as_bytes()[cut..]);
        items.extend(file.items(position).await);
        let texts: Vec<_> = items.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, expected, "cut at {cut}");
        let lines: Vec<_> = items.iter().map(|(_, position)| position.line).collect();
        assert_eq!(lines, [1, 3, 5, 6, 7], "cut at {cut}");
    }
}
