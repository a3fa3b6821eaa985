//! The files of a pattern are one lane, in the order of their names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs;
use std::io::Write;

use common::{Json, fault, gzip, is_quiet, next};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, Position, SourceItem};
use projectionist_source_file::{Fault, FilePosition, FileSource, FileStream};
use tempfile::TempDir;

/// A folder of files.
struct Logs(TempDir);

impl Logs {
    fn of(files: &[(&str, &str)]) -> Self {
        let logs = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            logs.append(name, content);
        }
        logs
    }

    fn append(&self, name: &str, content: &str) {
        let mut file = fs::OpenOptions::new();
        let mut file = file
            .create(true)
            .append(true)
            .open(self.0.path().join(name))
            .unwrap();
        file.write_all(content.as_bytes()).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.0.path().join(name)).unwrap();
    }

    fn source(&self) -> FileSource<Json> {
        let pattern = format!("{}/*.jsonl", self.0.path().display());
        FileSource::matching(&pattern, Json).unwrap()
    }

    async fn open(&self, from: Option<&str>, mode: Mode) -> Result<FileStream<Json>, Error> {
        let from = from.map(|text| FilePosition::parse(text).unwrap());
        self.source().open(from, mode).await
    }

    /// Everything behind `from`, with the texts of the positions.
    async fn read(&self, from: Option<&str>) -> Vec<(String, String)> {
        let stream = self.open(from, Mode::Current).await.unwrap();
        let item = |item| seen(item);
        stream.map(item).collect().await
    }

    async fn refused(&self, from: &str) -> Error {
        let opened = self.open(Some(from), Mode::Live).await;
        opened.err().expect("it is refused")
    }
}

fn seen<T: AsRef<str>>(
    item: Result<SourceItem<projectionist_source_file::FileEnvelope<T>, FilePosition>, Error>,
) -> (String, String) {
    match item.unwrap() {
        SourceItem::Envelope(envelope) => (
            envelope.event().as_ref().to_owned(),
            envelope.position().to_string(),
        ),
        SourceItem::Malformed(bad) => (bad.place, bad.position.to_string()),
    }
}

fn texts(seen: &[(String, String)]) -> Vec<&str> {
    seen.iter().map(|(text, _)| text.as_str()).collect()
}

async fn take(stream: &mut FileStream<Json>, count: usize) -> Vec<(String, String)> {
    let mut taken = Vec::new();
    for _ in 0..count {
        taken.push(seen(next(stream).await));
    }
    taken
}

#[tokio::test]
async fn files_are_read_in_the_order_of_their_names_and_resumed_anywhere() {
    let logs = Logs::of(&[
        ("b.jsonl", "3\nbad\n4"),
        ("a.jsonl", "1\n2\n"),
        ("c.jsonl", ""),
        ("d.jsonl", "5\n"),
        ("e.txt", "6\n"),
    ]);
    let all = logs.read(None).await;
    assert_eq!(texts(&all), ["1", "2", "3", "line 2 of b.jsonl", "4", "5"]);
    let positions: Vec<_> = all
        .iter()
        .map(|(_, text)| FilePosition::parse(text).unwrap())
        .collect();
    assert!(positions.is_sorted_by(|one, next| one < next));
    let names: Vec<_> = positions
        .iter()
        .map(|position| position.file_name().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "a.jsonl", "a.jsonl", "b.jsonl", "b.jsonl", "b.jsonl", "d.jsonl"
        ]
    );
    for (passed, (_, text)) in all.iter().enumerate() {
        assert_eq!(logs.read(Some(text)).await, all[passed + 1..]);
    }
    let end = logs
        .source()
        .resolve_start(&StartPosition::Latest)
        .await
        .unwrap();
    assert_eq!(end.unwrap().to_string(), all[5].1);
}

