//! Texts of several words in one stored text, whatever stands in a word.
//!
//! Words are parted by one space; a space within a word is written `%20`, and `%` itself `%25`.

use std::fmt::{self, Write};

/// Writes one word.
pub(crate) fn write_word(out: &mut impl Write, word: &str) -> fmt::Result {
    for piece in word.split_inclusive([' ', '%']) {
        if let Some(plain) = piece.strip_suffix(' ') {
            write!(out, "{plain}%20")?;
        } else if let Some(plain) = piece.strip_suffix('%') {
            write!(out, "{plain}%25")?;
        } else {
            out.write_str(piece)?;
        }
    }
    Ok(())
}

/// Reads a word back; `None` for what [`write_word`] never writes.
pub(crate) fn read_word(word: &str) -> Option<String> {
    let mut pieces = word.split('%');
    let mut read = pieces.next()?.to_owned();
    for piece in pieces {
        let (character, rest) = match piece.strip_prefix("20") {
            Some(rest) => (' ', rest),
            None => ('%', piece.strip_prefix("25")?),
        };
        read.push(character);
        read.push_str(rest);
    }
    Some(read)
}

/// Writes words one after the other.
pub(crate) fn write_words<'a>(
    out: &mut impl Write,
    words: impl IntoIterator<Item = &'a str>,
) -> fmt::Result {
    for (index, word) in words.into_iter().enumerate() {
        if index > 0 {
            out.write_char(' ')?;
        }
        write_word(out, word)?;
    }
    Ok(())
}

/// Reads all words of a text; `None` for what [`write_words`] never writes.
pub(crate) fn read_words(text: &str) -> Option<Vec<String>> {
    text.split(' ').map(read_word).collect()
}
