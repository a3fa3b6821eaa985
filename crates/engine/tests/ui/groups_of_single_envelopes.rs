//! A delivery of single envelopes has no groups that could be bisected.

use projectionist_core::ProjectionId;
use projectionist_core::contract::handler_fn;
use projectionist_engine::Projection;
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestEnvelope, TestSource};

fn main() {
    let id = ProjectionId::new("mails", "all").unwrap();
    let source = TestSource::of([1_u64]);
    let handler = || handler_fn(|_: &TestEnvelope<u64>| async { Ok(()) });
    let _ = Projection::at_least_once(id, source, MemoryStore::new(), handler).bisecting();
}
