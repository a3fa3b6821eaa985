//! Retries of an envelope whose position is saved by then.

use projectionist_core::ProjectionId;
use projectionist_engine::{FailurePolicy, Projection};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestSource};

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let source = TestSource::of([1_u64, 2, 3]);
    let recorder = Recorder::<u64>::default();
    let _ = Projection::at_most_once(id, source, MemoryStore::new(), move || recorder.handler())
        .with_failure_policy(FailurePolicy::stopping());
}
