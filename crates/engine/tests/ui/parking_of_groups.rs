//! Parking where there is no single envelope to park, or where it is too late.

use projectionist_core::ProjectionId;
use projectionist_engine::{ParkConfig, Projection, Recovery};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestEnvelope, TestSource};

fn key(envelope: &TestEnvelope<u64>, key: &mut String) {
    key.push_str(&envelope.persistence_id);
}

fn main() {
    let id = ProjectionId::new("orders", "all").unwrap();
    let (source, store) = (TestSource::of([1_u64, 2, 3]), MemoryStore::new());
    let factory = || Recorder::default().handler();
    let config = ParkConfig::default();

    let grouped = Projection::grouped_at_least_once(
        id.clone(),
        source.clone(),
        store.clone(),
        factory,
    );
    let _ = grouped.parking(config, key);

    let lossy = Projection::at_most_once(id.clone(), source.clone(), store.clone(), factory);
    let _ = lossy.parking(config, key);

    // A projection that parks does not skip: how often it tries stands in its `ParkConfig`.
    let parking = Projection::at_least_once(id, source, store, factory).parking(config, key);
    let _ = parking.with_recovery(Recovery::Skip);
}
