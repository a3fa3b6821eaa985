//! What a person may type to look at projections and to operate them.

use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::Format;
use crate::place::Target;

/// Tell how every projection of a target stands.
///
/// Works from any process, whether or not the projections run. With NAME everything that is known
/// of its lanes is told.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// Only this projection, with all that is known of it
    pub(crate) name: Option<String>,
    /// Only the lane with this key, such as `all` or `stdin`
    #[arg(long, requires = "name")]
    pub(crate) key: Option<String>,
    /// The target whose projections are looked at: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(crate) store: Target,
    /// How it is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Print it again and again, every so many seconds (2 unless it is given); with --fail-if until
    /// a condition holds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "2", value_parser = seconds)]
    pub(crate) watch: Option<Duration>,
    /// Exit with 1 when this holds for a projection: failed, stalled, paused, stopped,
    /// dead-letters, lag-events>N or lag-seconds>N. May be given several times. What is not known
    /// does not hold
    #[arg(long, value_name = "CONDITION", value_delimiter = ',')]
    pub(crate) fail_if: Vec<Condition>,
}

/// Something that a script wants to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// It failed and is not restarted.
    Failed,
    /// Its owner is there and cannot go on, or is silent.
    Stalled,
    /// A flag pauses it.
    Paused,
    /// It should be run and nobody runs it; also when it failed.
    Stopped,
    /// Dead letters are kept.
    DeadLetters,
    /// The source has more events behind the offset.
    LagEvents(u64),
    /// The last event that was handled happened longer ago, in seconds.
    LagSeconds(u64),
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let limit = |limit: &str| limit.parse().map_err(|_| wrong_condition());
        Ok(match (text, text.split_once('>')) {
            ("failed", _) => Self::Failed,
            ("stalled", _) => Self::Stalled,
            ("paused", _) => Self::Paused,
            ("stopped", _) => Self::Stopped,
            ("dead-letters", _) => Self::DeadLetters,
            (_, Some(("lag-events", most))) => Self::LagEvents(limit(most)?),
            (_, Some(("lag-seconds", most))) => Self::LagSeconds(limit(most)?),
            _ => return Err(wrong_condition()),
        })
    }
}

fn wrong_condition() -> String {
    "is no condition; write failed, stalled, paused, stopped, dead-letters, 'lag-events>N' or \
     'lag-seconds>N' with a whole number N"
        .to_owned()
}

/// Which lanes are meant, and how the answer is printed.
#[derive(Debug, Args)]
pub(crate) struct Addressed {
    /// The projection
    pub(crate) name: String,
    /// The lane with this key, such as `all` or `stdin`
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// The target that keeps the projection: sqlite:PATH
    #[arg(long, value_name = "TARGET")]
    pub(crate) store: Target,
    /// How the outcome is printed
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

/// How something is asked.
#[derive(Debug, Args)]
pub(crate) struct Asking {
    /// Tell what would happen and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// How long a process that runs the projection may take to answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) wait: Duration,
}

/// Pause a projection until it is resumed.
///
/// Without --key all of its lanes, also those that come later. The pause is kept in the target: it
/// outlives every process, and holds for whoever runs the projection next.
#[derive(Debug, Args)]
pub(crate) struct PauseArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// Also a projection, or a lane, that the target does not know yet: it begins paused
    #[arg(long)]
    pub(crate) before_first_run: bool,
}

/// Let a paused projection go on.
///
/// Lifts what `pause` has set for the same name and key.
#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
    #[command(flatten)]
    pub(crate) asking: Asking,
}

/// Pass over the event that a projection cannot handle now.
///
/// The event is counted, and kept as a dead letter. The process that runs the projection does it.
#[derive(Debug, Args)]
pub(crate) struct SkipArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
    #[command(flatten)]
    pub(crate) asking: Asking,
    /// The position of the event; the one that fails now where it is left out
    #[arg(long, value_name = "OFFSET")]
    pub(crate) offset: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum OffsetCommand {
    /// Tell behind which position a projection goes on
    Get(GetArguments),
    /// Let a projection go on behind another position
    Set(SetArguments),
    /// Let a projection begin again with the first event
    Clear(ClearArguments),
}

/// Tell behind which position a projection goes on.
#[derive(Debug, Args)]
pub(crate) struct GetArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
}

/// Let a projection go on behind another position.
///
/// What it already applied is not applied twice where its events have sequence numbers.
#[derive(Debug, Args)]
pub(crate) struct SetArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
    /// The position, as `offset get` tells it
    pub(crate) offset: String,
    #[command(flatten)]
    pub(crate) moving: Moving,
}

/// Let a projection begin again with the first event.
///
/// What it already applied is not applied twice where its events have sequence numbers.
#[derive(Debug, Args)]
pub(crate) struct ClearArguments {
    #[command(flatten)]
    pub(crate) addressed: Addressed,
    #[command(flatten)]
    pub(crate) moving: Moving,
}

/// How an offset is moved.
#[derive(Debug, Args)]
pub(crate) struct Moving {
    /// Only when the lane still holds this offset; `none` for no offset
    #[arg(long, value_name = "OFFSET")]
    pub(crate) expect: Option<String>,
    /// The format of the offset, for a lane that holds none; the stored one where there is one
    #[arg(long, value_name = "FORMAT")]
    pub(crate) manifest: Option<String>,
    #[command(flatten)]
    pub(crate) asking: Asking,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "must be a number of seconds from 0.1 to 86400".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    match (0.1..=86_400.0).contains(&seconds) {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_words_or_limits() {
        assert_eq!("stalled".parse(), Ok(Condition::Stalled));
        assert_eq!("dead-letters".parse(), Ok(Condition::DeadLetters));
        assert_eq!("lag-events>0".parse(), Ok(Condition::LagEvents(0)));
        assert_eq!("lag-seconds>90".parse(), Ok(Condition::LagSeconds(90)));
        for wrong in [
            "",
            "lag",
            "lag-events",
            "lag-events>",
            "lag-events>-1",
            "failed>1",
        ] {
            let error = wrong.parse::<Condition>().unwrap_err();
            assert!(error.contains("dead-letters"), "{wrong}");
        }
    }

    #[test]
    fn a_time_is_some_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "NaN", "inf", "1s", "86401"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
