//! Whatever is written, rotated, compressed, restarted and cut, and in whatever order: each line is
//! applied exactly once, in the order in which it was written, or the stream says that it cannot.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::PathBuf;

use common::{Json, TestFile, fault, gzip, next, zstd};
use futures::StreamExt;
use projectionist_core::contract::{Mode, SourceProvider, StartPosition};
use projectionist_core::{Error, SourceItem};
use projectionist_source_file::{Fault, FileEnvelope, FileOptions, FilePosition, FileStream};

/// Scripts in every run, and in a soak.
const SCRIPTS: u64 = 150;
const SOAK_SCRIPTS: u64 = 5_000;

/// Numbers that a seed decides: SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// Writes numbered lines to one file after the other, as a program does that logs.
struct Writer<'a> {
    file: &'a TestFile,
    /// What it has open, whatever it is called now.
    open: File,
    written: Vec<String>,
    /// What is still to be written of a line.
    half: Vec<u8>,
    /// It has not noticed yet that its file was renamed.
    is_behind: bool,
}

impl<'a> Writer<'a> {
    fn open(file: &TestFile) -> File {
        let mut options = OpenOptions::new();
        options.create(true).append(true).open(file.path()).unwrap()
    }

    fn new(file: &'a TestFile) -> Self {
        Self {
            file,
            open: Self::open(file),
            written: Vec::new(),
            half: Vec::new(),
            is_behind: false,
        }
    }

    fn write(&mut self, lines: u64, random: &mut Random) {
        for _ in 0..lines {
            let number = self.written.len();
            let filling = "x".repeat(usize::try_from(random.below(300)).unwrap());
            let line = format!("\"{number} {filling}\"");
            self.half.extend_from_slice(line.as_bytes());
            self.half.push(b'\n');
            self.written.push(line);
            self.end_line();
        }
    }

    /// Writes a part of a line.
    fn write_half(&mut self, random: &mut Random) {
        self.end_line();
        let line = format!("\"{} half\"", self.written.len());
        let cut = usize::try_from(1 + random.below(line.len() as u64 - 1)).unwrap();
        let (head, rest) = line.split_at(cut);
        self.open.write_all(head.as_bytes()).unwrap();
        self.half = rest.as_bytes().to_vec();
        self.half.push(b'\n');
        self.written.push(line.clone());
    }

    fn end_line(&mut self) {
        let rest = std::mem::take(&mut self.half);
        self.open.write_all(&rest).unwrap();
    }

    /// Notices that its file was renamed.
    fn reopen(&mut self) {
        self.end_line();
        self.open = Self::open(self.file);
        self.is_behind = false;
    }

    fn beside(&self, number: u64) -> [PathBuf; 3] {
        let path = self.file.path().display();
        ["", ".gz", ".zst"].map(|ending| PathBuf::from(format!("{path}.{number}{ending}")))
    }

    /// Makes the name of number 1 free.
    fn shift(&self) {
        let numbers =
            (1..).take_while(|number| self.beside(*number).iter().any(|old| old.exists()));
        for number in numbers.collect::<Vec<_>>().into_iter().rev() {
            for (old, new) in self.beside(number).iter().zip(self.beside(number + 1)) {
                if old.exists() {
                    fs::rename(old, new).unwrap();
                }
            }
        }
    }

    fn rename(&mut self) {
        if self.is_behind {
            self.reopen();
        }
        self.shift();
        fs::rename(self.file.path(), &self.beside(1)[0]).unwrap();
        self.is_behind = true;
    }

    fn copy_and_cut(&mut self) {
        if self.is_behind {
            self.reopen();
        }
        self.end_line();
        self.shift();
        fs::copy(self.file.path(), &self.beside(1)[0]).unwrap();
        self.file.truncate(0);
    }

    /// Compresses a rotated file, as gzip and zstd do: its time is kept, and it goes at last.
    fn compress(&mut self, random: &mut Random) {
        if self.is_behind {
            self.reopen();
        }
        let [plain, gzipped, zstded] = self.beside(1 + random.below(3));
        let Ok(content) = fs::read(&plain) else {
            return;
        };
        let (path, packed) = match random.below(2) {
            0 => (gzipped, gzip(&content)),
            _ => (zstded, zstd(&content)),
        };
        let modified = fs::metadata(&plain).unwrap().modified().unwrap();
        let (first, rest) = packed.split_at(packed.len() / 2);
        let mut file = File::create(path).unwrap();
        file.write_all(first).unwrap();
        file.write_all(rest).unwrap();
        file.set_modified(modified).unwrap();
        fs::remove_file(plain).unwrap();
    }
}

/// A read model that moves with its offset: both are stored at once or not at all.
#[derive(Default)]
struct Reader {
    stored: (Vec<String>, Option<FilePosition>),
    /// What was delivered since.
    applied: Vec<String>,
    position: Option<FilePosition>,
    stream: Option<FileStream<Json>>,
}

