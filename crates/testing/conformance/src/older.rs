//! Stores that an older version has filled.

use projectionist_core::contract::{ManagementStore, OffsetStore, ParkedStore};
use projectionist_core::{
    Commit, LaneState, ManagementCommand, Offset, ProjectionId, RequestAnswer, Take,
};

use crate::steps::{all_letters, parked_at, ranges, row, take_with_state, waiting};
use crate::{OffsetStoreHarness, OlderStore};

async fn older<H: OffsetStoreHarness>(harness: &H) -> OlderStore<H> {
    harness.older().await.unwrap()
}

/// S-DURABLE-3: lanes, letters and flags as they were.
pub async fn what_an_older_version_wrote_is_there<H: OffsetStoreHarness>(harness: H) {
    let older = older(&harness).await;
    let store = older.harness.store();
    assert!(!older.lanes.is_empty() && !older.letters.is_empty() && !older.flags.is_empty());
    assert_eq!(store.lanes().await.unwrap(), older.lanes);
    for (id, state) in &older.lanes {
        assert_eq!(row(&store, id).await, *state);
    }
    let letters = all_letters(&older.harness.letters(&store)).await;
    assert_eq!(letters, older.letters);
    for (name, key, flag) in older.flags {
        let kept = store.pause_flag(name, key).await.unwrap();
        assert_eq!(kept, Some(flag), "{name} {key:?}");
    }
}

/// A lane of the older store that can be moved, with its offset.
fn movable(lanes: &[(ProjectionId, LaneState)]) -> (ProjectionId, Offset) {
    let free = |state: &LaneState| state.holder.is_none();
    let found = lanes.iter().find_map(|(id, state)| {
        let at = state.offset.clone().filter(|_| free(state))?;
        Some((id.clone(), at))
    });
    found.unwrap()
}

/// S-DURABLE-3: everything that came with later versions works on it.
pub async fn an_older_store_can_what_a_new_one_can<H: OffsetStoreHarness>(harness: H) {
    let older = older(&harness).await;
    let store = older.harness.store();
    let (id, at) = movable(&older.lanes);
    assert_eq!(store.parked_keys(&id, 9).await.unwrap(), []);
    assert_eq!(store.management(&id).await.unwrap().requests, []);
    let retry = ManagementCommand::RetryParked { key: None };
    let request = store.request(&id, &retry).await.unwrap();
    assert_eq!(store.management(&id).await.unwrap().requests.len(), 1);

    let (claim, granted) = take_with_state(&store, &id, "one", Take::Free).await;
    let answer = RequestAnswer {
        id: request,
        refusal: None,
    };
    let back = Commit {
        expected: Some(at.clone()),
        reset: true,
        ahead: Some(ranges(&[("4", "5")])),
        parked: vec![waiting("a", "1")],
        answers: vec![answer.clone()],
        ..Commit::default()
    };
    store.commit(&claim, &back).await.unwrap();
    let state = row(&store, &id).await;
    assert_eq!((state.offset, state.replay_until), (None, Some(at)));
    assert_eq!(state.counters, granted.counters);
    assert_eq!(state.ahead.is_empty(), !store.capabilities().ahead);
    assert_eq!(parked_at(&store, &id, "a").await, ["1"]);
    assert_eq!(store.answer(request).await.unwrap(), Some(answer));
}
