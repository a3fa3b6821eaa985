//! An IR is a file that means the same, whatever the file says: every good file that the tests
//! have, and random files that draw each option, operation, envelope and kind of expression.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers belong to tests: a step that fails must name its line"
)]

mod random_file;

use std::fs;
use std::path::{Path, PathBuf};

use projectionist_language::{
    OnGap, Program, compile, declaration_hash, declaration_text, parse, program_hash,
};
use proptest::prelude::*;

/// The program with everything in the order of names, where order means nothing.
fn sorted(mut program: Program) -> Program {
    program.projections.sort_by(|a, b| a.name.cmp(&b.name));
    for projection in &mut program.projections {
        let mutations = &mut projection.mutations;
        mutations.sort_by(|a, b| a.event_type.cmp(&b.event_type));
        projection.indexes.sort();
    }
    program
}

/// Compiles a file, reads it back, and compares model, hash and text.
fn assert_means_the_same(name: &str, text: &str) {
    let before = match parse(name, text) {
        Ok(program) => program,
        Err(faults) => panic!("{faults}\n{text}"),
    };
    let ir = compile(&before);
    let after = match parse("causet.projections.json", &ir) {
        Ok(program) => program,
        Err(faults) => panic!("{faults}\n{text}\n{ir}"),
    };
    assert_eq!(sorted(after.clone()), sorted(before.clone()), "{text}");
    assert_eq!(program_hash(&after), program_hash(&before), "{text}");
    // Another reader of JSON finds the hash, and compiling again changes nothing.
    let json: serde_json::Value = serde_json::from_str(&ir).unwrap();
    assert_eq!(json["hash"], program_hash(&before), "{name}");
    assert_eq!(compile(&after), ir, "{text}");
    for projection in &before.projections {
        let stored = declaration_text(&before, projection);
        let alone = parse("stored", &stored).unwrap();
        let expected = Program {
            projections: vec![projection.clone()],
            ..before.clone()
        };
        let hash = declaration_hash(&alone, &alone.projections[0]);
        assert_eq!(hash, declaration_hash(&before, projection), "{stored}");
        assert_eq!(sorted(alone), sorted(expected), "{stored}");
    }
}

/// The files of the tests that have no fault, and those of the examples.
fn good_files() -> Vec<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.ancestors().nth(3).unwrap();
    let mut folders = vec![package.join("tests/files"), package.join("tests/warnings")];
    folders.extend(inside(&workspace.join("examples")));
    let files = folders.iter().filter(|folder| folder.is_dir());
    let files = files.flat_map(|folder| inside(folder));
    let has_form = |file: &PathBuf| {
        let form = file.extension().unwrap_or_default();
        form == "yaml" || form == "json"
    };
    files.filter(has_form).collect()
}

fn inside(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_good_file_means_the_same_compiled() {
    let files = good_files();
    assert!(files.len() >= 8, "{files:?}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert_means_the_same(&file.display().to_string(), &text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_random_file_means_the_same_compiled(text in random_file::file()) {
        assert_means_the_same("f.yaml", &text);
    }
}

#[test]
fn a_rule_about_gaps_for_the_whole_file_says_nothing_to_a_projection_without_numbers() {
    let text = "
on_gap: warn
projections:
  p:
    source_events: [E]
    target: { table: t, primary_key: [id] }
    sequence: none
    fields: { id: TEXT }
    derive: { id: event.entityId }
    mutations: { E: { op: upsert } }
  guarded:
    source_events: [E]
    target: { table: u, primary_key: [id] }
    fields: { id: TEXT }
    derive: { id: event.entityId }
    mutations: { E: { op: upsert } }
";
    let program = parse("f.yaml", text).unwrap();
    let gaps = program.projections.iter().map(|one| one.on_gap);
    assert_eq!(gaps.collect::<Vec<_>>(), [OnGap::Ignore, OnGap::Warn]);
    assert_means_the_same("f.yaml", text);
}
