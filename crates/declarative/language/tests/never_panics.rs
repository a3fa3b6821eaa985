//! Whatever a file holds, it is parsed or explained; it never brings the program down.

use projectionist_language::parse;
use proptest::prelude::*;

const VALID: [&str; 4] = [
    include_str!("files/artist_followers.yaml"),
    include_str!("files/artist_followers.json"),
    include_str!("files/every_part.yaml"),
    include_str!("files/envelope.yaml"),
];

/// Pieces that mean something to YAML or to the language.
const PIECES: [&str; 46] = [
    ":",
    ": ",
    "- ",
    "? ",
    "\n",
    "\r",
    "\t",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "|",
    ">",
    "&a ",
    "*a",
    "!!str ",
    "!",
    "%",
    "@",
    "#",
    "---\n",
    "...\n",
    "<<: ",
    "\\",
    "\0",
    "\u{feff}",
    "\u{2028}",
    "é",
    "event",
    "$.",
    "debezium",
    ".ts",
    "['",
    "0x1",
    "1e999",
    "null",
    "item",
    "op: ",
    "projections:",
    "NUMERIC(",
    "~",
    "_",
];

/// Parses, and checks what holds for every outcome.
fn check(text: &str) -> Result<(), TestCaseError> {
    let Err(faults) = parse("f.yaml", text) else {
        return Ok(());
    };
    prop_assert!(
        !faults.as_slice().is_empty(),
        "no fault, no program: {:?}",
        text
    );
    prop_assert!(faults.as_slice().is_sorted());
    for fault in faults.as_slice() {
        prop_assert!(fault.line >= 1 && fault.column >= 1, "{:?}", fault);
        prop_assert!(!fault.message.is_empty());
    }
    let rendered = faults.render("f.yaml", text);
    prop_assert!(rendered.starts_with("f.yaml:"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn arbitrary_text(text in "\\PC{0,80}|(?s:.){0,80}") {
        check(&text)?;
    }

    #[test]
    fn pieces_of_yaml(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40)) {
        check(&pieces.concat())?;
    }

    #[test]
    fn valid_files_with_something_changed(
        file in prop::sample::select(&VALID[..]),
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..12, prop::sample::select(&PIECES[..])),
            1..4,
        ),
    ) {
        let mut characters: Vec<char> = file.chars().collect();
        for (place, removed, piece) in changes {
            let start = place.index(characters.len() + 1);
            let end = (start + removed).min(characters.len());
            characters.splice(start..end, piece.chars());
        }
        check(&characters.into_iter().collect::<String>())?;
    }

    #[test]
    fn valid_files_with_lines_moved(
        file in prop::sample::select(&VALID[..]),
        from: prop::sample::Index,
        to: prop::sample::Index,
        indent in 0_usize..10,
    ) {
        let mut lines: Vec<String> = file.lines().map(str::to_owned).collect();
        let line = lines.remove(from.index(lines.len()));
        let line = format!("{}{}", " ".repeat(indent), line.trim_start());
        lines.insert(to.index(lines.len() + 1), line);
        check(&lines.join("\n"))?;
    }
}
