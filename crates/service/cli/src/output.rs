//! What the program writes: to standard output and standard error, and tables of text for people.
//!
//! Nothing else writes there: `println!` and `eprintln!` panic when the other end is gone or full.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use projectionist_core::Timestamp;
use projectionist_core::row::write_timestamp;

use crate::exit::Failure;

/// Writes data to standard output, as it is. A reader that has gone wants no more of it, which is
/// no failure.
///
/// # Errors
/// When it cannot be written for another reason, such as a full disk.
pub(crate) fn print(text: impl Display) -> Result<(), Failure> {
    print_to_reader(text).map(drop)
}

/// As [`print`]; tells whether there is a reader still.
///
/// # Errors
/// As [`print`].
pub(crate) fn print_to_reader(text: impl Display) -> Result<bool, Failure> {
    let mut output = std::io::stdout().lock();
    match write!(output, "{text}").and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::at_run_time(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}

/// As [`print`], with a line end.
pub(crate) fn print_line(line: impl Display) -> Result<(), Failure> {
    print(format_args!("{line}\n"))
}

/// Says a line on standard error. When nobody can hear it there is nobody to tell that either.
pub(crate) fn tell(line: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The longest text of the data that is shown whole, in characters.
pub(crate) const SHOWN_CHARACTERS: usize = 40;

/// A text of the data for a terminal: on one line, not too long, nothing that a terminal obeys.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = on_one_line(&text.chars().take(SHOWN_CHARACTERS).collect::<String>());
    if text.chars().nth(SHOWN_CHARACTERS).is_some() {
        shown.push('…');
    }
    shown
}

/// A text of the data for a terminal in full: on one line, nothing that a terminal obeys.
pub(crate) fn on_one_line(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// A moment for people.
pub(crate) fn moment(moment: Timestamp) -> String {
    let mut text = String::new();
    match write_timestamp(&mut text, moment) {
        Some(()) => text,
        None => moment.unix_millis.to_string(),
    }
}

/// A path, or another argument, as one word of a shell.
pub(crate) fn shell_word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | ':');
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// Columns that are as wide as their widest cell. Numbers stand to the right.
#[derive(Debug, Default)]
pub(crate) struct TextTable {
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// A table with a line of headings.
    pub(crate) fn with_headings(headings: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut table = Self::default();
        table.push(headings);
        table
    }

    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The table, a line a row.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let body = self.rows.get(1..).unwrap_or_default();
        let layout: Vec<(usize, bool)> = (0..columns)
            .map(|column| {
                let cells = || self.rows.iter().filter_map(move |row| row.get(column));
                let width = cells().map(|cell| cell.chars().count()).max().unwrap_or(0);
                let mut numbers = body.iter().filter_map(|row| row.get(column));
                (width, numbers.all(|cell| is_number(cell)))
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (cell, (width, is_number)) in row.iter().zip(&layout) {
                let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
                let (before, after) = if *is_number {
                    (padding, String::new())
                } else {
                    (String::new(), padding)
                };
                line.push_str(&format!("{before}{cell}{after}  "));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

fn is_number(cell: &str) -> bool {
    !cell.is_empty()
        && cell
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | ','))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stand_left_and_numbers_right() {
        let mut table = TextTable::with_headings(["name", "read"]);
        table.push(["a", "7"]);
        table.push(["longer", "1000"]);
        assert_eq!(table.render(), "name    read\na          7\nlonger  1000\n");
    }
}
