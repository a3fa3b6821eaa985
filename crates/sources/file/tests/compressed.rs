//! Compressed files are unpacked, by what they hold and not by their names.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use common::{AnyBytes, Json, TestFile, fault, gzip, position_text, text_at, zstd};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, Position, SourceItem};
use projectionist_source_file::{Fault, FileOptions, FilePosition, Packing};

type Pack = fn(&[u8]) -> Vec<u8>;

const PACKINGS: [Pack; 2] = [gzip, zstd];

/// Lines of different lengths, on both sides of byte 4096.
fn content() -> Vec<u8> {
    let line = |number: usize| format!("{}{number}\n", "x".repeat(number % 90)).into_bytes();
    (0..200).flat_map(line).collect()
}

/// The texts of the positions of all lines behind `from`, by a naive split.
fn oracle(content: &[u8], from: usize) -> Vec<String> {
    let ends = (0..content.len()).filter(|at| content[*at] == b'\n');
    let texts = ends
        .zip(1..)
        .map(|(end, line)| text_at(content, end as u64 + 1, line));
    texts.skip(from).collect()
}

#[tokio::test]
async fn a_compressed_file_gives_what_the_plain_one_does() {
    let content = content();
    let whole = oracle(&content, 0);
    for pack in PACKINGS {
        let (first, second) = content.split_at(3000);
        // Members or frames may follow one another.
        let parts = [pack(first), pack(second)].concat();
        for packed in [pack(&content), parts] {
            let file = TestFile::with(packed);
            for block_bytes in [64, 5000, 100_000] {
                let options = FileOptions::default().with_block_bytes(block_bytes);
                let source = file.source_with(AnyBytes, options);
                for from in [0_usize, 1, 60, 199, 200] {
                    let position = from.checked_sub(1).map(|last| &whole[last]);
                    let position = position.map(|text| FilePosition::parse(text).unwrap());
                    let stream = source.open(position, Mode::Current).await.unwrap();
                    let texts = stream.map(|item| position_text(&item.unwrap()));
                    assert_eq!(texts.collect::<Vec<_>>().await, oracle(&content, from));
                }
                let end = source.resolve_start(&StartPosition::Latest).await.unwrap();
                assert_eq!(end.unwrap().to_string(), whole[199]);
            }
        }
    }
}

#[tokio::test]
async fn a_compressed_file_is_not_followed() {
    for (pack, name) in PACKINGS.into_iter().zip(["gzip", "zstd"]) {
        let file = TestFile::with(pack(b"1\n"));
        let error = file
            .source(Json)
            .open(None, Mode::Live)
            .await
            .err()
            .unwrap();
        assert!(matches!(fault(&error), Fault::Compressed { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains("--once"), "{text}");
    }
}

/// Everything before the damage, and the error.
async fn before_damage(file: &TestFile, block_bytes: usize) -> (Vec<String>, Error) {
    let options = FileOptions::default().with_block_bytes(block_bytes);
    let source = file.source_with(AnyBytes, options);
    let mut stream = source.open(None, Mode::Current).await.unwrap();
    let mut texts = Vec::new();
    loop {
        match stream.next().await.expect("the stream must not just end") {
            Ok(SourceItem::Envelope(envelope)) => texts.push(envelope.position().to_string()),
            Ok(SourceItem::Malformed(bad)) => panic!("{bad:?}"),
            Err(error) => {
                assert!(stream.next().await.is_none());
                return (texts, error);
            }
        }
    }
}

#[tokio::test]
async fn a_damaged_file_is_told_and_a_whole_one_in_its_place_goes_on() {
    let content = content();
    let whole = oracle(&content, 0);
    for (pack, packing) in PACKINGS.into_iter().zip([Packing::Gzip, Packing::Zstd]) {
        let packed = pack(&content);
        let cut = packed[..packed.len() - 5].to_vec();
        let half = packed[..packed.len() / 2].to_vec();
        let mut flipped = packed.clone();
        // In the checksum at the end.
        let last = flipped.len() - if packing == Packing::Gzip { 6 } else { 2 };
        flipped[last] ^= 0x55;
        for (damaged, is_behind) in [(cut, true), (half, false), (flipped, true)] {
            let file = TestFile::with(damaged);
            let (read, error) = before_damage(&file, 100).await;
            assert_eq!(before_damage(&file, 1_000_000).await.0, read);
            let is_damaged =
                matches!(fault(&error), Fault::Damaged { packing: p, .. } if *p == packing);
            assert!(is_damaged, "{error}");
            let text = error.to_string();
            assert!(text.contains("cannot be unpacked"), "{text}");
            assert_eq!(read, whole[..read.len()]);
            // Only what follows the content is damaged.
            if packing == Packing::Gzip && is_behind {
                assert_eq!(read.len(), whole.len());
            }
            file.write(&packed);
            let from = read.last().map(|text| FilePosition::parse(text).unwrap());
            let stream = file
                .source(AnyBytes)
                .open(from, Mode::Current)
                .await
                .unwrap();
            let rest = stream.map(|item| position_text(&item.unwrap()));
            assert_eq!(rest.collect::<Vec<_>>().await, whole[read.len()..]);
        }
    }
}
