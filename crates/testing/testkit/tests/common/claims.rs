//! The lane of the tests, and a claim on it.

use std::time::Duration;

use projectionist_core::contract::OffsetStore;
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, LaneState, Offset, Owner, ProjectionId, Take,
};
use projectionist_testkit::TestPosition;

pub(crate) fn id() -> ProjectionId {
    ProjectionId::new("orders", "all").unwrap()
}

pub(crate) fn offset(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

/// Claims the lane, which nobody holds.
pub(crate) async fn claimed<S: OffsetStore>(store: &S) -> (Claim, LaneState) {
    let request = ClaimRequest {
        lane: id(),
        owner: Owner {
            instance: "test".into(),
            process: None,
        },
        ttl: Duration::from_secs(10),
        take: Take::Free,
    };
    match store.claim(&request).await.unwrap() {
        ClaimOutcome::Granted { claim, lane } => (claim, lane),
        ClaimOutcome::Held { holder, .. } => panic!("{holder:?}"),
    }
}
