//! What is told of numbers that are missing between two events of an entity.

use std::io::{Result as IoResult, Write};
use std::sync::{Arc, Mutex};

use projectionist_language::model::{OnGap, Sequence};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::util::SubscriberInitExt;

use crate::support::things::{all_operations, run, runner};

/// Keeps the lines that are logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> IoResult<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> IoResult<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;
    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The lines that two groups of events log.
async fn lines_of(on_gap: OnGap, groups: [&[&str]; 2]) -> Vec<String> {
    let mut program = all_operations(Sequence::Guarded);
    program.projections[0].on_gap = on_gap;
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(lines.clone())
        .with_ansi(false)
        .finish();
    let _logging = subscriber.set_default();
    let mut runner = runner(&program).await;
    for group in groups {
        run(&mut runner, group).await;
    }
    assert_eq!(runner.dead, []);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    text.lines().map(ToOwned::to_owned).collect()
}

#[tokio::test]
async fn a_gap_is_told_with_its_entity_and_both_numbers() {
    // 7 is the first that is known of x; y has no gap; a stale event is none.
    let groups: [&[&str]; 2] = [
        &["PUT x@7", "PUT y@1", "PUT y@2", "PUT y@1"],
        &["PUT x@8", "PUT x@11", "PUT y@5"],
    ];
    let lines = lines_of(OnGap::Warn, groups).await;
    let [line] = lines.as_slice() else {
        panic!("one line, not {lines:?}");
    };
    for word in [
        "WARN",
        "projection=\"things\"",
        "entity=\"x\"",
        "last=8",
        "next=11",
        "suppressed=1",
    ] {
        assert!(line.contains(word), "{word} is not in {line}");
    }
    assert_eq!(lines_of(OnGap::Ignore, groups).await, Vec::<String>::new());
}
