//! Files without a fault that are seldom meant as they stand: exactly the warnings next to them.

use std::fs;
use std::path::PathBuf;

use projectionist_language::{inspect, render_warnings};

#[test]
fn what_is_seldom_meant_is_warned_of() {
    for name in [
        "replace_reads_all",
        "patch_of_a_missing_row",
        "or_of_texts",
        "outside_payload",
    ] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/warnings")
            .join(name)
            .with_extension("yaml");
        let text = fs::read_to_string(&path).unwrap();
        let expected = fs::read_to_string(path.with_extension("expected")).unwrap();
        let file_name = format!("{name}.yaml");
        let inspection = inspect(&file_name, &text);
        assert_eq!(inspection.outcome.err(), None, "{name}");
        let rendered = render_warnings(&inspection.warnings, &file_name, &text);
        assert!(rendered == expected, "{rendered}");
    }
}

#[test]
fn warnings_and_faults_stand_side_by_side() {
    let text = "
projections:
  lines:
    source_events: [SET]
    target: { table: lines, primary_key: [id] }
    fields: { id: TEXT, place: TEXT }
    derive: { id: event.entityId, plaec: event.place }
    mutations:
      SET: { op: replace, filter: { place: event.place } }
";
    let inspection = inspect("f.yaml", text);
    let lines = |faults: &[projectionist_language::Fault]| -> Vec<usize> {
        faults.iter().map(|fault| fault.line).collect()
    };
    assert_eq!(lines(inspection.outcome.unwrap_err().as_slice()), [7]);
    assert_eq!(lines(&inspection.warnings), [9]);
}
