//! A flow is asked to try again what failed.

use projectionist_core::contract::{FlowHandler, Stream};
use projectionist_core::{BoxError, FlowContexts, FlowInput, ProjectionId};
use projectionist_engine::{Projection, Recovery};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestEnvelope, TestSource};

struct Nothing;

impl FlowHandler<TestEnvelope<u64>> for Nothing {
    fn flow(
        &mut self,
        _: FlowInput<TestEnvelope<u64>>,
    ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
        futures::stream::pending()
    }
}

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let source = TestSource::of([1_u64, 2, 3]);
    let projection = Projection::flow(id, source, MemoryStore::new(), || Nothing);
    let _ = projection.with_recovery(Recovery::retry_and_skip());
}
