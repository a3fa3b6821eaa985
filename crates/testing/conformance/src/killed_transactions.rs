//! Processes that are killed around a transaction.

use projectionist_core::{Claim, Commit};

use crate::everything::{Seen, seen, write};
use crate::killed_commits::{ENOUGH, KILLS, MANY, numbered_step, take_over, whole_steps};
use crate::process::{here, killed, stay_here};
use crate::session::Session;
use crate::steps::{lane, take};
use crate::{Store, StoreHarness};

/// Opens the transaction of the step, and writes its number through it.
async fn begin<S: Store>(store: &S, claim: &Claim, number: u64) -> (S::Tx, Commit) {
    let commit = numbered_step(number);
    let begun = store.begin(claim, commit.expected.as_ref()).await;
    let mut tx = begun.unwrap();
    write(store, &mut tx, value(number)).await;
    (tx, commit)
}

fn value(number: u64) -> i64 {
    i64::try_from(number).unwrap()
}

async fn make<S: Store>(store: &S, claim: &Claim, number: u64) {
    let (tx, commit) = begin(store, claim, number).await;
    store.commit_in(tx, claim, &commit).await.unwrap();
}

/// Takes the lane, and compares row and sequence number with the steps that it has made. Gives how
/// many they are.
async fn assert_whole<H: StoreHarness>(harness: H) -> (Session<H>, u64) {
    let before = whole_steps(&harness).await;
    let store = harness.store();
    let (claim, steps) = take_over(&store, "next").await;
    assert_eq!(steps, before);
    let session = Session {
        harness,
        store,
        claim,
    };
    let Seen {
        value: row,
        sequence,
        ..
    } = seen(&session).await;
    let written = (steps > 0).then(|| value(steps));
    assert_eq!((row, sequence), (written, written));
    (session, steps)
}

/// The next claim goes on where the killed process was, after so many steps.
async fn go_on<H: StoreHarness>(harness: H, expected: u64) {
    let (session, steps) = assert_whole(harness).await;
    assert_eq!(steps, expected);
    make(&session.store, &session.claim, steps + 1).await;
    assert_eq!(assert_whole(session.harness).await.1, steps + 1);
}

/// S-DURABLE-5: all was written and nothing committed; nobody waits for what it had locked.
pub async fn a_kill_in_a_transaction_leaves_nothing<H: StoreHarness>(harness: H) {
    let harness = killed(harness, async |store| {
        let claim = take(&store, &lane(), "killed").await;
        make(&store, &claim, 1).await;
        let _open = begin(&store, &claim, 2).await;
        stay_here();
    });
    go_on(harness.await, 1).await;
}

/// S-DURABLE-5: what had returned is there, although nobody was told.
pub async fn a_kill_after_a_transaction_leaves_all<H: StoreHarness>(harness: H) {
    let harness = killed(harness, async |store| {
        let claim = take(&store, &lane(), "killed").await;
        make(&store, &claim, 1).await;
        make(&store, &claim, 2).await;
        stay_here();
    });
    go_on(harness.await, 2).await;
}

/// S-DURABLE-5: wherever in a transaction or its commit the kill comes.
pub async fn a_kill_among_transactions_leaves_whole_ones<H: StoreHarness>(mut harness: H) {
    for kills in 1..=KILLS {
        let killed = killed(harness, async |store| {
            let (claim, steps) = take_over(&store, "killed").await;
            for number in steps + 1..=steps + MANY {
                make(&store, &claim, number).await;
                if number == steps + ENOUGH {
                    here();
                }
            }
        });
        let (session, steps) = assert_whole(killed.await).await;
        assert!(steps >= kills * ENOUGH, "{steps} after {kills} kills");
        harness = session.harness;
    }
}
