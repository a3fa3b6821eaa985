//! A file that was edited behind its beginning is told, and an offset of an earlier build, which
//! does not say what stood before it, still goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{AnyBytes, Json};
use common::{TestFile, event, fault, gzip, identity_text, is_quiet, next, text_at};
use projectionist_core::Position;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_source_file::{Fault, FilePosition};

/// Lines of 100 bytes, each with its number.
fn lines(numbers: std::ops::Range<u32>) -> Vec<u8> {
    let line = |number| format!("\"{number:0>97}\"\n").into_bytes();
    numbers.flat_map(line).collect()
}

async fn refused(file: &TestFile, text: &str, mode: Mode) -> Fault {
    let from = FilePosition::parse(text).unwrap();
    let error = file.source(Json).open(Some(from), mode).await.err();
    let error = error.expect("the file is another one");
    match fault(&error) {
        Fault::Edited { path, byte } => Fault::Edited {
            path: path.clone(),
            byte: *byte,
        },
        _ => panic!("{error}"),
    }
}

#[tokio::test]
async fn an_edit_behind_the_first_4096_bytes_is_told() {
    let content = lines(0..100);
    let from = text_at(&content, 7000, 70);
    let mut inserted = content.clone();
    inserted.splice(5000..5000, *b"7\n");
    let mut removed = content.clone();
    removed.drain(6000..6100);
    let mut changed = content.clone();
    changed[6744] = b'7';
    for edited in [inserted, removed, changed] {
        let file = TestFile::with(&edited);
        for mode in [Mode::Current, Mode::Live] {
            let fault = refused(&file, &from, mode).await;
            assert!(matches!(fault, Fault::Edited { byte: 7000, .. }));
            let text = fault.to_string();
            assert!(
                text.contains("was edited") && text.contains("new target"),
                "{text}"
            );
        }
        file.write(gzip(&edited));
        refused(&file, &from, Mode::Current).await;
    }
    // Further up than 256 bytes only what shifts is noticed.
    let mut changed = content.clone();
    changed[6743] = b'7';
    changed.truncate(7100);
    let file = TestFile::with(changed);
    let from = FilePosition::parse(&from).unwrap();
    assert_eq!(file.items(Some(from)).await.len(), 1);
}

#[tokio::test]
async fn an_offset_of_an_earlier_build_goes_on() {
    let content = lines(0..100);
    let file = TestFile::with(&content);
    let old = format!("7000:70:{}", identity_text(&content[..4096]));
    let from = FilePosition::parse(&old).unwrap();
    assert_eq!(from.to_string(), old);
    let items = file.items(Some(from)).await;
    assert_eq!(items.len(), 30);
    assert_eq!(items[0].1.to_string(), text_at(&content, 7100, 71));
}

#[tokio::test(start_paused = true)]
async fn an_edit_of_what_was_just_read_stops_a_following_stream() {
    let file = TestFile::with(lines(0..100));
    let source = file.source(AnyBytes);
    let mut stream = source.open(None, Mode::Live).await.unwrap();
    for _ in 0..100 {
        event(&mut stream).await;
    }
    assert!(is_quiet(&mut stream).await);
    let mut edited = lines(0..101);
    edited[9990] = b'7';
    file.overwrite(edited);
    let error = next(&mut stream).await.unwrap_err();
    assert!(
        matches!(fault(&error), Fault::Edited { byte: 10_000, .. }),
        "{error}"
    );
}

#[tokio::test]
async fn the_end_has_the_text_of_its_place() {
    let content = lines(0..100);
    let file = TestFile::with(&content);
    let source = file.source(AnyBytes);
    let end = source.resolve_start(&StartPosition::Latest).await.unwrap();
    assert_eq!(end.unwrap().to_string(), text_at(&content, 10_000, 100));
}
