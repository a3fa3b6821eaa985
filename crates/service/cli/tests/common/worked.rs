//! Watches a process by the work that it has done, so that it can be killed by progress.

use std::fs;
use std::path::Path;

use tokio::time::Instant;

use super::Running;
use super::wait::AT_MOST;

/// The nanoseconds that a process has worked so far; `None` when it has ended.
fn worked(process: u32) -> Option<u64> {
    let told = Path::new("/proc")
        .join(process.to_string())
        .join("schedstat");
    fs::read_to_string(told)
        .ok()?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

/// Watches a process until it has worked for so long or has ended; gives how long it had.
pub fn watched(running: &mut Running, until: u64) -> u64 {
    let deadline = Instant::now() + AT_MOST;
    let mut last = 0;
    while !running.has_ended() {
        last = worked(running.id()).unwrap_or(last).max(last);
        if last >= until {
            break;
        }
        assert!(Instant::now() < deadline, "the process does not end");
        std::thread::yield_now();
    }
    last
}
