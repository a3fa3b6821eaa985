//! Reads a text from the front and knows how many characters it has read.

/// A place in the text of an expression.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    rest: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            offset: 0,
        }
    }

    /// Characters read so far.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        self.offset += 1;
        Some(next)
    }

    /// Reads `wanted` when it comes next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next();
        }
        found
    }

    /// Reads as long as the characters fit.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.offset += taken.chars().count();
        self.rest = rest;
        taken
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(char::is_whitespace);
    }
}

/// Whether a name can begin with this character.
pub(super) fn begins_name(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

/// Whether a name can go on with this character.
pub(super) fn continues_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Whether a text is a name that can stand after a point.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(continues_name)
}
