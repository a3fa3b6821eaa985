//! The text of a file by lines and columns.

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The line; the first is 1.
    pub(crate) line: usize,
    /// The column in characters; the first is 1.
    pub(crate) column: usize,
}

impl Place {
    /// Where a file begins.
    pub(crate) const START: Self = Self { line: 1, column: 1 };

    /// The place `characters` further right.
    pub(crate) fn right(self, characters: usize) -> Self {
        Self {
            column: self.column + characters,
            ..self
        }
    }
}

/// A text with its lines, split where YAML splits them: at `\n`, `\r\n` and a lone `\r`.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    lines: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        // A byte order mark has no column.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = Vec::new();
        let mut rest = text;
        while let Some(end) = rest.find(['\n', '\r']) {
            let (line, tail) = rest.split_at(end);
            lines.push(line);
            rest = tail.strip_prefix("\r\n").unwrap_or(&tail[1..]);
        }
        lines.push(rest);
        Self { lines }
    }

    /// The line of that number, without its break.
    pub(crate) fn line(&self, number: usize) -> Option<&'a str> {
        self.lines.get(number.checked_sub(1)?).copied()
    }

    /// `place`, or the end of the last line with text when it lies behind that.
    pub(crate) fn within(&self, place: Place) -> Place {
        let last = self
            .lines
            .iter()
            .rposition(|line| !line.trim().is_empty())
            .map_or(0, |index| index + 1);
        if place.line <= last {
            return place;
        }
        Place {
            line: last.max(1),
            column: self
                .line(last)
                .map_or(1, |line| line.trim_end().chars().count().max(1)),
        }
    }
}
