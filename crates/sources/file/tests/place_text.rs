//! A place in a file has one text, however far the file has grown when it is read.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{AnyBytes, TestFile, fault, next, position_text, text_at};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Offset, Position};
use projectionist_source_file::{Fault, FileOptions, FilePosition, FileSource};
use proptest::prelude::*;

/// The texts of all complete lines of `content`, by a naive split; none of them is blank.
fn oracle(content: &[u8]) -> Vec<String> {
    let ends = (0..content.len()).filter(|at| content[*at] == b'\n');
    let mut texts = Vec::new();
    for end in ends {
        let line = texts.len() as u64 + 1;
        texts.push(text_at(content, end as u64 + 1, line));
    }
    texts
}

/// The texts of everything behind `from` that the file has now.
async fn current(source: &FileSource<AnyBytes>, from: Option<&String>) -> Vec<String> {
    let from = from.map(|text| FilePosition::parse(text).unwrap());
    let stream = source.open(from, Mode::Current).await.unwrap();
    let texts = stream.map(|item| position_text(&item.unwrap()));
    texts.collect().await
}

async fn latest(source: &FileSource<AnyBytes>) -> String {
    let start = source.resolve_start(&StartPosition::Latest).await.unwrap();
    Offset::of(&start.expect("the end is a position")).text
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

/// Lines of up to 400 bytes, some of them malformed, on both sides of byte 4096.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let line = (proptest::bool::weighted(0.3), 1..400_usize, any::<u8>());
    proptest::collection::vec(line, 1..50).prop_map(|lines| {
        let lines = lines.into_iter().map(|(is_bad, length, salt)| {
            let first = if is_bad { b'!' } else { b'a' };
            let mut line = vec![b'a' + salt % 26; length];
            line[0] = first;
            line.push(b'\n');
            line
        });
        lines.collect::<Vec<_>>().concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Whoever passes a place, at any growth, in one run, in several or by following, writes the
    /// same text, which is the one that the bytes before the place give.
    #[test]
    fn a_place_has_one_text_at_any_growth(
        content in content(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6),
        block_bytes in 50..6000_usize,
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(content.len() + 1)).collect();
        cuts.push(content.len());
        cuts.sort_unstable();
        let whole = oracle(&content);
        let file = TestFile::with("");
        let options = FileOptions::default().with_block_bytes(block_bytes);
        let source = file.source_with(AnyBytes, options);
        run(async {
            let mut stream = source.open(None, Mode::Live).await.unwrap();
            let (mut followed, mut resumed) = (Vec::new(), Vec::new());
            let mut written = 0;
            for cut in cuts {
                file.append(&content[written..cut]);
                written = cut;
                let complete = oracle(&content[..cut]).len();
                let expected = &whole[..complete];
                while followed.len() < complete {
                    followed.push(position_text(&next(&mut stream).await.unwrap()));
                }
                prop_assert_eq!(&followed, expected);
                // A whole last line without its end is passed too; its place is another one.
                let anew = current(&source, None).await;
                prop_assert_eq!(&anew[..complete], expected);
                let rest = current(&source, resumed.last()).await;
                resumed.extend(rest.into_iter().filter(|text| expected.contains(text)));
                prop_assert_eq!(&resumed, expected);
                let end = expected.last().cloned().unwrap_or(text_at(&content, 0, 0));
                prop_assert_eq!(latest(&source).await, end);
            }
            Ok(())
        })?;
    }
}

/// The first run ends anywhere, inside of a line too, on both sides of byte 4096.
#[tokio::test]
async fn a_run_resumes_at_any_byte_with_the_texts_of_one_run() {
    for before in [0, 4070] {
        let mut content = vec![b'x'; before];
        content.extend_from_slice(b"\n!bad\nb\nccc\n!\ndd\neeeeeeeeeee\nf\ngggg\n");
        let begin = before.min(4060);
        let file = TestFile::with(&content);
        let source = file.source(AnyBytes);
        for byte in begin..=content.len() {
            let passed = content[..byte]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            let is_inside = byte > 0 && content[byte - 1] != b'\n';
            let line = passed as u64 + u64::from(is_inside);
            let from = text_at(&content, byte as u64, line);
            let mut rest = oracle(&content);
            // The end of the line that the position stands in: nothing is left of it, or a
            // remainder, which is malformed.
            let skip = passed + usize::from(is_inside && content.get(byte) == Some(&b'\n'));
            rest.drain(..skip);
            if byte == 0 && before == 0 {
                rest.remove(0); // The line is blank.
            }
            assert_eq!(current(&source, Some(&from)).await, rest, "{from}");
        }
    }
}

#[tokio::test]
async fn a_file_of_4096_bytes_more_or_less_one_keeps_its_text_and_its_identity() {
    for length in [4095, 4096, 4097] {
        let mut content = vec![b'x'; length - 1];
        content.push(b'\n');
        let file = TestFile::with(&content);
        let source = file.source(AnyBytes);
        let text = text_at(&content, length as u64, 1);
        assert_eq!(current(&source, None).await, [text.as_str()]);
        assert_eq!(latest(&source).await, text);

        content.extend_from_slice(b"1\n");
        file.write(&content);
        let second = text_at(&content, length as u64 + 2, 2);
        let both = [text.clone(), second.clone()];
        assert_eq!(current(&source, None).await, both);
        assert_eq!(current(&source, Some(&text)).await, [second]);

        let last_compared = length.min(4096) - 1;
        content[last_compared] = b'y';
        file.write(&content);
        let from = FilePosition::parse(&text).unwrap();
        let error = source
            .open(Some(from.clone()), Mode::Current)
            .await
            .err()
            .unwrap();
        assert!(matches!(fault(&error), Fault::Replaced { .. }), "{error}");
    }
}
