//! Dead letters that are settled: they go or stay, their lanes count anew, and all of it belongs to
//! one transaction.

use projectionist_core::contract::{
    OffsetStore, StoredDeadLetter, TransactionalDeadLetterStore, TransactionalOffsetStore,
};
use projectionist_core::{
    Commit, Counters, DeadLetterFate, DeadLetterId, DeadLetterOrigin, Defect, ErrorClass, Timestamp,
};

use crate::everything::{counted, seen, write};
use crate::session::Session;
use crate::steps::{all_letters, lane, letter, offset, row, step};
use crate::{Store, StoreHarness};

const PROJECTION: DeadLetterOrigin = DeadLetterOrigin::Projection;

/// What an event counts as that is applied now.
const APPLIED: Counters = Counters {
    applied: 1,
    ..Counters::ZERO
};

/// Keeps letters at these positions, which are read and counted; the lane stands at the last one.
async fn keep<H: StoreHarness>(session: &Session<H>, positions: &[&str]) -> Vec<StoredDeadLetter> {
    let letters = positions.iter().map(|at| letter(PROJECTION, at, at));
    let count = positions.len() as u64;
    let commit = Commit {
        offset: positions.last().map(|at| offset(at)),
        counters: Counters {
            read: count,
            dead_lettered: count,
            ..Counters::ZERO
        },
        dead_letters: letters.collect(),
        ..Commit::default()
    };
    let store = &session.store;
    store.commit(&session.claim, &commit).await.unwrap();
    all_letters(store).await
}

/// Settles a letter in a transaction of its own; whether it was there.
async fn settle<S: Store>(store: &S, id: DeadLetterId, fate: &DeadLetterFate) -> bool {
    let mut tx = store.begin_settling().await.unwrap();
    let was_there = store.settle_in(&mut tx, id, fate).await.unwrap();
    store.commit_settled(tx).await.unwrap();
    was_there
}

fn ids(letters: &[StoredDeadLetter]) -> Vec<DeadLetterId> {
    letters.iter().map(|stored| stored.id).collect()
}

/// S-LETTER-7: all of them go, and the position of the last one is kept once more.
pub async fn names_increase_and_are_never_given_twice<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let first = ids(&keep(&session, &["1", "2", "3"]).await);
    assert!(first.is_sorted() && first[0] < first[1] && first[1] < first[2]);
    for id in &first {
        assert!(settle(store, *id, &DeadLetterFate::Settled(APPLIED)).await);
    }
    let commit = Commit {
        expected: Some(offset("3")),
        dead_letters: vec![letter(PROJECTION, "3", "again")],
        ..Commit::default()
    };
    store.commit(&session.claim, &commit).await.unwrap();
    let again = ids(&all_letters(store).await);
    assert!(again.len() == 1 && again[0] > first[2], "{again:?}");
}

/// S-LETTER-8: what was written in the transaction is there with it; once only; the others stay.
pub async fn a_settled_letter_is_gone_and_counted_anew<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, second) = (&session.store, session.harness.second_handle().await);
    let kept = keep(&session, &["1", "2", "3"]).await;
    let fate = DeadLetterFate::Settled(APPLIED);
    let mut tx = store.begin_settling().await.unwrap();
    let read = store.letter_in(&mut tx, kept[1].id).await.unwrap();
    assert_eq!(read.as_ref(), Some(&kept[1]));
    write(store, &mut tx, 7).await;
    assert!(store.settle_in(&mut tx, kept[1].id, &fate).await.unwrap());
    let read = store.letter_in(&mut tx, kept[1].id).await.unwrap();
    assert_eq!(read, None, "the transaction sees what it does");
    store.commit_settled(tx).await.unwrap();
    let expected = [kept[0].clone(), kept[2].clone()];
    assert_eq!(all_letters(&second).await, expected);
    let counters = row(&second, &lane()).await.counters;
    let one_applied = Counters {
        read: 3,
        applied: 1,
        dead_lettered: 2,
        ..Counters::ZERO
    };
    assert_eq!(counters, one_applied);
    let rows = session.harness.rows(&counted()).await.unwrap();
    assert_eq!(rows.len(), 1, "what was written with it is there");

    assert!(!settle(store, kept[1].id, &fate).await, "it was settled");
    assert!(settle(&second, kept[0].id, &DeadLetterFate::discarded()).await);
    let counters = row(store, &lane()).await.counters;
    let one_skipped = Counters {
        skipped: 1,
        dead_lettered: 1,
        ..one_applied
    };
    assert_eq!(counters, one_skipped);
    assert_eq!(counters.pending(), 0);
}

/// S-LETTER-8.
pub async fn a_letter_of_the_source_counts_nothing_when_it_goes<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let commit = Commit {
        counters: Counters {
            malformed: 1,
            ..Counters::ZERO
        },
        dead_letters: vec![letter(DeadLetterOrigin::Source, "1", "x")],
        ..step(None, "1")
    };
    store.commit(&session.claim, &commit).await.unwrap();
    let before = row(store, &lane()).await;
    let id = all_letters(store).await[0].id;
    assert!(settle(store, id, &DeadLetterFate::discarded()).await);
    assert_eq!(row(store, &lane()).await, before);
    assert_eq!(all_letters(store).await, []);
}

