//! The commands of the README and of the guides are run as they stand there, and must print what is
//! shown under them.
//!
//! A block ```` ```console ```` with `<!-- run -->` in the line above is run; `<!-- run: exit 3 -->`
//! says with which code its last command ends. The first such block of the README is what a reader
//! tries first, so it must be marked. All blocks of a page share one playground, in their order, and
//! each command has a shell of its own. A block with `<!-- file: NAME -->` in the line above is a file of
//! that name, which the commands find there.

use std::fs;

use super::playground::{Outcome, Playground};
use super::transcript::{self, Exchange};
use crate::failure::{Doing, Failure, Result};
use crate::markdown;
use crate::workspace::Workspace;

/// The page whose first block must be marked.
const README: &str = "README.md";

/// Where the other pages stand.
const GUIDES: &str = "docs/guides";

/// A block of a page that is to be run.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    heading: String,
    line: usize,
    /// The exit code of its last command.
    code: i32,
    exchanges: Vec<Exchange>,
}

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    run_page(workspace, README)?;
    for page in guides(workspace)? {
        run_page(workspace, &page)?;
    }
    Ok(())
}

/// The guides, by name.
fn guides(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root().join(GUIDES);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut pages = Vec::new();
    for entry in fs::read_dir(folder).doing("list the guides")? {
        let name = entry.doing("list the guides")?.file_name();
        pages.push(format!("{GUIDES}/{}", name.to_string_lossy()));
    }
    pages.sort();
    Ok(pages)
}

fn run_page(workspace: &Workspace, page: &str) -> Result<()> {
    let text = fs::read_to_string(workspace.root().join(page)).doing("read a page")?;
    let blocks = blocks(page, &text)?;
    if blocks.is_empty() {
        return Ok(());
    }
    let playground = Playground::open(workspace)?;
    for (name, content) in files(&text) {
        playground.write(name, &content)?;
    }
    for block in blocks {
        println!("-- {page}:{}: {}", block.line, block.heading);
        let last = block.exchanges.len().saturating_sub(1);
        for (index, exchange) in block.exchanges.iter().enumerate() {
            println!("$ {}", exchange.command);
            let code = if index == last { block.code } else { 0 };
            let outcome = playground.run(&exchange.command)?;
            if let Some(wrong) = fault(exchange, code, &outcome) {
                let line = block.line + exchange.offset;
                return Err(Failure::new(format!("{page}:{line}: {wrong}")));
            }
        }
    }
    Ok(())
}

/// The blocks that are marked to be run.
fn blocks(page: &str, readme: &str) -> Result<Vec<Block>> {
    let headings = markdown::headings(readme);
    let lines: Vec<&str> = readme.lines().collect();
    let mut found = Vec::new();
    for fence in markdown::fences(readme).filter(|fence| fence.language == "console") {
        let line = fence.line;
        let mark = line.checked_sub(2).and_then(|index| lines.get(index));
        if let Some(code) = mark.and_then(|mark| code_of(mark.trim())) {
            let above = headings.iter().rfind(|heading| heading.line < line);
            let heading = above.map_or("", |heading| heading.title).to_owned();
            let exchanges = transcript::exchanges(&fence.lines);
            found.push(Block {
                heading,
                line,
                code,
                exchanges,
            });
        } else if found.is_empty() && page == README {
            let wrong = "the first console block has no `<!-- run -->` in the line above";
            return Err(Failure::new(format!("README.md:{line}: {wrong}")));
        }
    }
    if page == README && found.iter().all(|block| block.exchanges.is_empty()) {
        return Err(Failure::new(
            "README.md: no console block is marked with `<!-- run -->`",
        ));
    }
    Ok(found)
}

/// The files that are shown, by the name in the line above.
fn files(readme: &str) -> Vec<(&str, String)> {
    let lines: Vec<&str> = readme.lines().collect();
    let name_of = |line: usize| {
        let mark = line.checked_sub(2).and_then(|index| lines.get(index))?;
        let name = mark.trim().strip_prefix("<!-- file: ")?;
        name.strip_suffix(" -->")
    };
    let content = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect();
    let marked = markdown::fences(readme)
        .filter_map(|fence| Some((name_of(fence.line)?, content(&fence.lines))));
    marked.collect()
}

