//! The guide names every key of the language, with its default.

use std::fs;

use projectionist_language::{json_schema, parse};
use serde_json::Value;

use crate::workspace;

/// The rows of the guide's table of keys: where, key, default.
fn rows(guide: &str) -> Vec<(String, Vec<String>, String)> {
    let table = guide.split("\n## ").find(|part| part.starts_with("Keys\n"));
    let lines = table.unwrap().lines().filter(|line| line.starts_with("| "));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let keys = cells[1].split(", ");
            let keys = keys.map(|key| key.trim_matches('`').to_owned());
            (cells[0].to_owned(), keys.collect(), cells[2].to_owned())
        })
        .collect()
}

#[test]
fn the_guide_names_every_key() {
    let guide = workspace().join("docs/guides/declared-projections.md");
    let rows = rows(&fs::read_to_string(guide).unwrap());
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let mut known = Vec::new();
    for (level, pointer) in [
        ("file", ""),
        ("projection", "/$defs/projection"),
        ("`target`", "/$defs/target"),
        ("column", "/$defs/column"),
        ("mutation", "/$defs/mutation"),
    ] {
        let properties = schema.pointer(&format!("{pointer}/properties")).unwrap();
        for (key, told) in properties.as_object().unwrap() {
            let row = rows.iter().find(|(place, keys, _)| {
                place.split(", ").any(|place| place == level) && keys.contains(key)
            });
            let (_, _, default) = row.unwrap_or_else(|| panic!("{level}: `{key}` has no row"));
            if let Some(expected) = told.get("default") {
                let expected = match expected {
                    Value::String(word) => word.clone(),
                    other => other.to_string(),
                };
                assert!(default.contains(&format!("`{expected}`")), "{level} {key}");
            }
            known.push((level, key.clone()));
        }
    }
    for (places, keys, _) in rows.iter().skip(2) {
        for place in places.split(", ") {
            for key in keys {
                let is_known = known
                    .iter()
                    .any(|(level, name)| *level == place && name == key);
                assert!(is_known, "{place}: `{key}` is no key");
            }
        }
    }
}

#[test]
fn the_files_of_the_guide_have_no_fault() {
    let guide = workspace().join("docs/guides/declared-projections.md");
    let guide = fs::read_to_string(guide).unwrap();
    let blocks = guide.split("```yaml\n").skip(1);
    let files = blocks.filter_map(|block| block.split("```").next());
    let files: Vec<&str> = files
        .filter(|file| file.contains("projections:\n"))
        .collect();
    assert!(files.len() >= 2);
    for file in files {
        assert_eq!(parse("guide.yaml", file).err(), None, "{file}");
    }
}
