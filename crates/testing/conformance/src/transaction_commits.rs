//! Commits in a transaction: every field means what it means in a commit of its own.

use projectionist_core::contract::{ManagementStore, TransactionalOffsetStore};
use projectionist_core::{Commit, ManagementCommand, RequestAnswer, RequestId};

use crate::StoreHarness;
use crate::everything::{full_step, seen, write};
use crate::session::Session;
use crate::steps::{lane, offset, parked_at, ranges, reset, row, steal, step, waiting};

const RETRY: ManagementCommand = ManagementCommand::RetryParked { key: None };

fn done(id: RequestId) -> RequestAnswer {
    RequestAnswer { id, refusal: None }
}

/// Commits what a handler wrote together with `commit`.
async fn commit_in<H: StoreHarness>(session: &Session<H>, commit: &Commit) {
    let (store, claim) = (&session.store, &session.claim);
    let begun = store.begin(claim, commit.expected.as_ref());
    let mut tx = begun.await.unwrap();
    write(store, &mut tx, 7).await;
    store.commit_in(tx, claim, commit).await.unwrap();
}

/// S-TX-11: envelopes are parked and let go, requests answered.
pub async fn a_commit_in_a_transaction_parks_and_answers<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let id = store.request(&lane(), &RETRY).await.unwrap();
    let first = Commit {
        parked: vec![waiting("a", "1"), waiting("b", "2"), waiting("a", "3")],
        ..step(None, "3")
    };
    commit_in(&session, &first).await;
    assert_eq!(parked_at(store, &lane(), "a").await, ["1", "3"]);
    let second = Commit {
        parked: vec![waiting("a", "4")],
        unparked: vec![offset("1"), offset("2")],
        answers: vec![done(id)],
        ..step(Some("3"), "4")
    };
    commit_in(&session, &second).await;
    let other = session.harness.second_handle().await;
    assert_eq!(parked_at(&other, &lane(), "a").await, ["3", "4"]);
    assert_eq!(parked_at(&other, &lane(), "b").await, [""; 0]);
    assert_eq!(other.answer(id).await.unwrap(), Some(done(id)));
    assert_eq!(other.management(&lane()).await.unwrap().requests, []);
}

/// S-TX-11.
pub async fn what_is_ahead_is_written_in_a_transaction<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    commit_in(&session, &full_step(None, "1")).await;
    let store = &session.store;
    assert_eq!(row(store, &lane()).await.ahead, ranges(&[("1", "1")]));
    commit_in(&session, &step(Some("1"), "2")).await;
    assert_eq!(row(store, &lane()).await.ahead, ranges(&[("1", "1")]));
    commit_in(&session, &full_step(Some("2"), "3")).await;
    assert_eq!(row(store, &lane()).await.ahead, ranges(&[("3", "3")]));
}

/// S-TX-11: it clears, forgets what is ahead, and keeps how far the lane was until that is passed.
pub async fn a_reset_in_a_transaction_is_a_reset<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    commit_in(&session, &full_step(None, "5")).await;
    commit_in(&session, &reset(Some("5"), None)).await;
    let state = row(&session.store, &lane()).await;
    assert_eq!((&state.offset, state.ahead.is_empty()), (&None, true));
    assert_eq!(state.replay_until, Some(offset("5")));
    let passed = Commit {
        replay_passed: true,
        ..step(None, "6")
    };
    commit_in(&session, &passed).await;
    let state = row(&session.store, &lane()).await;
    assert_eq!(
        (state.offset, state.replay_until),
        (Some(offset("6")), None)
    );
}

/// S-TX-5, S-TX-11: a claim that was superseded, an offset that is not the row's.
pub async fn a_refused_commit_in_a_transaction_keeps_nothing<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    commit_in(&session, &full_step(None, "1")).await;
    let id = session.store.request(&lane(), &RETRY).await.unwrap();
    let old = session.claim.clone();
    session.claim = steal(&session.store, &old, "two").await;
    let before = seen(&session).await;
    let refused = |commit| Commit {
        unparked: vec![offset("1")],
        answers: vec![done(id)],
        ..commit
    };
    let unexpected = Commit {
        expected: Some(offset("9")),
        ..reset(None, None)
    };
    for (claim, commit) in [
        (&old, refused(full_step(Some("1"), "2"))),
        (&old, refused(reset(Some("1"), None))),
        (&session.claim, refused(full_step(Some("9"), "2"))),
        (&session.claim, refused(unexpected)),
    ] {
        let store = &session.store;
        let begun = store.begin(&session.claim, Some(&offset("1"))).await;
        let mut tx = begun.unwrap();
        write(store, &mut tx, 8).await;
        store.commit_in(tx, claim, &commit).await.unwrap_err();
        assert_eq!(seen(&session).await, before);
        assert_eq!(store.answer(id).await.unwrap(), None);
    }
}
