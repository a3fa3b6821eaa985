//! Stops gracefully on Ctrl-C and SIGTERM.

use std::sync::Arc;

use projectionist_engine::{ProjectionHandle, StopSignal};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Failure;
use crate::output::tell;

/// The exit code of a program that a second Ctrl-C ended: 128 and the number of SIGINT.
const ENDED_BY_SIGINT: i32 = 130;

/// Asks every projection to stop at the first signal, and ends the program at the second.
pub(super) fn stop_on_signal(handles: &[ProjectionHandle]) -> Result<(), Failure> {
    let stops: Arc<[StopSignal]> = handles.iter().map(ProjectionHandle::stop_signal).collect();
    on_signal(move || stops.iter().for_each(StopSignal::stop))
}

/// Runs `stop` at the first signal, and ends the program at the second.
pub(crate) fn on_signal(stop: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let cannot = |error| Failure::at_run_time(format!("cannot listen for signals: {error}"));
    let mut interrupt = signal(SignalKind::interrupt()).map_err(cannot)?;
    let mut terminate = signal(SignalKind::terminate()).map_err(cannot)?;
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        tell("stopping; what was read is being saved (once more to end at once)");
        stop();
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(ENDED_BY_SIGINT);
    });
    Ok(())
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
