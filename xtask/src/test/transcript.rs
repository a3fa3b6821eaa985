//! A shell session as a document shows it: commands behind `$ ` and under each what it prints.

/// A command and what the document shows under it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    /// Lines after the fence that opens the block.
    pub(crate) offset: usize,
    pub(crate) command: String,
    pub(crate) shown: Vec<String>,
}

/// Reads the lines of a block. A command goes on in the next line behind a `\`; lines in front of
/// the first command belong to none and are left out.
pub(crate) fn exchanges(lines: &[&str]) -> Vec<Exchange> {
    let mut found: Vec<Exchange> = Vec::new();
    let mut continued = false;
    for (index, line) in lines.iter().enumerate() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (_, Some(last)) if continued => {
                last.command.push('\n');
                last.command
                    .push_str(line.strip_prefix("> ").unwrap_or(line));
            }
            (Some(command), _) => {
                let (offset, command) = (index + 1, command.to_owned());
                found.push(Exchange {
                    offset,
                    command,
                    shown: Vec::new(),
                });
            }
            (None, Some(last)) => {
                last.shown.push((*line).to_owned());
                continue;
            }
            (None, None) => continue,
        }
        continued = line.ends_with('\\');
    }
    found
}

/// Whether the printed lines are the shown ones. `...` alone in a line stands for any number of
/// lines, within a line for any characters; white space at the end of a line and empty lines at the
/// end do not count.
pub(crate) fn agrees(shown: &[String], printed: &str) -> bool {
    let shown: Vec<&str> = shown.iter().map(|line| line.trim_end()).collect();
    let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
    lines_agree(without_empty_end(&shown), without_empty_end(&printed))
}

fn without_empty_end<'lines, 'text>(lines: &'lines [&'text str]) -> &'lines [&'text str] {
    let end = lines
        .iter()
        .rposition(|line| !line.is_empty())
        .map_or(0, |last| last + 1);
    &lines[..end]
}

fn lines_agree(shown: &[&str], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|at| lines_agree(rest, &printed[at..])),
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| line_agrees(first, line) && lines_agree(rest, others)),
    }
}

fn line_agrees(shown: &str, printed: &str) -> bool {
    let Some((start, rest)) = shown.split_once("...") else {
        return shown == printed;
    };
    printed.strip_prefix(start).is_some_and(|printed| {
        let ends = printed
            .char_indices()
            .map(|(at, _)| at)
            .chain([printed.len()]);
        ends.into_iter().any(|at| line_agrees(rest, &printed[at..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(shown: &str, printed: &str) -> bool {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        agrees(&shown, printed)
    }

    #[test]
    fn commands_and_what_they_print_are_told_apart() {
        let lines = ["# first", "$ ls \\", ">   docs", "a.md", "b.md", "$ true"];
        let found = exchanges(&lines);
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].offset, found[0].command.as_str()),
            (2, "ls \\\n  docs")
        );
        assert_eq!(found[0].shown, ["a.md", "b.md"]);
        assert_eq!((found[1].offset, found[1].command.as_str()), (6, "true"));
        assert!(found[1].shown.is_empty());
    }

    #[test]
    fn output_must_be_the_same_line_by_line() {
        assert!(shows("a\nb", "a  \nb\n\n"));
        assert!(!shows("a\nb", "a\n"));
        assert!(!shows("a", "a\nb\n"));
        assert!(!shows("a", " a\n"));
    }

    #[test]
    fn three_dots_stand_for_anything() {
        assert!(shows("...\nlast", "one\ntwo\nlast\n"));
        assert!(shows("...", ""));
        assert!(!shows("...\nlast", "one\ntwo\n"));
        assert!(shows("took ... s, ... rows", "took 1.2 s, 3 rows\n"));
        assert!(!shows("took ... s", "took 1.2 min\n"));
    }
}
