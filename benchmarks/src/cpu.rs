//! Processor time. Other work on the machine changes how long something takes; how much processor
//! time it needs it changes far less.

use std::time::Duration;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use nix::time::{ClockId, clock_gettime};

use crate::failure::Outcome;

/// User and system time of all threads of this process so far.
///
/// # Errors
/// When the system does not tell.
pub fn of_this_process() -> Outcome<Duration> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
    Ok(Duration::from(time))
}

/// What the children of this process used that have ended and were waited for.
#[derive(Clone, Copy, Debug)]
pub struct ChildUsage {
    /// User and system time of all of them.
    pub cpu: Duration,
    /// The largest resident memory that one of them had, in KiB.
    pub peak_kib: u64,
}

/// Asks for the usage of the children so far.
///
/// # Errors
/// When the system does not tell.
pub fn of_children() -> Outcome<ChildUsage> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    Ok(ChildUsage {
        cpu: duration(usage.user_time())? + duration(usage.system_time())?,
        peak_kib: u64::try_from(usage.max_rss())?,
    })
}

fn duration(time: TimeVal) -> Outcome<Duration> {
    let seconds = u64::try_from(time.tv_sec())?;
    let micros = u64::try_from(time.tv_usec())?;
    Ok(Duration::from_secs(seconds) + Duration::from_micros(micros))
}
