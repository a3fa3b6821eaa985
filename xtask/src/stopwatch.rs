//! How long a step took, for a person to read. The one place of this program that asks the clock.

use std::fmt;
use std::time::{Duration, Instant};

/// Runs from its creation on; shown as the time since then.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "the time is printed for a person and steers nothing, so no test needs to steer it"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }
}

impl fmt::Display for Stopwatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&readable(self.0.elapsed()))
    }
}

fn readable(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_times_have_a_decimal_and_long_ones_have_minutes() {
        assert_eq!(readable(Duration::from_millis(1_240)), "1.2 s");
        assert_eq!(readable(Duration::from_secs(125)), "2 min 5 s");
    }
}
