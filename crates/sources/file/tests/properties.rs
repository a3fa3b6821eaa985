//! Any bytes, blocks and chunks give the records of a naive split.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{AnyBytes, Seen, TestFile, is_quiet, next, see};
use futures::StreamExt;
use projectionist_core::SystemClock;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_source_file::{
    FileOptions, FilePosition, FileSource, StreamOptions, StreamSource,
};
use proptest::prelude::*;

/// What becomes of a last line that has no line end.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// It is a line as any other.
    Counts,
    /// It is delivered when it decodes.
    IfDecoded,
    /// It is not a line yet.
    Waits,
}

/// The lines of `content`, split in one go.
fn oracle(content: &[u8], limit: usize, last: Last) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut end = 0;
    let mut lines = content.split(|byte| *byte == b'\n').peekable();
    let mut number = 0;
    while let Some(line) = lines.next() {
        let is_last = lines.peek().is_none();
        if is_last && last == Last::Waits {
            break;
        }
        let begin = end;
        end += line.len() as u64 + u64::from(!is_last);
        number += 1;
        let line = match line.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) if begin == 0 => rest,
            _ => line,
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_blank = line.iter().all(|byte| b" \t\r".contains(byte));
        if line.len() > limit || (!is_blank && line.starts_with(b"!")) {
            if !is_last || last == Last::Counts {
                let place = format!("line {number}");
                seen.push(Seen::Malformed(line.to_vec(), end, number, place));
            }
        } else if !is_blank {
            seen.push(Seen::Event(line.to_vec(), end, number));
        }
    }
    seen
}

/// Text full of what lines are made of.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => Just(b"\n".to_vec()),
        2 => Just(b"\r\n".to_vec()),
        1 => Just(b"\r".to_vec()),
        1 => Just(b" ".to_vec()),
        1 => Just(b"\xEF\xBB\xBF".to_vec()),
        1 => Just(b"!".to_vec()),
        4 => proptest::collection::vec(any::<u8>(), 0..12),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

async fn current(
    source: &FileSource<AnyBytes>,
    from: Option<FilePosition>,
) -> (Vec<Seen>, Vec<FilePosition>) {
    let mut stream = source.open(from, Mode::Current).await.unwrap();
    let (mut seen, mut positions) = (Vec::new(), Vec::new());
    while let Some(item) = stream.next().await {
        let item = item.unwrap();
        positions.push(match &item {
            projectionist_core::SourceItem::Envelope(envelope) => envelope.position(),
            projectionist_core::SourceItem::Malformed(bad) => bad.position.clone(),
        });
        seen.push(see(item, 0));
    }
    (seen, positions)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_file_gives_the_lines_of_a_naive_split_and_resumes_exactly(
        content in content(),
        block_bytes in 1..50_usize,
        limit in 1..30_usize,
    ) {
        let file = TestFile::with(&content);
        let options = FileOptions::default()
            .with_block_bytes(block_bytes)
            .with_max_record_bytes(limit);
        let source = file.source_with(AnyBytes, options);
        run(async {
            let (seen, positions) = current(&source, None).await;
            prop_assert_eq!(&seen, &oracle(&content, limit, Last::IfDecoded));
            for (passed, position) in positions.into_iter().enumerate() {
                let (rest, _) = current(&source, Some(position.clone())).await;
                prop_assert_eq!(&rest, &seen[passed + 1..]);
            }
            Ok(())
        })?;
    }

    #[test]
    fn a_stream_gives_the_lines_of_a_naive_split(
        content in content(),
        block_bytes in 1..50_usize,
        limit in 1..30_usize,
    ) {
        let expected = oracle(&content, limit, Last::Counts);
        let reader = std::io::Cursor::new(content);
        let options = StreamOptions::default()
            .with_block_bytes(block_bytes)
            .with_max_record_bytes(limit);
        let source = StreamSource::new("bytes", reader, AnyBytes, &SystemClock)
            .with_options(options);
        let seen = run(async {
            let stream = source.open(None, Mode::Current).await.unwrap();
            stream.map(|item| see(item.unwrap(), 1)).collect::<Vec<_>>().await
        });
        prop_assert_eq!(seen, expected);
    }

    #[test]
    fn a_file_that_grows_in_any_chunks_gives_each_line_when_it_is_complete(
        content in content(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        block_bytes in 1..50_usize,
        limit in 1..30_usize,
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(content.len() + 1)).collect();
        cuts.push(content.len());
        cuts.sort_unstable();
        let file = TestFile::with("");
        let options = FileOptions::default()
            .with_block_bytes(block_bytes)
            .with_max_record_bytes(limit);
        let source = file.source_with(AnyBytes, options);
        run(async {
            let mut stream = source.open(None, Mode::Live).await.unwrap();
            let (mut seen, mut written) = (Vec::new(), 0);
            for cut in cuts {
                file.append(&content[written..cut]);
                written = cut;
                let expected = oracle(&content[..cut], limit, Last::Waits);
                while seen.len() < expected.len() {
                    seen.push(see(next(&mut stream).await.unwrap(), 0));
                }
                prop_assert_eq!(&seen, &expected);
            }
            prop_assert!(is_quiet(&mut stream).await);
            Ok(())
        })?;
    }
}
