//! Prints what became of dead letters.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::outcome::Outcome;
use super::select::Letter;
use super::shown;
use crate::args::Format;
use crate::exit::Failure;
use crate::output::{TextTable, on_one_line, print, print_line};

/// What became of the letters of a selection, in the order in which they were taken up.
pub(super) struct Report {
    pub(super) dry_run: bool,
    lines: Vec<Line>,
}

/// A letter as it was before, without its event, and what became of it.
struct Line {
    letter: Letter,
    outcome: Outcome,
}

impl Report {
    pub(super) fn new(dry_run: bool) -> Self {
        Self {
            dry_run,
            lines: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, letter: Letter, outcome: Outcome) {
        self.lines.push(Line { letter, outcome });
    }

    /// How many letters had an outcome of this word.
    pub(super) fn count(&self, word: &str) -> usize {
        let of_word = |line: &&Line| line.outcome.word() == word;
        self.lines.iter().filter(of_word).count()
    }

    pub(super) fn print(&self, format: Format) -> Result<(), Failure> {
        match format {
            Format::Json => print_line(self.as_json()),
            Format::Text => {
                if !self.lines.is_empty() {
                    print(self.table())?;
                }
                print_line(self.summary())
            }
        }
    }

    fn table(&self) -> String {
        let rest = ["OUTCOME", "WHY"];
        let mut table = TextTable::with_headings(shown::HEADINGS.into_iter().chain(rest));
        for Line { letter, outcome } in &self.lines {
            let detail = outcome.detail().map(|detail| on_one_line(&detail));
            let rest = [outcome.word().to_owned(), detail.unwrap_or_default()];
            table.push(shown::cells(letter).into_iter().chain(rest));
        }
        table.render()
    }

    /// Every letter with what became of it.
    pub(super) fn lines(&self) -> impl Iterator<Item = (&Letter, &Outcome)> {
        self.lines.iter().map(|line| (&line.letter, &line.outcome))
    }

    /// How many letters had each outcome, by its word.
    pub(super) fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for line in &self.lines {
            *counts.entry(line.outcome.word()).or_default() += 1;
        }
        counts
    }

    fn summary(&self) -> String {
        let counts = self.counts();
        let counts: Vec<String> = counts
            .iter()
            .map(|(word, count)| format!("{count} {word}"))
            .collect();
        let all = self.lines.len();
        let counts = match counts.is_empty() {
            true => String::new(),
            false => format!(": {}", counts.join(", ")),
        };
        let changed = match self.dry_run {
            true => "; a dry run: nothing was changed",
            false => "",
        };
        format!("{all} dead letter(s){counts}{changed}")
    }

    fn as_json(&self) -> Value {
        let letters = self.lines.iter().map(|Line { letter, outcome }| {
            let mut shown = shown::as_json(letter);
            shown["outcome"] = json!(outcome.word());
            shown["detail"] = json!(outcome.detail());
            shown
        });
        let letters: Vec<Value> = letters.collect();
        json!({ "dry_run": self.dry_run, "dead_letters": letters, "summary": self.counts() })
    }
}
