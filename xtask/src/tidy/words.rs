//! Finds words in text, so that `Lane` is not found in `LaneKey`.

/// The places where the word stands with no letter, digit or underscore beside it. A side of the
/// word that is itself no such character (the `!` of a macro) needs no border.
pub(crate) fn places<'text>(text: &'text str, word: &'text str) -> impl Iterator<Item = usize> {
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |&at| {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let goes_on = |one, other| joins(one) && joins(other);
            !goes_on(before, first) && !goes_on(last, after)
        })
}

pub(crate) fn contains(text: &str, word: &str) -> bool {
    places(text, word).next().is_some()
}

/// The number of the line, counted from one, that the place lies in.
pub(crate) fn line_of(text: &str, place: usize) -> usize {
    text[..place].matches('\n').count() + 1
}

fn joins(character: Option<char>) -> bool {
    character.is_some_and(|character| character.is_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_inside_another_is_not_found() {
        assert!(contains("a Lane, then", "Lane"));
        assert!(!contains("LaneKey and MyLane and Lane_2", "Lane"));
        assert!(contains("panic!(\"x\")", "panic!"));
        assert!(!contains("dont_panic!()", "panic!"));
    }

    #[test]
    fn lines_count_from_one() {
        assert_eq!(line_of("a\nb\nc", 0), 1);
        assert_eq!(line_of("a\nb\nc", 4), 3);
    }
}
