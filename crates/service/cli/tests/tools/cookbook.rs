//! Every recipe of the cookbook does what its cases say.

use std::collections::BTreeSet;
use std::fs;

use tempfile::TempDir;

use crate::common::process::{command, ended};
use crate::test_files;

const COOKBOOK: &str = include_str!("../../../../../docs/guides/cookbook.md");

/// The files that the text shows: `<!-- file: NAME -->` and a block.
fn files(text: &str) -> Vec<(&str, &str)> {
    let shown = text.split("<!-- file: ").skip(1);
    let shown = shown.map(|rest| {
        let (name, rest) = rest.split_once(" -->\n```yaml\n").unwrap();
        (name, rest.split_once("```").unwrap().0)
    });
    shown.collect()
}

#[test]
fn every_recipe_passes_its_cases() {
    let folder = TempDir::new().unwrap();
    let mut recipes = BTreeSet::new();
    for (name, text) in files(COOKBOOK) {
        fs::write(folder.path().join(name), text).unwrap();
        recipes.insert(name.split_once('.').unwrap().0);
    }
    // One heading is about cases themselves.
    let headings = COOKBOOK
        .lines()
        .filter(|line| line.starts_with("## "))
        .count();
    assert_eq!(recipes.len(), headings - 1, "every recipe has its files");
    let mut failed = Vec::new();
    for recipe in recipes {
        let projections = folder.path().join(format!("{recipe}.yaml"));
        let cases = folder.path().join(format!("{recipe}.cases.yaml"));
        let checked = ended(command().arg("check").arg(&projections));
        assert_eq!(
            (checked.code, checked.stderr.as_str()),
            (0, ""),
            "{checked:?}"
        );
        let tested = test_files(&projections, &[&cases], &[]);
        if tested.code != 0 {
            failed.push((recipe, tested));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
