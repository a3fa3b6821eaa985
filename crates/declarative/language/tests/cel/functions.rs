//! Every example of the guide to expressions gives what the guide says.
#![expect(clippy::unwrap_used, reason = "the helpers are parts of tests")]

use std::fs;
use std::path::PathBuf;

use crate::support::value;

/// The examples of the guide: what is written between ticks in the last two columns of its tables.
fn examples() -> Vec<(String, String)> {
    let guide =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../docs/guides/expressions.md");
    let text = fs::read_to_string(guide).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let examples = rows.filter_map(|row| {
        let row = row.replace("\\|", "\u{1}");
        let mut cells = row.trim_matches('|').rsplit('|');
        let ticked = |cell: Option<&str>| {
            let cell = cell?.trim().strip_prefix('`')?.strip_suffix('`')?;
            Some(cell.replace('\u{1}', "|"))
        };
        let given = ticked(cells.next())?;
        Some((ticked(cells.next())?, given))
    });
    examples.collect()
}

#[test]
fn the_examples_of_the_guide_hold() {
    let examples = examples();
    assert!(examples.len() >= 60, "only {} examples", examples.len());
    for (expression, wanted) in examples {
        assert_eq!(value(&expression), wanted, "{expression}");
    }
}

#[test]
fn every_function_of_the_guide_can_be_called_and_no_other_is_named() {
    // The names that an unknown function is compared with are all there are.
    for (name, expression) in [
        ("lowr", "lowr('a')"),
        ("coalese", "coalese(1)"),
        ("sha25", "sha25('')"),
    ] {
        let error = value(expression);
        assert!(error.contains("did you mean"), "{name}: {error}");
    }
}
