//! What is said to people. One test alone in its program: what another test logs at the same time
//! would decide whether `tracing` asks this one's subscriber.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod common;

use std::io;
use std::sync::{Arc, Mutex};

use common::{Json, TestFile, event, is_quiet};
use projectionist_core::contract::{Mode, SourceProvider};
use tracing_subscriber::fmt::MakeWriter;

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// What was logged since this was asked last.
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap()
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;
    fn make_writer(&self) -> Self {
        self.clone()
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_person_must_know_is_logged_once() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let _guard = tracing::subscriber::set_default(subscriber);

    let torn = TestFile::with("1\n\n{\"a\":");
    assert_eq!(torn.texts(None).await, ["1"]);
    let said = log.take();
    let expected =
        "the last line (line 3, byte 3) has no line end yet and is left for the next run";
    assert!(said.contains("WARN") && said.contains(expected), "{said}");
    assert!(said.contains(torn.path().to_str().unwrap()), "{said}");

    let blank_rest = TestFile::with("1\n \r");
    assert_eq!(blank_rest.texts(None).await, ["1"]);
    assert_eq!(log.take(), "");

    let missing = TestFile::missing();
    let mut stream = missing.source(Json).open(None, Mode::Live).await.unwrap();
    assert!(is_quiet(&mut stream).await);
    missing.replace("1\n");
    event(&mut stream).await;
    let said = log.take();
    assert!(said.contains("INFO") && said.contains("waiting"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}
