//! The projections that settle by key.

use projectionist_core::Result;
use projectionist_engine::{Projection, ProjectionHandle};
use projectionist_testkit::TestEnvelope;

use crate::blueprint::Parts;
use crate::common::id;
use crate::guarantee::Guarantee;
use crate::script::Settings;
use crate::written::key_of;

impl Settings {
    /// Starts the projection of such a guarantee in a process.
    pub(crate) fn spawn_by_key(self, parts: Parts<'_>) -> Result<ProjectionHandle> {
        let Parts {
            runtime,
            source,
            subject,
            when_held,
        } = parts;
        let store = subject.store.clone();
        let factory = move || subject.clone();
        if self.guarantee == Guarantee::ParkingExactlyOnce {
            let projection = Projection::exactly_once(id(), source, store, factory);
            let projection = projection.parking(self.parking, write_key);
            return runtime.spawn(self.settled(projection, when_held));
        }
        let projection = Projection::at_least_once(id(), source, store, factory);
        if self.guarantee == Guarantee::ParkingAtLeastOnce {
            let projection = projection
                .parking(self.parking, write_key)
                .with_save(self.save());
            return runtime.spawn(self.settled(projection, when_held));
        }
        let projection = projection
            .with_recovery(self.recovery)
            .keyed(self.keyed, write_key)
            .with_save(self.save());
        runtime.spawn(self.settled(projection, when_held))
    }
}

fn write_key(envelope: &TestEnvelope<u64>, key: &mut String) {
    key.push_str(&key_of(envelope.event).to_string());
}
