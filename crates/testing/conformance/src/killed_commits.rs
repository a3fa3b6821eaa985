//! Processes that are killed around a commit.

use projectionist_core::contract::OffsetStore;
use projectionist_core::{Claim, Commit, DeadLetterOrigin, Offset, Take};

use crate::OffsetStoreHarness;
use crate::process::{here, killed, stay_here};
use crate::steps::{
    all_letters, lane, letter, offset, parked_at, row, step, take, take_with_state, waiting,
};

/// More steps than a process comes to make before it is killed.
pub(crate) const MANY: u64 = 100_000;

/// After so many steps a process may be killed, while it goes on.
pub(crate) const ENOUGH: u64 = 20;

/// How many processes are killed one after the other where it is chance what a kill meets.
pub(crate) const KILLS: u64 = 12;

/// The step to `number`. It keeps a letter, and leaves no envelope parked but its own.
pub(crate) fn numbered_step(number: u64) -> Commit {
    let before = (number > 1).then(|| (number - 1).to_string());
    let at = number.to_string();
    Commit {
        dead_letters: vec![letter(DeadLetterOrigin::Projection, &at, "a")],
        parked: vec![waiting("a", &at)],
        unparked: before.as_deref().map(offset).into_iter().collect(),
        ..step(before.as_deref(), &at)
    }
}

/// How many steps lead to an offset.
fn steps_to(offset: Option<&Offset>) -> u64 {
    offset.map_or(0, |offset| offset.text.parse().unwrap())
}

/// How many steps the lane has made. Whatever a step writes must be there of each of them, and, if
/// the store's commits are atomic as a whole, of no other.
pub(crate) async fn whole_steps<H: OffsetStoreHarness>(harness: &H) -> u64 {
    let store = harness.store();
    let state = row(&store, &lane()).await;
    let steps = steps_to(state.offset.as_ref());
    let letters = all_letters(&harness.letters(&store)).await;
    let letters = letters.into_iter().map(|kept| kept.letter.offset.text);
    let expected = (1..=steps).map(|number| number.to_string());
    if store.capabilities().atomic_commit {
        assert!(letters.eq(expected), "letters of {steps} steps");
        assert_eq!(state.counters.read, steps);
        let parked = parked_at(&store, &lane(), "a").await;
        assert_eq!(parked, Vec::from_iter(state.offset.map(|at| at.text)));
    } else {
        let letters: Vec<String> = letters.collect();
        assert!(letters.starts_with(&expected.collect::<Vec<_>>()));
    }
    steps
}

/// Takes the lane, whoever holds it. Gives how many steps it has made.
pub(crate) async fn take_over<S: OffsetStore>(store: &S, who: &str) -> (Claim, u64) {
    let state = store.lane(&lane()).await.unwrap().unwrap_or_default();
    let take = Take::From(state.epoch);
    let (claim, granted) = take_with_state(store, &lane(), who, take).await;
    (claim, steps_to(granted.offset.as_ref()))
}

/// The next claim goes on where the killed process was.
async fn go_on<H: OffsetStoreHarness>(harness: &H) {
    let store = harness.store();
    let before = whole_steps(harness).await;
    let (claim, steps) = take_over(&store, "next").await;
    assert_eq!(steps, before);
    let next = numbered_step(steps + 1);
    store.commit(&claim, &next).await.unwrap();
    assert_eq!(whole_steps(harness).await, steps + 1);
}

/// S-DURABLE-4: the claim is there, and is superseded.
pub async fn a_kill_before_a_commit_leaves_nothing<H: OffsetStoreHarness>(harness: H) {
    let harness = killed(harness, async |store| {
        take(&store, &lane(), "killed").await;
        stay_here();
    });
    let harness = harness.await;
    assert_eq!(whole_steps(&harness).await, 0);
    go_on(&harness).await;
}

/// S-DURABLE-4: what had returned is there, although nobody was told.
pub async fn a_kill_after_a_commit_leaves_all<H: OffsetStoreHarness>(harness: H) {
    let harness = killed(harness, async |store| {
        let claim = take(&store, &lane(), "killed").await;
        for number in 1..=2 {
            store.commit(&claim, &numbered_step(number)).await.unwrap();
        }
        stay_here();
    });
    let harness = harness.await;
    assert_eq!(whole_steps(&harness).await, 2);
    go_on(&harness).await;
}

/// S-DURABLE-4: wherever in a commit the kill comes.
pub async fn a_kill_among_commits_leaves_whole_ones<H: OffsetStoreHarness>(mut harness: H) {
    for kills in 1..=KILLS {
        let killed = killed(harness, async |store| {
            let (claim, steps) = take_over(&store, "killed").await;
            for number in steps + 1..=steps + MANY {
                store.commit(&claim, &numbered_step(number)).await.unwrap();
                if number == steps + ENOUGH {
                    here();
                }
            }
        });
        harness = killed.await;
        let steps = whole_steps(&harness).await;
        assert!(steps >= kills * ENOUGH, "{steps} after {kills} kills");
    }
    go_on(&harness).await;
}
