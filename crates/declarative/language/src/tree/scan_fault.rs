//! What the YAML scanner stumbled over, in words for whoever wrote the file.

use saphyr_parser::ScanError;

use super::build::MAX_DEPTH;
use super::meant;
use crate::report::Report;
use crate::source::{Place, Source};

/// How many lines are asked for a value that was cut.
const LINES_ABOVE: usize = 100;

/// Reports why the text could not be read any further than `place`.
pub(super) fn report(error: &ScanError, place: Place, report: &mut Report<'_>) {
    let place = report.source().within(place);
    let info = error.info();
    if info.contains("tab")
        && let Some(tab) = tab_in_indentation(report.source(), place.line)
    {
        return report.fault_with_help(
            tab,
            "a tab stands in the indentation",
            "indent with spaces; YAML does not allow tabs there",
        );
    }
    if info.contains("recursion limit") {
        return report_too_deep(place, report);
    }
    if info.contains("simple key expect")
        && let Some((line, text)) = key_without_blank(report.source(), place.line)
    {
        let message = format!("a blank is missing after the `:` of `{text}`");
        let help = format!("write `{}`", text.replacen(':', ": ", 1));
        return report.fault_with_help(line, message, help);
    }
    // A quote that an expression leaves open may only be stumbled over lines below.
    let source = report.source();
    let meant = (1..=place.line)
        .rev()
        .take(LINES_ABOVE)
        .find_map(|line| meant::in_line(source, line));
    if let Some(meant) = meant {
        return meant.report(report);
    }
    let known = KNOWN.iter().find(|(part, ..)| info.contains(part));
    match known {
        Some((_, message, help)) => report.fault_with_help(place, *message, *help),
        None if info.starts_with("unexpected character") => report.fault_with_help(
            place,
            "no value can begin with this character",
            "put the value in quotes",
        ),
        None => report.fault(place, format!("this is no valid YAML: {info}")),
    }
}

/// Reports a file that nests too deeply.
pub(super) fn report_too_deep(place: Place, report: &mut Report<'_>) {
    let message = format!("lists and mappings are nested deeper than {MAX_DEPTH} levels here");
    let help =
        "no part of the language needs so many; look for a bracket or an indentation too much";
    report.fault_with_help(place, message, help);
}

/// A line that is nothing but `key:value` without a blank: this one or the one before, because the
/// scanner only stumbles over what follows.
fn key_without_blank<'a>(source: &Source<'a>, line: usize) -> Option<(Place, &'a str)> {
    [line, line.saturating_sub(1)].into_iter().find_map(|line| {
        let whole = source.line(line)?;
        let text = whole.trim();
        if !super::lacks_blank_after_colon(text) || text.contains(": ") || text.ends_with(':') {
            return None;
        }
        let column = whole.chars().count() - whole.trim_start().chars().count() + 1;
        Some((Place { line, column }, text))
    })
}

const CLOSE_QUOTE: &str = "close it, or double a `'` that belongs to a text in single quotes";

/// Part of the scanner's message, ours, and what to do.
const KNOWN: [(&str, &str, &str); 12] = [
    (
        "mapping values are not allowed",
        "a `:` that begins a value cannot stand here",
        "put a text that holds `: ` in quotes, and give the keys of one mapping the same indentation",
    ),
    (
        "simple key expect",
        "a key without `:` stands here, or a line that is not indented as its neighbours",
        "write `key: value`, with a blank after the `:`, and give the keys of one mapping the same \
         indentation",
    ),
    (
        "did not find expected key",
        "this line is not indented as the other keys of its mapping",
        "give the keys of one mapping the same indentation",
    ),
    (
        "did not find expected '-' indicator",
        "this line is not indented as the other elements of its list",
        "give the `-` of one list the same indentation",
    ),
    (
        "found unexpected end of stream",
        "this quote is not closed",
        CLOSE_QUOTE,
    ),
    (
        "invalid indentation in quoted scalar",
        "this quote is not closed",
        CLOSE_QUOTE,
    ),
    (
        "expected ',' or ']'",
        "a list in `[ ]` is not closed, or a comma is missing before this",
        "write `[a, b]`",
    ),
    (
        "expected ',' or '}'",
        "a mapping in `{ }` is not closed, or a comma is missing before this",
        "write `{ a: 1, b: 2 }`",
    ),
    (
        "misplaced bracket",
        "this bracket closes nothing",
        "take it out, or put a text that holds it in quotes",
    ),
    (
        "invalid Unicode character escape",
        "an escape in this text names no character by itself",
        "write the character itself, or all of it as `\\U` and eight digits",
    ),
    (
        "unknown escape character",
        "this text has an unknown escape after `\\`",
        "write `\\\\` for a backslash, or put the text in single quotes",
    ),
    (
        "unknown anchor",
        "aliases such as `*name` are not part of this language",
        "write the value out at each place",
    ),
];

/// The first tab in the indentation of the line, or of the one after it, where the scanner only
/// noticed the tab after the end of a value.
fn tab_in_indentation(source: &Source<'_>, line: usize) -> Option<Place> {
    [line, line + 1].into_iter().find_map(|line| {
        let indentation = source
            .line(line)?
            .chars()
            .take_while(|character| matches!(character, ' ' | '\t'));
        let column = indentation
            .collect::<Vec<_>>()
            .iter()
            .position(|c| *c == '\t')?
            + 1;
        Some(Place { line, column })
    })
}
