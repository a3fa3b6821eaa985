//! From a character of a scalar's text to the column it stands at, through quotes and escapes.

use super::{Scalar, Style};
use crate::source::{Place, Source};

/// Where the character at `offset` of the scalar's text stands. The start of the scalar when it
/// spans lines, because then YAML has folded them.
pub(super) fn place_of(start: Place, scalar: &Scalar, offset: usize, source: &Source<'_>) -> Place {
    let before_break = scalar
        .text
        .chars()
        .take(offset)
        .all(|character| character != '\n');
    match scalar.style {
        Style::Block if before_break => start.right(offset),
        Style::Plain if scalar.one_line => start.right(offset),
        Style::SingleQuoted | Style::DoubleQuoted if scalar.one_line => {
            let line = source.line(start.line).unwrap_or_default();
            // The text begins after the quote, which stands at `start`.
            let written: Vec<char> = line.chars().skip(start.column).collect();
            let width = (0..offset).fold(0, |at, _| {
                at + width(written.get(at..).unwrap_or_default(), scalar.style)
            });
            start.right(1 + width)
        }
        _ => start,
    }
}

/// How many characters of the file the first character of the text takes.
fn width(written: &[char], style: Style) -> usize {
    match (style, written) {
        (Style::SingleQuoted, ['\'', '\'', ..]) => 2,
        (Style::DoubleQuoted, ['\\', escape, ..]) => match escape {
            'x' => 4,
            'u' if begins_pair(written) => 12,
            'u' => 6,
            'U' => 10,
            _ => 2,
        },
        _ => 1,
    }
}

/// Whether two escapes of JSON stand here for one character.
fn begins_pair(written: &[char]) -> bool {
    matches!(
        written,
        ['\\', 'u', 'd' | 'D', '8' | '9' | 'a' | 'A' | 'b' | 'B', ..]
    )
}
