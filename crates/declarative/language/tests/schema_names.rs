//! The schema of a fork: golden names that never change, because tables lie under them.
#![allow(
    clippy::panic,
    reason = "a line of the vectors that is no vector must be shown"
)]

use std::collections::HashMap;

use projectionist_language::schema_name;

/// The vectors: platform, application, fork, schema.
const VECTORS: &str = include_str!("vectors/schema_names.tsv");

#[test]
fn names_are_the_golden_ones() {
    let mut count = 0;
    for line in VECTORS.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let [platform, app, fork, schema] = parts.as_slice() else {
            panic!("{line}");
        };
        assert_eq!(schema_name(platform, app, fork), *schema, "{line}");
        count += 1;
    }
    assert!(count >= 12, "{count}");
}

#[test]
fn every_name_is_one_and_no_two_triples_share_it() {
    let parts = [
        "a",
        "b",
        "a_b",
        "a-b",
        "A",
        "a b",
        "",
        "1",
        "_",
        "a__b",
        "pg",
        "sqlite",
        "é",
        "日本",
        &"x".repeat(70),
    ];
    let mut seen = HashMap::new();
    for platform in parts {
        for app in parts {
            for fork in parts {
                let name = schema_name(platform, app, fork);
                let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                assert!(name.len() <= 63 && name.chars().all(is_name), "{name}");
                assert!(!name.starts_with(|c: char| c.is_ascii_digit()), "{name}");
                assert!(!name.starts_with("pg_") && !name.contains("__"), "{name}");
                let before = seen.insert(name.clone(), (platform, app, fork));
                assert_eq!(before, None, "{name}: {platform:?} {app:?} {fork:?}");
            }
        }
    }
}