/// S-LETTER-9: twice, with another fault each time.
pub async fn a_letter_that_failed_again_stays_in_its_place<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let kept = keep(&session, &["1", "2"]).await;
    let before = row(store, &lane()).await.counters;
    let defects = [
        Defect::new(ErrorClass::Data, "it's \"too\" late")
            .at("total")
            .with_value("four"),
        Defect::new(ErrorClass::Tenant, "no tenant"),
    ];
    for (number, defect) in (1_u32..).zip(defects) {
        let at = Timestamp::from_unix_millis(1_800_000_000_000 + i64::from(number));
        let fate = DeadLetterFate::FailedAgain {
            defect: defect.clone(),
            at,
        };
        assert!(settle(store, kept[0].id, &fate).await);
        let mut expected = kept.clone();
        expected[0].letter.defect = defect;
        expected[0].letter.failed_at = at;
        expected[0].letter.attempts += number;
        assert_eq!(all_letters(store).await, expected);
    }
    assert_eq!(row(store, &lane()).await.counters, before);
    let gone = DeadLetterId(kept[1].id.0 + 1);
    let fate = DeadLetterFate::FailedAgain {
        defect: Defect::new(ErrorClass::Data, "nothing"),
        at: Timestamp::from_unix_millis(1),
    };
    assert!(!settle(store, gone, &fate).await);
}

/// S-LETTER-10: dropped, and rolled back.
pub async fn what_is_settled_and_not_committed_is_as_before<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let kept = keep(&session, &["1", "2"]).await;
    let before = seen(&session).await;
    for is_dropped in [true, false] {
        let mut tx = store.begin_settling().await.unwrap();
        write(store, &mut tx, 9).await;
        let fate = DeadLetterFate::Settled(APPLIED);
        assert!(store.settle_in(&mut tx, kept[0].id, &fate).await.unwrap());
        let fate = DeadLetterFate::FailedAgain {
            defect: Defect::new(ErrorClass::Tenant, "again"),
            at: Timestamp::from_unix_millis(1),
        };
        assert!(store.settle_in(&mut tx, kept[1].id, &fate).await.unwrap());
        if is_dropped {
            drop(tx);
        } else {
            store.rollback(tx).await.unwrap();
        }
        assert_eq!(seen(&session).await, before);
        assert_eq!(all_letters(store).await, kept);
    }
}

/// S-LETTER-11: a table that is made in it, on its own and within another one.
pub async fn a_savepoint_takes_back_what_came_after_it<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let kept = keep(&session, &["1", "2", "3"]).await;
    let fate = DeadLetterFate::Settled(APPLIED);
    let mut tx = store.begin_settling().await.unwrap();
    // Undone before anything was there: the table, the scope of the numbers and all else go.
    store.set_savepoint(&mut tx).await.unwrap();
    write(store, &mut tx, 5).await;
    store.settle_in(&mut tx, kept[0].id, &fate).await.unwrap();
    store.undo_savepoint(&mut tx).await.unwrap();
    // Kept, with one inside that is undone.
    store.set_savepoint(&mut tx).await.unwrap();
    write(store, &mut tx, 6).await;
    store.settle_in(&mut tx, kept[1].id, &fate).await.unwrap();
    store.set_savepoint(&mut tx).await.unwrap();
    write(store, &mut tx, 7).await;
    store.settle_in(&mut tx, kept[2].id, &fate).await.unwrap();
    store.undo_savepoint(&mut tx).await.unwrap();
    store.keep_savepoint(&mut tx).await.unwrap();
    store.commit_settled(tx).await.unwrap();

    let found = seen(&session).await;
    assert_eq!((found.value, found.sequence), (Some(6), Some(6)));
    assert_eq!(found.letters, ["1", "3"]);
    let expected = Counters {
        read: 3,
        applied: 1,
        dead_lettered: 2,
        ..Counters::ZERO
    };
    assert_eq!(found.lane.counters, expected);
}

/// S-LETTER-12: before, between and after commits of the owner, by another handle.
pub async fn the_owner_goes_on_while_letters_are_settled<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, second) = (&session.store, session.harness.second_handle().await);
    let kept = keep(&session, &["1", "2", "3"]).await;
    let held = row(store, &lane()).await;
    let mut expected = held.counters;
    for (index, at) in ["4", "5", "6"].into_iter().enumerate() {
        assert!(settle(&second, kept[index].id, &DeadLetterFate::Settled(APPLIED)).await);
        expected.dead_lettered -= 1;
        expected.applied += 1;
        let state = row(store, &lane()).await;
        assert_eq!((state.epoch, &state.holder), (held.epoch, &held.holder));
        assert_eq!(state.counters, expected);
        let before = ["3", "4", "5"][index];
        assert_eq!(state.offset, Some(offset(before)));
        let mut tx = store
            .begin(&session.claim, Some(&offset(before)))
            .await
            .unwrap();
        write(store, &mut tx, 1).await;
        store
            .commit_in(tx, &session.claim, &step(Some(before), at))
            .await
            .unwrap();
        expected.read += 1;
        expected.applied += 1;
    }
    assert_eq!(row(&second, &lane()).await.counters, expected);
}