impl Reader {
    async fn start(&mut self, file: &TestFile, random: &mut Random) {
        let block_bytes = usize::try_from(1 + random.below(2000)).unwrap();
        let options = FileOptions::default().with_block_bytes(block_bytes);
        let source = file.source_with(Json, options);
        if self.stored.1.is_none() {
            let start = source.resolve_start(&StartPosition::Earliest).await;
            self.stored.1 = start.unwrap();
        }
        // As a store keeps it.
        let from = self.stored.1.as_ref().map(ToString::to_string);
        let from = from.map(|text| projectionist_core::Position::parse(&text).unwrap());
        let stream = source.open(from, Mode::Live).await.unwrap();
        self.applied.clear();
        self.position = None;
        self.stream = Some(stream);
    }

    fn apply(&mut self, item: SourceItem<FileEnvelope<String>, FilePosition>) {
        match item {
            SourceItem::Envelope(envelope) => {
                let last = self.position.as_ref().or(self.stored.1.as_ref());
                assert!(
                    last.is_none_or(|last| *last < envelope.position()),
                    "{last:?}"
                );
                self.position = Some(envelope.position());
                self.applied.push(envelope.into_event());
            }
            SourceItem::Malformed(bad) => panic!("{bad:?}"),
        }
    }

    /// Takes what comes, at most so much, without waiting.
    fn take(&mut self, most: u64) {
        for _ in 0..most {
            let waker = std::task::Waker::noop();
            let mut context = std::task::Context::from_waker(waker);
            match self.stream.as_mut().unwrap().poll_next_unpin(&mut context) {
                std::task::Poll::Ready(Some(item)) => self.apply(item.unwrap()),
                std::task::Poll::Ready(None) => panic!("a live stream has ended"),
                std::task::Poll::Pending => return,
            }
        }
    }

    async fn until(&mut self, count: usize) {
        while self.stored.0.len() + self.applied.len() < count {
            let item = next(self.stream.as_mut().unwrap()).await.unwrap();
            self.apply(item);
        }
    }

    fn commit(&mut self) {
        if let Some(position) = self.position.take() {
            self.stored.0.append(&mut self.applied);
            self.stored.1 = Some(position);
        }
    }
}

/// Plays a script; gives how often files were rotated and runs restarted.
async fn play(seed: u64) -> (u64, u64) {
    let mut random = Random(seed);
    let file = TestFile::missing();
    let mut writer = Writer::new(&file);
    // What is there before the first run is known by its beginning.
    writer.write(1 + random.below(3), &mut random);
    let mut reader = Reader::default();
    reader.start(&file, &mut random).await;
    let (mut rotations, mut restarts) = (0, 0);
    for _ in 0..random.below(60) {
        match random.below(14) {
            0..=3 => {
                let lines = random.below(10);
                writer.write(lines, &mut random);
            }
            4 => writer.write_half(&mut random),
            5 => {
                rotations += 1;
                writer.rename();
            }
            6 => {
                rotations += 1;
                writer.copy_and_cut();
            }
            7 => writer.reopen(),
            8 => writer.compress(&mut random),
            9 => reader.take(random.below(20)),
            10 => {
                writer.end_line();
                reader.until(writer.written.len()).await;
            }
            11 => reader.commit(),
            _ => {
                restarts += 1;
                reader.stream = None;
                reader.start(&file, &mut random).await;
            }
        }
    }
    writer.reopen();
    reader.until(writer.written.len()).await;
    reader.commit();
    assert_eq!(reader.stored.0, writer.written, "PROJECTIONIST_SEED={seed}");
    if random.below(4) == 0 {
        // Something of the present file was read, so that it is missed.
        writer.write(1, &mut random);
        reader.until(writer.written.len()).await;
        file.truncate(0);
        writer.write(random.below(3), &mut random);
        let error = next(reader.stream.as_mut().unwrap()).await;
        assert_cut(
            &error
                .err()
                .unwrap_or_else(|| panic!("PROJECTIONIST_SEED={seed}")),
        );
    }
    (rotations, restarts)
}

/// The stream says that the file was cut; when more was written than there was, that it is another.
fn assert_cut(error: &Error) {
    let is_told = matches!(
        fault(error),
        Fault::Truncated { .. } | Fault::Replaced { .. } | Fault::Edited { .. }
    );
    assert!(is_told, "{error}");
}

fn seed() -> u64 {
    let seed = match std::env::var("PROJECTIONIST_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => RandomState::new().hash_one("seed"),
    };
    println!("PROJECTIONIST_SEED={seed}");
    seed
}

fn play_all(scripts: u64) -> (u64, u64) {
    let seed = seed();
    let (mut rotations, mut restarts) = (0, 0);
    for script in 0..scripts {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let played = runtime.unwrap().block_on(play(seed.wrapping_add(script)));
        rotations += played.0;
        restarts += played.1;
    }
    (rotations, restarts)
}

#[test]
fn each_line_is_applied_once_whatever_becomes_of_the_files() {
    let (rotations, restarts) = play_all(SCRIPTS);
    assert!(
        rotations > SCRIPTS && restarts > SCRIPTS,
        "{rotations} {restarts}"
    );
}

/// Thousands of random scripts of writes, rotations, cuts and restarts.
#[test]
#[ignore = "minutes: run by `cargo xtask soak`"]
fn soak_following() {
    let (rotations, restarts) = play_all(SOAK_SCRIPTS);
    println!(
        "figure: scripts={SOAK_SCRIPTS} rotations={rotations} restarts={restarts} lost=0 doubled=0"
    );
}
