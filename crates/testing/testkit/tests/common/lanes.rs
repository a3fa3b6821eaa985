//! What a test sees of lanes.

use futures::future::FutureExt;
use futures::stream::{Stream, StreamExt};
use projectionist_core::Result;
use projectionist_core::contract::LaneEvent;

/// What a test sees of an event of a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Assigned(String),
    Revoked(String),
    Lost(String),
    Ended(String),
    Failed { retryable: bool },
}

/// The event that the watch has at once.
pub(crate) fn next<P>(
    watch: &mut (impl Stream<Item = Result<LaneEvent<P>>> + Unpin),
) -> LaneEvent<P> {
    let event = watch.next().now_or_never().flatten();
    event.expect("there is an event").unwrap()
}

/// What the watch has at once, up to a failure.
pub(crate) fn events<P>(
    watch: &mut (impl Stream<Item = Result<LaneEvent<P>>> + Unpin),
) -> Vec<Seen> {
    let mut seen = Vec::new();
    while let Some(Some(event)) = watch.next().now_or_never() {
        seen.push(match event {
            Ok(LaneEvent::Assigned { key, .. }) => Seen::Assigned(key),
            Ok(LaneEvent::Revoked { key, .. }) => Seen::Revoked(key),
            Ok(LaneEvent::Lost { key }) => Seen::Lost(key),
            Ok(LaneEvent::Ended { key }) => Seen::Ended(key),
            Err(error) => {
                seen.push(Seen::Failed {
                    retryable: error.is_retryable(),
                });
                return seen;
            }
        });
    }
    seen
}
