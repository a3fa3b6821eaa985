//! The little of Markdown that the checks need: fenced blocks and headings.

/// A fenced block: where its opening fence stands, the word behind the fence, and what is inside.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fence<'text> {
    pub(crate) line: usize,
    pub(crate) language: &'text str,
    pub(crate) lines: Vec<&'text str>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Heading<'text> {
    pub(crate) line: usize,
    pub(crate) level: usize,
    pub(crate) title: &'text str,
}

/// A line, its number, and whether it is the text of the document or belongs to a fenced block.
enum Line<'text> {
    Text(usize, &'text str),
    Opens(usize, &'text str),
    Inside(&'text str),
    Closes,
}

fn lines(document: &str) -> impl Iterator<Item = Line<'_>> {
    let mut open: Option<&str> = None;
    document.lines().enumerate().map(move |(index, line)| {
        let text = line.trim_start();
        let ticks = &text[..text.len() - text.trim_start_matches('`').len()];
        match open {
            Some(fence) if ticks.len() >= fence.len() && text.trim_end() == ticks => {
                open = None;
                Line::Closes
            }
            Some(_) => Line::Inside(line),
            None if ticks.len() >= 3 && !text[ticks.len()..].contains('`') => {
                open = Some(ticks);
                Line::Opens(index + 1, text[ticks.len()..].trim())
            }
            None => Line::Text(index + 1, line),
        }
    })
}

/// All fenced blocks, in order.
pub(crate) fn fences(document: &str) -> impl Iterator<Item = Fence<'_>> {
    let mut found: Vec<Fence<'_>> = Vec::new();
    for line in lines(document) {
        match (line, found.last_mut()) {
            (Line::Opens(line, language), _) => found.push(Fence {
                line,
                language,
                lines: vec![],
            }),
            (Line::Inside(line), Some(fence)) => fence.lines.push(line),
            _ => {}
        }
    }
    found.into_iter()
}

/// The lines outside fenced blocks, with their numbers.
pub(crate) fn prose(document: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(document).filter_map(|line| match line {
        Line::Text(number, text) => Some((number, text)),
        _ => None,
    })
}

/// All headings, in order.
pub(crate) fn headings(document: &str) -> Vec<Heading<'_>> {
    prose(document)
        .filter_map(|(line, text)| heading(line, text))
        .collect()
}

fn heading(line: usize, text: &str) -> Option<Heading<'_>> {
    let level = text.len() - text.trim_start_matches('#').len();
    let title = text[level..].strip_prefix(' ')?.trim();
    (1..=6)
        .contains(&level)
        .then_some(Heading { line, level, title })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "# One\n\n```sh\n# no heading\n```\n## Two\n````md\n```sh\n```\n````\n";

    #[test]
    fn headings_in_a_block_are_none() {
        let found = headings(DOCUMENT);
        let lines: Vec<_> = found
            .iter()
            .map(|heading| (heading.line, heading.title))
            .collect();
        assert_eq!(lines, [(1, "One"), (6, "Two")]);
    }

    #[test]
    fn a_longer_fence_holds_a_shorter_one() {
        let found: Vec<_> = fences(DOCUMENT).collect();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].language), (3, "sh"));
        assert_eq!(found[0].lines, ["# no heading"]);
        assert_eq!(found[1].lines, ["```sh", "```"]);
    }

    #[test]
    fn code_within_a_line_opens_no_block() {
        let document = "```` ```x ```` is code\ntext\n";
        assert_eq!(prose(document).count(), 2);
    }
}
