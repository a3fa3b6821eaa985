//! Faults as text with the lines of the file that they stand in.

use std::fmt::Write;

use super::{Fault, Faults};
use crate::source::Source;

/// The most characters of a line that are shown. Machine-written JSON is one long line.
const WIDTH: usize = 120;

/// What stands for a character that a terminal might obey.
const UNPRINTABLE: char = '\u{fffd}';

pub(super) fn render(faults: &Faults, file_name: &str, text: &str) -> String {
    let mut out = render_each(faults.as_slice(), "", file_name, text);
    if faults.omitted() > 0 {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(out, "\nand {} more faults", faults.omitted());
    }
    out
}

/// Each fault, with `label` before its message.
pub(super) fn render_each(faults: &[Fault], label: &str, file_name: &str, text: &str) -> String {
    let source = Source::new(text);
    let mut out = String::new();
    for (index, fault) in faults.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        render_one(&mut out, fault, label, file_name, &source);
    }
    out
}

fn render_one(out: &mut String, fault: &Fault, label: &str, file_name: &str, source: &Source<'_>) {
    let Fault {
        line,
        column,
        message,
        help,
    } = fault;
    let _ = writeln!(out, "{file_name}:{line}:{column}: {label}{message}");
    if let Some(text) = source.line(*line) {
        let (shown, before) = window(text, column.saturating_sub(1));
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        // Tabs are repeated, so that the caret stands under its column whatever their width is.
        let indent: String = shown
            .chars()
            .take(before)
            .map(|character| if character == '\t' { '\t' } else { ' ' })
            .collect();
        let _ = writeln!(out, " {number} | {shown}\n {gutter} | {indent}^");
    }
    if let Some(help) = help {
        let _ = writeln!(out, "help: {help}");
    }
}

/// The part of a line around the character at `column`, and how many characters come before it.
fn window(line: &str, column: usize) -> (String, usize) {
    let first = if column < WIDTH {
        0
    } else {
        column - WIDTH / 2
    };
    let mut rest = line.chars().skip(first);
    let mut shown: String = rest
        .by_ref()
        .take(WIDTH)
        .map(|character| match character {
            '\t' => character,
            _ if character.is_control() => UNPRINTABLE,
            _ => character,
        })
        .collect();
    let mut before = column - first;
    if first > 0 {
        shown.insert(0, '…');
        before += 1;
    }
    if rest.next().is_some() {
        shown.push('…');
    }
    (shown, before)
}