/// The exit code that a mark asks for; none when the line is no mark.
fn code_of(line: &str) -> Option<i32> {
    let mark = line.strip_prefix("<!-- run")?.strip_suffix("-->")?.trim();
    match mark.strip_prefix(": exit ") {
        Some(code) => code.parse().ok(),
        None => mark.is_empty().then_some(0),
    }
}

/// What is wrong with a command's outcome, if anything is.
fn fault(exchange: &Exchange, code: i32, outcome: &Outcome) -> Option<String> {
    let Exchange { command, shown, .. } = exchange;
    let printed = &outcome.printed;
    if outcome.code != Some(code) {
        let ended = outcome
            .code
            .map_or("a signal".to_owned(), |code| format!("code {code}"));
        let wrong = format!("`{command}` ended with {ended}, not code {code}");
        return Some(format!("{wrong}; it printed\n{printed}"));
    }
    let shown_as = || shown.join("\n");
    (!transcript::agrees(shown, printed)).then(|| {
        format!(
            "`{command}` printed\n{printed}\nwhere this is shown:\n{}",
            shown_as()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run_readme(readme: &str) -> std::result::Result<(), String> {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("README.md"), readme).unwrap();
        fs::write(root.path().join("data"), "one\ntwo\n").unwrap();
        run(&Workspace::at(root.path())).map_err(|failure| failure.to_string())
    }

    fn marked(mark: &str, session: &str) -> String {
        format!("# Use\n\n{mark}\n```console\n{session}\n```\n")
    }

    #[test]
    fn blocks_share_their_folder() {
        let first = marked("<!-- run -->", "$ cat data > copy\n$ cat copy\none\n...");
        let second = marked("<!-- run -->", "$ wc -l < copy\n2");
        assert_eq!(run_readme(&format!("{first}{second}")), Ok(()));
    }

    #[test]
    fn a_file_that_is_shown_is_there() {
        let file = "<!-- file: note.txt -->\n```text\na\nb\n```\n";
        let block = marked("<!-- run -->", "$ cat note.txt\na\nb");
        assert_eq!(run_readme(&format!("{file}{block}")), Ok(()));
    }

    #[test]
    fn a_block_knows_its_heading_and_its_line() {
        let readme = format!("# Title\n## Start\n{}", marked("<!-- run -->", "$ true"));
        let found = blocks(README, &readme).unwrap();
        assert_eq!((found[0].heading.as_str(), found[0].line), ("Use", 6));
    }

    #[test]
    fn other_output_is_a_failure_with_its_line() {
        let wrong = run_readme(&marked("<!-- run -->", "$ true\n$ cat data\none")).unwrap_err();
        assert!(
            wrong.starts_with("README.md:6: `cat data` printed\none\ntwo\n"),
            "{wrong}"
        );
    }

    #[test]
    fn an_exit_code_counts_and_can_be_expected() {
        let wrong = run_readme(&marked("<!-- run -->", "$ exit 3")).unwrap_err();
        assert!(
            wrong.contains("`exit 3` ended with code 3, not code 0"),
            "{wrong}"
        );
        assert_eq!(
            run_readme(&marked("<!-- run: exit 3 -->", "$ true\n$ exit 3")),
            Ok(())
        );
    }

    #[test]
    fn the_first_block_must_be_marked() {
        let unmarked = marked("", "$ true");
        assert!(
            run_readme(&unmarked)
                .unwrap_err()
                .starts_with("README.md:4: the first console")
        );
        assert_eq!(
            run_readme(&format!("{}{unmarked}", marked("<!-- run -->", "$ true"))),
            Ok(())
        );
        assert!(
            run_readme("# Use\n")
                .unwrap_err()
                .contains("no console block is marked")
        );
    }
}
