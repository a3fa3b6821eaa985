//! A file that is rotated is read on: each line once, whatever was running when.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{Json, TestFile, event, fault, is_quiet, next};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Position, SourceItem};
use projectionist_source_file::{Fault, FilePosition, FileSource, FileStream};

/// The path beside the file whose name ends otherwise.
fn beside(file: &TestFile, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}{ending}", file.path().display()))
}

fn rename(file: &TestFile, ending: &str) {
    fs::rename(file.path(), beside(file, ending)).unwrap();
}

/// What logrotate does with `copytruncate`.
fn copy_and_cut(file: &TestFile, ending: &str) {
    fs::copy(file.path(), beside(file, ending)).unwrap();
    file.truncate(0);
}

async fn follow(file: &TestFile, from: Option<&FilePosition>) -> FileStream<Json> {
    // As a store would keep it.
    let from = from.map(|from| FilePosition::parse(&from.to_string()).unwrap());
    file.source(Json).open(from, Mode::Live).await.unwrap()
}

/// The next events, and the position of the last one.
async fn take(stream: &mut FileStream<Json>, count: usize) -> (Vec<String>, FilePosition) {
    let mut taken = Vec::new();
    let mut position = None;
    for _ in 0..count {
        let envelope = event(stream).await;
        position = Some(envelope.position());
        taken.push(envelope.into_event());
    }
    (taken, position.unwrap())
}

#[tokio::test(start_paused = true)]
async fn a_renamed_file_is_read_to_its_end_and_then_the_new_one() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file, None).await;
    let (_, first) = take(&mut stream, 1).await;
    rename(&file, ".1");
    // The writer has not noticed yet.
    let mut old = fs::OpenOptions::new();
    let mut old = old.append(true).open(beside(&file, ".1")).unwrap();
    std::io::Write::write_all(&mut old, b"2\n").unwrap();
    assert_eq!(event(&mut stream).await.event(), "2");
    file.write("");
    std::io::Write::write_all(&mut old, b"3\n").unwrap();
    assert_eq!(event(&mut stream).await.event(), "3");
    assert!(is_quiet(&mut stream).await);
    file.append("4\n");
    let (_, fourth) = take(&mut stream, 1).await;
    assert_eq!((fourth.generation, fourth.byte, fourth.line), (1, 2, 1));
    assert!(first < fourth);
    for (from, expected) in [(first, vec!["2", "3", "4", "5"]), (fourth, vec!["5"])] {
        file.write("4\n5\n");
        let mut stream = follow(&file, Some(&from)).await;
        assert_eq!(take(&mut stream, expected.len()).await.0, expected);
        assert!(is_quiet(&mut stream).await);
    }
}

/// Several rotations while nothing ran, or while much was left to read.
#[tokio::test(start_paused = true)]
async fn rotated_files_are_read_in_their_order() {
    type Rotate = fn(&TestFile);
    let numbered: Rotate = |file| {
        for number in (1..9).rev() {
            let old = beside(file, &format!(".{number}"));
            if old.exists() {
                fs::rename(old, beside(file, &format!(".{}", number + 1))).unwrap();
            }
        }
        rename(file, ".1");
    };
    let dated: Rotate = |file| {
        let mut day = 1;
        while beside(file, &format!("-2024010{day}")).exists() {
            day += 1;
        }
        rename(file, &format!("-2024010{day}"));
    };
    for rotate in [numbered, dated] {
        for is_running in [true, false] {
            let file = TestFile::with("1\n2\n");
            let mut stream = follow(&file, None).await;
            let (_, from) = take(&mut stream, 1).await;
            for lines in ["3\n4\n", "5\n", "", "6\n7\n"] {
                rotate(&file);
                file.write(lines);
            }
            let expected = ["2", "3", "4", "5", "6", "7"];
            if !is_running {
                stream = follow(&file, Some(&from)).await;
            }
            let (taken, last) = take(&mut stream, expected.len()).await;
            assert_eq!(taken, expected);
            assert!(is_quiet(&mut stream).await);
            assert_eq!(last.line, 2);
        }
    }
}

