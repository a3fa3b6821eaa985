//! Shows on a terminal that a long run moves.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use projectionist_core::contract::Observer;
use projectionist_core::{OffsetText, ProjectionId};

use crate::args::{Format, RunArguments};

/// Counts the events that were applied and shows them with their rate.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Begins to show, where standard error is a terminal and a person reads it.
    pub(super) fn start(arguments: &RunArguments) -> Self {
        let is_shown =
            arguments.once && arguments.format == Format::Text && std::io::stderr().is_terminal();
        let bar = if is_shown {
            ProgressBar::no_length()
        } else {
            ProgressBar::hidden()
        };
        if is_shown {
            let style = ProgressStyle::with_template("{spinner} {human_pos} events, {per_sec}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar }
    }

    /// Takes the line away.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    pub(super) fn observer(&self) -> Arc<dyn Observer> {
        Arc::new(self.clone())
    }
}

impl Observer for Progress {
    fn after_process(&self, _: &ProjectionId, _: &dyn OffsetText, envelopes: usize) {
        self.bar.inc(envelopes as u64);
    }
}
