//! A handler of texts over a source of numbers.

use projectionist_core::ProjectionId;
use projectionist_core::contract::{Context, Handler, HandlerResult};
use projectionist_engine::Projection;
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestEnvelope, TestSource};

struct Printer;

impl Handler<TestEnvelope<String>> for Printer {
    async fn process(
        &mut self,
        envelope: &TestEnvelope<String>,
        _: &Context<'_>,
    ) -> HandlerResult {
        println!("{}", envelope.event);
        Ok(())
    }
}

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let source = TestSource::of([1_u64, 2, 3]);
    let _ = Projection::at_least_once(id, source, MemoryStore::new(), || Printer);
}
