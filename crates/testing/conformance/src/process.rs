//! Another process on the same store, which is killed.
//!
//! The other process is the test's own program, started again to run the same case: a case is
//! written once, with the part of the other process as a closure in it.

use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

use crate::OffsetStoreHarness;

/// Tells a process that it is the other one, and where its store is.
const ADDRESS: &str = "PROJECTIONIST_CONFORMANCE_STORE";

/// The line by which the other process tells that it may be killed.
const HERE: &str = "conformance: here";

tokio::task_local! {
    /// The path of the test that runs.
    static TEST: &'static str;
}

/// Runs a case of the test at this path.
pub(crate) async fn in_test(test: &'static str, case: impl Future<Output = ()>) {
    TEST.scope(test, case).await;
}

/// Runs `part` in another process on the store of `harness`, and kills that process when it has
/// called [`here`] or [`stay_here`]. The kill cannot be caught.
///
/// In the other process this function does not return.
///
/// # Panics
/// When the other process ends by itself.
pub(crate) async fn killed<H: OffsetStoreHarness>(
    harness: H,
    part: impl AsyncFnOnce(H::Store),
) -> H {
    if let Ok(address) = std::env::var(ADDRESS) {
        // What this process made for itself is not needed, and a killed process removes nothing.
        drop(harness);
        part(H::open_at(&address).await.unwrap()).await;
        wait_for_parent();
    }
    let address = harness.address().unwrap();
    let mut other = Other::start(TEST.get(), &address);
    let output = other.0.stdout.take().unwrap();
    let reached = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(output).lines();
        lines.any(|line| line.unwrap() == HERE)
    });
    assert!(
        reached.await.unwrap(),
        "the other process ended by itself; run the test with {ADDRESS}={address:?} to see why"
    );
    drop(other);
    harness
}

/// Tells the parent that this process may be killed from now on.
pub(crate) fn here() {
    // The test runner may have written half a line.
    println!("\n{HERE}");
    std::io::stdout().flush().unwrap();
}

/// As [`here`], and does nothing more.
pub(crate) fn stay_here() -> ! {
    here();
    wait_for_parent()
}

/// Blocks until the parent kills this process, or is gone itself.
fn wait_for_parent() -> ! {
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    std::process::exit(0)
}

/// The other process. Dropping this kills it.
struct Other(Child);

impl Other {
    fn start(test: &str, address: &str) -> Self {
        // The runner knows a test by its path without the name of the program.
        let (_, test) = test.split_once("::").unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(ADDRESS, address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        Self(child.unwrap())
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}