#[tokio::test]
async fn compressed_files_are_read_among_others() {
    let logs = Logs::of(&[("a.jsonl", "1\n"), ("c.jsonl", "4\n")]);
    fs::write(logs.0.path().join("b.jsonl"), gzip(b"2\n3\n")).unwrap();
    let all = logs.read(None).await;
    assert_eq!(texts(&all), ["1", "2", "3", "4"]);
    for (passed, (_, text)) in all.iter().enumerate() {
        assert_eq!(logs.read(Some(text)).await, all[passed + 1..]);
    }
    let mut stream = logs.open(None, Mode::Live).await.unwrap();
    take(&mut stream, 1).await;
    let error = next(&mut stream).await.unwrap_err();
    assert!(matches!(fault(&error), Fault::Compressed { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn files_that_appear_later_are_taken_in_order() {
    let logs = Logs::of(&[]);
    let source = logs.source();
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    assert!(is_quiet(&mut stream).await);
    assert!(source.waiting_for().unwrap().contains("*.jsonl"));
    let missing = logs.open(None, Mode::Current).await.err().unwrap();
    assert!(matches!(fault(&missing), Fault::NoMatch { .. }));
    logs.append("b.jsonl", "1\n");
    assert_eq!(texts(&take(&mut stream, 1).await), ["1"]);
    logs.append("d.jsonl", "");
    logs.append("b.jsonl", "2\n");
    logs.append("c.jsonl", "");
    assert_eq!(texts(&take(&mut stream, 1).await), ["2"]);
    assert!(is_quiet(&mut stream).await);
    logs.append("c.jsonl", "3\n");
    assert_eq!(texts(&take(&mut stream, 1).await), ["3"]);
    logs.append("d.jsonl", "4\n");
    let fourth = take(&mut stream, 1).await.remove(0);
    assert_eq!(fourth.0, "4");
    // Those behind may go.
    for name in ["b.jsonl", "c.jsonl"] {
        logs.remove(name);
    }
    logs.append("e.jsonl", "5\n");
    assert_eq!(texts(&take(&mut stream, 1).await), ["5"]);
    assert_eq!(texts(&logs.read(Some(&fourth.1)).await), ["5"]);
}

/// What comes before the place that is reached is never passed over in silence.
#[tokio::test(start_paused = true)]
async fn a_file_that_comes_too_late_is_told_while_running_and_afterwards() {
    type Change = fn(&Logs);
    let changes: [(Change, &str); 4] = [
        (|logs| logs.append("a0.jsonl", "9\n"), "a0.jsonl"),
        (|logs| logs.append("a0.jsonl", ""), "a0.jsonl"),
        (|logs| logs.append("b.jsonl", "9\n"), "b.jsonl"),
        (
            |logs| {
                logs.remove("a.jsonl");
                logs.append("a.jsonl", "another\n");
            },
            "a.jsonl",
        ),
    ];
    for (change, name) in changes {
        let logs = Logs::of(&[("a.jsonl", "1\n"), ("b.jsonl", "2\n"), ("c.jsonl", "3\n")]);
        let mut stream = logs.open(None, Mode::Live).await.unwrap();
        let third = take(&mut stream, 3).await.remove(2).1;
        assert!(is_quiet(&mut stream).await);
        change(&logs);
        let error = next(&mut stream).await.unwrap_err();
        for error in [error, logs.refused(&third).await] {
            let Fault::OutOfOrder { path, reached } = fault(&error) else {
                panic!("{error}");
            };
            assert_eq!(path, &logs.0.path().join(name));
            assert_eq!(reached, "c.jsonl");
            assert!(error.to_string().contains("later name"), "{error}");
        }
    }
}

/// Of very many files an offset remembers the last ones; older ones may go, but not become more.
#[tokio::test]
async fn an_offset_behind_many_files_stays_short() {
    let logs = Logs::of(&[]);
    for number in 100..200 {
        logs.append(&format!("{number}.jsonl"), &format!("{number}\n"));
    }
    let all = logs.read(None).await;
    let last = &all[99].1;
    assert!(last.len() < 250, "{last}");
    for number in 100..140 {
        logs.remove(&format!("{number}.jsonl"));
    }
    assert!(logs.read(Some(last)).await.is_empty());
    // Among those that are remembered.
    logs.append("180a.jsonl", "9\n");
    assert!(matches!(
        fault(&logs.refused(last).await),
        Fault::OutOfOrder { .. }
    ));
    logs.remove("180a.jsonl");
    for number in 100..141 {
        logs.append(&format!("0{number}.jsonl"), "9\n");
    }
    // More files than were passed.
    assert!(matches!(
        fault(&logs.refused(last).await),
        Fault::OutOfOrder { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn the_file_that_is_read_must_stay() {
    let logs = Logs::of(&[("a.jsonl", "1\n2\n"), ("b.jsonl", "3\n")]);
    let first = logs.read(None).await.remove(0).1;
    logs.remove("a.jsonl");
    let error = logs.refused(&first).await;
    assert!(
        matches!(fault(&error), Fault::Removed { byte: 2, .. }),
        "{error}"
    );
    logs.append("a.jsonl", "7\n8\n");
    let error = logs.refused(&first).await;
    assert!(matches!(fault(&error), Fault::Replaced { .. }), "{error}");
    assert!(error.to_string().contains("a.jsonl"), "{error}");
}

#[tokio::test]
async fn a_place_in_a_pattern_is_none_of_a_single_file() {
    let logs = Logs::of(&[("a.jsonl", "1\n2\n")]);
    let of_pattern = logs.read(None).await.remove(0).1;
    let single = FileSource::new(logs.0.path().join("a.jsonl"), Json);
    let from = FilePosition::parse(&of_pattern).unwrap();
    let error = single.open(Some(from), Mode::Live).await.err().unwrap();
    assert!(
        matches!(fault(&error), Fault::OtherSource { of: Some(_), .. }),
        "{error}"
    );
    let stream = single.open(None, Mode::Current).await.unwrap();
    let items: Vec<_> = stream.map(seen).collect().await;
    let error = logs.refused(&items[0].1).await;
    assert!(
        matches!(fault(&error), Fault::OtherSource { of: None, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn the_bytes_of_all_files_are_left() {
    let logs = Logs::of(&[("a.jsonl", "1\n2\n"), ("b.jsonl", "333\n")]);
    let first = FilePosition::parse(&logs.read(None).await[0].1).unwrap();
    let left = logs.source().remaining_bytes(Some(&first)).await.unwrap();
    assert_eq!(left, Some(6));
}
