//! A store that keeps offsets and lends no transaction.

use projectionist_core::ProjectionId;
use projectionist_core::contract::{GroupContext, GroupedTransactionalHandler, HandlerResult};
use projectionist_engine::Projection;
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{LowWaterStore, TestEnvelope, TestSource};

struct Totals;

impl<Tx: Send + 'static> GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Totals {
    async fn process(
        &mut self,
        _: &mut Tx,
        _: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        Ok(())
    }
}

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let source = TestSource::of([1_u64, 2, 3]);
    let offsets_only = LowWaterStore::over(MemoryStore::new());
    let _ = Projection::grouped_exactly_once(id, source, offsets_only, || Totals);
}
