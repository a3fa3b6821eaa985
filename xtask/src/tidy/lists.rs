//! The lists of exceptions beside this program: one entry a line, `#` opens a comment line.

/// One entry, split into its words.
pub(crate) struct Entry<'text> {
    pub(crate) line: usize,
    pub(crate) words: Vec<&'text str>,
}

pub(crate) fn entries(text: &str) -> impl Iterator<Item = Entry<'_>> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, text)| Entry {
            line,
            words: text.split_whitespace().collect(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_no_entries() {
        let found: Vec<_> = entries("# why\n\nsqlite  schema.rs\n").collect();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].line, found[0].words.as_slice()),
            (3, ["sqlite", "schema.rs"].as_slice())
        );
    }
}
