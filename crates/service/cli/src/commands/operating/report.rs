//! What became of a command, lane by lane.

use serde_json::{Value, json};

use super::address;
use crate::args::Format;
use crate::args::operating::Addressed;
use crate::exit::Failure;
use crate::output::{on_one_line, print, print_line};

/// What became of a command on one lane.
pub(in crate::commands) struct Outcome {
    /// The lane; `None` for all lanes of the name.
    pub(in crate::commands) key: Option<String>,
    /// What became of it, in a word or two.
    pub(in crate::commands) word: &'static str,
    /// What there is to say about it, a sentence each.
    pub(in crate::commands) details: Vec<String>,
    /// Whether what was asked is not so, or would not be so.
    pub(in crate::commands) is_refused: bool,
    /// What else programs read.
    pub(in crate::commands) more: Value,
}

impl Outcome {
    /// It is done.
    pub(in crate::commands) fn done(
        key: Option<&str>,
        word: &'static str,
        details: Vec<String>,
    ) -> Self {
        Self {
            key: key.map(ToOwned::to_owned),
            word,
            details,
            is_refused: false,
            more: json!({}),
        }
    }

    /// It is refused, for this reason.
    pub(in crate::commands) fn refused(key: Option<&str>, reason: String) -> Self {
        Self {
            is_refused: true,
            ..Self::done(key, "refused", vec![reason])
        }
    }

    /// With what else programs read.
    pub(in crate::commands) fn with(mut self, more: Value) -> Self {
        self.more = more;
        self
    }
}

/// What became of a command.
pub(in crate::commands) struct Report<'a> {
    pub(in crate::commands) command: &'static str,
    pub(in crate::commands) addressed: &'a Addressed,
    pub(in crate::commands) dry_run: bool,
    pub(in crate::commands) outcomes: Vec<Outcome>,
}

impl Report<'_> {
    /// Prints it; fails when something is refused, which is said on standard error.
    pub(in crate::commands) fn print(&self) -> Result<(), Failure> {
        match self.addressed.format {
            Format::Json => print_line(self.as_json())?,
            Format::Text => print(self.as_text())?,
        }
        let refused = self.outcomes.iter().filter(|one| one.is_refused);
        let refused: Vec<String> = refused.map(|one| self.line(one)).collect();
        match refused.is_empty() {
            true => Ok(()),
            false => Err(Failure::at_run_time(refused.join("\n"))),
        }
    }

    fn as_text(&self) -> String {
        let told = self.outcomes.iter().filter(|one| !one.is_refused);
        let mut text: String = told.map(|one| format!("{}\n", self.line(one))).collect();
        if self.dry_run {
            text.push_str("a dry run: nothing was changed\n");
        }
        text
    }

    fn line(&self, outcome: &Outcome) -> String {
        let address = address(&self.addressed.name, outcome.key.as_deref());
        let mut line = format!("{address}: {}", outcome.word);
        for detail in &outcome.details {
            line.push_str(&format!("\n  {}", on_one_line(detail)));
        }
        line
    }

    fn as_json(&self) -> Value {
        let lanes = self.outcomes.iter().map(|one| {
            let mut lane = json!({
                "key": one.key,
                "outcome": one.word,
                "refused": one.is_refused,
                "detail": one.details.join("; "),
            });
            if let (Some(lane), Some(more)) = (lane.as_object_mut(), one.more.as_object()) {
                lane.extend(more.clone());
            }
            lane
        });
        let lanes: Vec<Value> = lanes.collect();
        json!({
            "command": self.command,
            "projection": self.addressed.name,
            "dry_run": self.dry_run,
            "lanes": lanes,
        })
    }
}
