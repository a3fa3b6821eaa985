//! Shows on a terminal that events are being read.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::args::Format;

/// A sign that goes when the value does.
pub(in crate::commands) struct Waiting(ProgressBar);

impl Waiting {
    /// Begins to show, where standard error is a terminal and a person reads it.
    pub(in crate::commands) fn start(format: Format, what: &'static str) -> Self {
        if format != Format::Text || !std::io::stderr().is_terminal() {
            return Self(ProgressBar::hidden());
        }
        let bar = ProgressBar::new_spinner().with_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
