//! Shows a rebuild to a person: how far it is, how fast, and how long it still takes.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use projectionist_core::contract::Observer;
use projectionist_core::rebuild::{Comparison, Rebuild};
use projectionist_core::{LaneState, Offset, OffsetText, Position, ProjectionId};
use projectionist_engine::StopSignal;
use projectionist_source_file::FilePosition;
use tokio::time::Instant;

use super::driver::Watch;
use super::driver::pace::Pace;
use super::report;
use crate::commands::run::interrupt;
use crate::exit::Failure;
use crate::output::tell;

/// How often the line is drawn anew.
const DRAWN_EVERY: Duration = Duration::from_millis(200);

/// How often the size of the source is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What a person sees of rebuilds.
#[derive(Debug)]
pub(super) struct Screen {
    bar: ProgressBar,
    began: Instant,
    /// What is read now.
    now: Mutex<Reading>,
    stopping: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Reading {
    name: String,
    source: String,
    pace: Pace,
    looked: Option<Instant>,
    stop: Option<StopSignal>,
}

impl Screen {
    /// Shows progress where standard error is a terminal.
    pub(super) fn new() -> Self {
        let is_shown = std::io::stderr().is_terminal();
        let bar = match is_shown {
            true => ProgressBar::new(0),
            false => ProgressBar::hidden(),
        };
        if is_shown {
            let template = "{prefix}: {wide_bar} {bytes} of {total_bytes}, {msg}, {eta} left";
            let style = ProgressStyle::with_template(template);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        }
        Self {
            bar,
            began: Instant::now(),
            now: Mutex::default(),
            stopping: Arc::default(),
        }
    }

    /// Stops what is read at the first signal, and ends the program at the second.
    pub(super) fn stop_on_signal(self: &Arc<Self>) -> Result<(), Failure> {
        let screen = Arc::clone(self);
        interrupt::on_signal(move || {
            screen.stopping.store(true, Ordering::SeqCst);
            if let Some(stop) = &screen.reading_now().stop {
                stop.stop();
            }
        })
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    /// Takes the line away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Says a line beside the bar.
    pub(super) fn say(&self, line: impl std::fmt::Display) {
        self.bar.suspend(|| tell(line));
    }

    /// Begins to show the reading of a source.
    pub(super) fn reads(&self, name: &str, source: &str) {
        let mut now = self.reading_now();
        now.name = name.to_owned();
        now.source = source.to_owned();
        now.pace = Pace::default();
        self.bar.reset();
        self.bar.set_prefix(name.to_owned());
        self.bar.enable_steady_tick(DRAWN_EVERY);
    }

    fn reading_now(&self) -> std::sync::MutexGuard<'_, Reading> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Screen {
    fn after_process(&self, _: &ProjectionId, at: &dyn OffsetText, _: usize) {
        let Ok(at) = FilePosition::parse(&at.offset().text) else {
            return;
        };
        self.bar.set_position(at.byte);
        let mut now = self.reading_now();
        let due = now
            .looked
            .is_none_or(|looked| looked.elapsed() >= LOOK_EVERY);
        if !due {
            return;
        }
        now.looked = Some(Instant::now());
        let Ok(size) = std::fs::metadata(&now.source).map(|found| found.len()) else {
            return;
        };
        self.bar.set_length(size);
        let lines = at.line as f64 / self.began.elapsed().as_secs_f64().max(0.001);
        self.bar.set_message(format!("{lines:.0} events/s"));
        let left = size.saturating_sub(at.byte);
        if now.pace.look(self.began.elapsed(), left) {
            let line = report::uncatchable(&now.name, &now.source, left);
            drop(now);
            self.say(line);
        }
    }
}

impl Watch for Screen {
    fn began(&self, rebuild: &Rebuild, lane: Option<LaneState>) {
        self.reads(rebuild.projection(), &rebuild.source);
        let read = lane.map_or(0, |lane| lane.counters.read);
        if read > 0 {
            let name = rebuild.projection();
            self.say(format_args!(
                "{name}: the rebuild that was begun goes on after {read} event(s)"
            ));
        }
    }

    fn reading(&self, stop: StopSignal) {
        if self.is_stopping() {
            stop.stop();
        }
        self.reading_now().stop = Some(stop);
    }

    fn compared(&self, comparison: &Comparison) {
        let name = self.reading_now().name.clone();
        for line in report::compared(&name, comparison) {
            self.say(line);
        }
    }

    fn behind(&self, attempt: u32, _: Option<&Offset>) {
        let name = self.reading_now().name.clone();
        self.say(format_args!(
            "{name}: the one in use went on meanwhile (attempt {attempt}); catching up"
        ));
    }

    fn holding_live(&self) {
        let name = self.reading_now().name.clone();
        self.say(format_args!(
            "{name}: the one in use stands still while the rest is read"
        ));
    }

    fn swapped(&self) {}
}
