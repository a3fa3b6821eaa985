//! The small steps that cases about lanes are made of.

use std::time::Duration;

use bytes::Bytes;
use projectionist_core::contract::{
    DeadLetterFilter, DeadLetterStore, OffsetStore, ParkedStore, StoredDeadLetter,
};
use projectionist_core::{
    Ahead, Claim, ClaimOutcome, ClaimRequest, Commit, Counters, DeadLetter, DeadLetterOrigin,
    Defect, Error, ErrorClass, LaneState, Offset, Owner, ParkedEnvelope, ProjectionId,
    SettledRange, Take, Timestamp,
};

/// How long claims hold in the cases.
pub const TTL: Duration = Duration::from_secs(10);

/// The lane that most cases work on.
///
/// # Panics
/// Never: the identity is a valid one.
#[must_use]
pub fn lane() -> ProjectionId {
    lane_named("orders", "all")
}

/// A lane.
///
/// # Panics
/// When the name or the key cannot be one.
#[must_use]
pub fn lane_named(name: &str, key: &str) -> ProjectionId {
    ProjectionId::new(name, key).unwrap()
}

/// An owner without a process.
#[must_use]
pub fn owner(instance: &str) -> Owner {
    Owner {
        instance: instance.to_owned(),
        process: None,
    }
}

/// Asks for a lane.
///
/// # Panics
/// When the store fails.
pub async fn ask<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    who: &str,
    take: Take,
) -> ClaimOutcome {
    let request = ClaimRequest {
        lane: lane.clone(),
        owner: owner(who),
        ttl: TTL,
        take,
    };
    store.claim(&request).await.unwrap()
}

/// Takes a lane, and gives the claim with the row as it was granted.
///
/// # Panics
/// When the lane is not granted.
pub async fn take_with_state<S: OffsetStore>(
    store: &S,
    lane: &ProjectionId,
    who: &str,
    take: Take,
) -> (Claim, LaneState) {
    match ask(store, lane, who, take).await {
        ClaimOutcome::Granted { claim, lane } => (claim, lane),
        held @ ClaimOutcome::Held { .. } => panic!("{who} was not granted {lane}: {held:?}"),
    }
}

/// Takes a free lane.
///
/// # Panics
/// When it is held.
pub async fn take<S: OffsetStore>(store: &S, lane: &ProjectionId, who: &str) -> Claim {
    take_with_state(store, lane, who, Take::Free).await.0
}

/// Takes the lane of a claim from its holder.
///
/// # Panics
/// When the claim was superseded before.
pub async fn steal<S: OffsetStore>(store: &S, from: &Claim, who: &str) -> Claim {
    take_with_state(store, &from.lane, who, Take::From(from.epoch))
        .await
        .0
}

/// The row of a lane that was claimed.
///
/// # Panics
/// When there is none.
pub async fn row<S: OffsetStore>(store: &S, lane: &ProjectionId) -> LaneState {
    store.lane(lane).await.unwrap().unwrap()
}

/// An offset in the format of the cases.
#[must_use]
pub fn offset(text: &str) -> Offset {
    Offset {
        manifest: "conformance.v1".into(),
        text: text.to_owned(),
    }
}

/// A commit that moves a lane from one offset to the next and counts one applied event.
#[must_use]
pub fn step(expected: Option<&str>, next: &str) -> Commit {
    Commit {
        expected: expected.map(offset),
        offset: Some(offset(next)),
        counters: Counters {
            read: 1,
            applied: 1,
            ..Counters::default()
        },
        ..Commit::default()
    }
}

/// A commit by which management sets the offset, or clears it.
#[must_use]
pub fn reset(expected: Option<&str>, to: Option<&str>) -> Commit {
    Commit {
        expected: expected.map(offset),
        offset: to.map(offset),
        reset: true,
        ..Commit::default()
    }
}

/// Ranges in the format of the cases.
#[must_use]
pub fn ranges(ranges: &[(&str, &str)]) -> Ahead {
    let range = |(first, last): &(&str, &str)| SettledRange {
        first: (*first).to_owned(),
        last: (*last).to_owned(),
    };
    Ahead {
        manifest: "conformance.v1".into(),
        ranges: ranges.iter().map(range).collect(),
    }
}

/// Takes the lane of a claim from it, and then tries a commit that must be refused: once under the
/// claim that was superseded, and once on an offset that the row does not hold. Gives the claim
/// that holds the lane.
///
/// # Panics
/// When the commit is not refused as it must be.
pub async fn refused_twice<S: OffsetStore>(store: &S, claim: &Claim, commit: Commit) -> Claim {
    let holding = steal(store, claim, "another").await;
    let error = store.commit(claim, &commit).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    let unexpected = Commit {
        expected: Some(offset("not there")),
        ..commit
    };
    let error = store.commit(&holding, &unexpected).await.unwrap_err();
    assert!(matches!(error, Error::UnexpectedOffset { .. }), "{error}");
    holding
}

/// A dead letter at a position, whose content tells it from others.
#[must_use]
pub fn letter(origin: DeadLetterOrigin, at: &str, content: &str) -> DeadLetter {
    DeadLetter {
        origin,
        offset: offset(at),
        defect: Defect::new(ErrorClass::Data, format!("{content} does not fit")),
        event: Bytes::from(content.to_owned()),
        attempts: 1,
        first_failed_at: Timestamp::from_unix_millis(1_719_331_200_123),
        failed_at: Timestamp::from_unix_millis(1_719_331_200_123),
    }
}

/// A commit that keeps letters and moves nothing.
#[must_use]
pub fn keeping(letters: &[DeadLetter]) -> Commit {
    Commit {
        dead_letters: letters.to_vec(),
        ..Commit::default()
    }
}

/// An envelope of a key that was not tried, whose content tells it from others.
#[must_use]
pub fn waiting(key: &str, at: &str) -> ParkedEnvelope {
    ParkedEnvelope {
        key: key.to_owned(),
        offset: offset(at),
        event: Bytes::from(format!("{key} at {at}")),
        attempts: 0,
        error: None,
        parked_at: Timestamp::from_unix_millis(1_719_331_200_123),
        tried_at: None,
        replay: false,
    }
}

/// The positions of a key's parked envelopes, in their order.
///
/// # Panics
/// When the store fails.
pub async fn parked_at<S: ParkedStore>(store: &S, lane: &ProjectionId, key: &str) -> Vec<String> {
    let envelopes = store.parked(lane, key, usize::MAX).await.unwrap();
    envelopes.into_iter().map(|kept| kept.offset.text).collect()
}

/// Every letter of the store.
///
/// # Panics
/// When the store fails.
pub async fn all_letters<S: DeadLetterStore>(store: &S) -> Vec<StoredDeadLetter> {
    let filter = DeadLetterFilter {
        projection: None,
        limit: usize::MAX,
        ..DeadLetterFilter::default()
    };
    store.dead_letters(&filter).await.unwrap()
}