#[tokio::test]
async fn a_run_to_the_end_goes_through_rotated_files_too() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    rename(&file, ".1");
    file.write("3\n4");
    assert_eq!(file.texts(Some(from.clone())).await, ["2", "3", "4"]);
    // Nothing is read where only the file at the path is missing: it may be made at once.
    fs::remove_file(file.path()).unwrap();
    let opened = file.source(Json).open(Some(from), Mode::Current).await;
    assert!(matches!(
        fault(&opened.err().unwrap()),
        Fault::Missing { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn a_copied_and_cut_file_is_read_on_in_its_copy_and_then_anew() {
    for is_running in [true, false] {
        for regrown in ["", "4\n", "a long line that was not there before\n"] {
            let file = TestFile::with("1\n");
            let mut stream = follow(&file, None).await;
            let (_, from) = take(&mut stream, 1).await;
            file.append("2\n3\n");
            copy_and_cut(&file, ".1");
            file.append(format!("{:?}\n", regrown));
            if !is_running {
                stream = follow(&file, Some(&from)).await;
            }
            let (taken, last) = take(&mut stream, 3).await;
            assert_eq!(taken, ["2", "3", &format!("{regrown:?}")]);
            assert_eq!(last.generation, 1);
            assert!(is_quiet(&mut stream).await);
        }
    }
}

/// Where nothing was read, nothing tells a file that was cut from one that is empty still.
#[tokio::test(start_paused = true)]
async fn what_is_written_and_rotated_between_two_looks_is_read() {
    type Rotate = fn(&TestFile, &str);
    let kinds: [Rotate; 2] = [rename, copy_and_cut];
    for rotate in kinds {
        for begins in [TestFile::missing(), TestFile::with("")] {
            fs::write(beside(&begins, ".9"), "0\n").unwrap();
            let mut stream = follow(&begins, None).await;
            assert!(is_quiet(&mut stream).await);
            begins.write("1\n2\n");
            rotate(&begins, ".2");
            begins.write("3\n");
            rotate(&begins, ".1");
            begins.write("");
            assert_eq!(take(&mut stream, 3).await.0, ["1", "2", "3"]);
            assert!(is_quiet(&mut stream).await);
            begins.append("4\n");
            rotate(&begins, ".0");
            begins.write("");
            assert_eq!(take(&mut stream, 1).await.0, ["4"]);
            assert!(is_quiet(&mut stream).await);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn half_a_line_at_the_end_of_a_rotated_file_is_told() {
    let file = TestFile::with("1\n2");
    let mut stream = follow(&file, None).await;
    take(&mut stream, 1).await;
    rename(&file, ".2");
    file.write("{\"a");
    let (taken, second) = take(&mut stream, 1).await;
    assert_eq!(taken, ["2"]);
    rename(&file, ".1");
    file.write("4\n");
    let SourceItem::Malformed(bad) = next(&mut stream).await.unwrap() else {
        panic!("half a line is no event");
    };
    assert_eq!((&*bad.raw, bad.place.as_str()), (&b"{\"a"[..], "line 1"));
    assert_eq!(take(&mut stream, 1).await.0, ["4"]);
    for (from, expected) in [(second, 2), (bad.position, 1)] {
        let mut stream = follow(&file, Some(&from)).await;
        for _ in 0..expected {
            next(&mut stream).await.unwrap();
        }
        assert!(is_quiet(&mut stream).await);
    }
}

/// A file is compressed after it was rotated: while it is read, and while nothing runs.
#[tokio::test(start_paused = true)]
async fn a_rotated_file_may_be_compressed() {
    for is_running in [true, false] {
        let file = TestFile::with("1\n2\n");
        let mut stream = follow(&file, None).await;
        let (_, from) = take(&mut stream, 2).await;
        file.append("3\n");
        rename(&file, ".1");
        let packed = common::gzip(&fs::read(beside(&file, ".1")).unwrap());
        if is_running {
            assert_eq!(take(&mut stream, 1).await.0, ["3"]);
        }
        fs::write(beside(&file, ".1.gz"), packed).unwrap();
        fs::remove_file(beside(&file, ".1")).unwrap();
        file.write("4\n");
        let expected = if is_running {
            vec!["4"]
        } else {
            stream = follow(&file, Some(&from)).await;
            vec!["3", "4"]
        };
        assert_eq!(take(&mut stream, expected.len()).await.0, expected);
        assert!(is_quiet(&mut stream).await);
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_of_another_name_is_found_when_it_holds_what_was_read() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    fs::write(beside(&file, ".1"), "7\n8\n").unwrap();
    rename(&file, ".old");
    file.write("3\n");
    let mut stream = follow(&file, Some(&from)).await;
    // The rotated file of a number was written before.
    assert_eq!(take(&mut stream, 1).await.0, ["2"]);
}

async fn refused(file: &TestFile, from: FilePosition) -> projectionist_core::Error {
    let mut stream = match file.source(Json).open(Some(from), Mode::Live).await {
        Ok(stream) => stream,
        Err(error) => return error,
    };
    loop {
        if let Err(error) = next(&mut stream).await {
            assert!(stream.next().await.is_none());
            return error;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn two_files_that_could_be_the_one_that_was_read_are_named() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    rename(&file, ".1");
    fs::write(beside(&file, ".bak"), "1\n3\n").unwrap();
    file.write("4\n");
    let error = refused(&file, from).await;
    let Fault::Ambiguous { candidates, .. } = fault(&error) else {
        panic!("{error}");
    };
    assert_eq!(candidates, &["events.jsonl.1", "events.jsonl.bak"]);
}

#[tokio::test(start_paused = true)]
async fn names_and_times_that_contradict_each_other_are_told() {
    let file = TestFile::with("1\n2\n");
    let from = file.items(None).await[0].1.clone();
    rename(&file, ".2");
    fs::write(beside(&file, ".1"), "3\n").unwrap();
    file.write("4\n");
    let older = fs::File::options().write(true).open(beside(&file, ".1"));
    let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    older.unwrap().set_modified(long_ago).unwrap();
    let error = refused(&file, from).await;
    let Fault::Unordered {
        other, is_later, ..
    } = fault(&error)
    else {
        panic!("{error}");
    };
    assert_eq!((other.as_str(), *is_later), ("events.jsonl.1", true));
}

/// What was there before the beginning is no reason to stop.
#[tokio::test(start_paused = true)]
async fn older_files_whose_order_is_unclear_do_not_matter() {
    let file = TestFile::missing();
    for (number, second) in [(1, 1), (2, 2)] {
        let path = beside(&file, &format!(".{number}"));
        fs::write(&path, "7\n").unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(second);
        let older = fs::File::options().write(true).open(path);
        older.unwrap().set_modified(time).unwrap();
    }
    let mut stream = follow(&file, None).await;
    assert!(is_quiet(&mut stream).await);
    file.write("1\n");
    assert_eq!(take(&mut stream, 1).await.0, ["1"]);
}

/// A link that is turned to one file after the other is rotation too.
#[tokio::test(start_paused = true)]
async fn a_link_is_followed_to_what_it_points_to_next() {
    let file = TestFile::missing();
    let mut stream = follow(&file, None).await;
    for day in 1..4 {
        let target = beside(&file, &format!("-2024010{day}"));
        fs::write(&target, format!("{day}\n")).unwrap();
        let link = beside(&file, ".new");
        std::os::unix::fs::symlink(target, &link).unwrap();
        fs::rename(link, file.path()).unwrap();
        let (taken, position) = take(&mut stream, 1).await;
        assert_eq!(taken, [day.to_string()]);
        assert!(is_quiet(&mut stream).await);
        let mut again = follow(&file, Some(&position)).await;
        assert!(is_quiet(&mut again).await);
    }
}

/// What stands beside the file and is no rotation of it is left alone.
#[tokio::test(start_paused = true)]
async fn files_of_similar_names_are_no_rotations() {
    let file = TestFile::with("1\n");
    let mut stream = follow(&file, None).await;
    take(&mut stream, 1).await;
    rename(&file, ".1");
    for ending in [".bak", ".tmp", "2", "-schema.json"] {
        fs::write(beside(&file, ending), "7\n").unwrap();
    }
    file.write("2\n");
    assert_eq!(take(&mut stream, 1).await.0, ["2"]);
    assert!(is_quiet(&mut stream).await);
}

#[tokio::test(start_paused = true)]
async fn the_bytes_that_are_left_are_told() {
    let file = TestFile::with("1\n22\n333\n");
    let source: FileSource<Json> = file.source(Json);
    let left = async |low: Option<&FilePosition>| source.remaining_bytes(low).await.unwrap();
    assert_eq!(left(None).await, Some(9));
    let first = file.items(None).await[0].1.clone();
    assert_eq!(left(Some(&first)).await, Some(7));
    rename(&file, ".2");
    fs::write(beside(&file, ".1"), "4\n").unwrap();
    file.write("55\n");
    assert_eq!(left(Some(&first)).await, Some(7 + 2 + 3));
}

#[tokio::test(start_paused = true)]
async fn a_source_says_that_it_waits_for_its_file() {
    let file = TestFile::missing();
    let source = file.source(Json);
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    assert!(is_quiet(&mut stream).await);
    let reason = source.waiting_for().unwrap();
    assert!(
        reason.contains("events.jsonl, which is not there yet"),
        "{reason}"
    );
    file.write("1\n");
    take(&mut stream, 1).await;
    assert_eq!(source.waiting_for(), None);
}
