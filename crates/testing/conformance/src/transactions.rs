//! Transactions: what a handler writes and the offset move together, or not at all.

use std::time::Duration;

use projectionist_core::contract::{
    GuardEntry, OffsetStore, ReadModel, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::Cell;
use projectionist_core::{Commit, Error, Take};

use crate::StoreHarness;
use crate::everything::{SCOPE, Seen, counted, full_step, seen, write};
use crate::session::{Session, Tx};
use crate::steps::{lane, lane_named, offset, row, steal, step, take, take_with_state};
use crate::tables::{cells, of_tenant, upserts};

/// S-TX-1.
pub async fn a_commit_writes_everything<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, &session.claim);
    let mut tx = session.begin().await;
    write(&session.store, &mut tx, 7).await;
    store
        .commit_in(tx, claim, &full_step(None, "1"))
        .await
        .unwrap();
    let first = seen(&session).await;
    assert_eq!((first.value, first.sequence), (Some(7), Some(7)));
    assert_eq!(first.lane.offset, Some(offset("1")));
    assert_eq!(first.lane.counters, step(None, "1").counters);
    assert_eq!(first.letters, ["1"]);

    let expected = offset("1");
    let mut tx = store.begin(claim, Some(&expected)).await.unwrap();
    write(&session.store, &mut tx, 8).await;
    store
        .commit_in(tx, claim, &full_step(Some("1"), "2"))
        .await
        .unwrap();
    let second = session.harness.second_handle().await;
    let Seen {
        value,
        sequence,
        lane,
        letters,
        ..
    } = seen(&session).await;
    assert_eq!(row(&second, &claim.lane).await, lane);
    assert_eq!((value, sequence), (Some(8), Some(8)));
    assert_eq!((lane.offset, lane.counters.read), (Some(offset("2")), 2));
    assert_eq!(letters, ["1", "2"]);
}

/// S-TX-2: whether it is dropped or rolled back; the next one finds nothing of it.
pub async fn what_is_not_committed_is_not_there<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, &session.claim);
    let before = seen(&session).await;
    assert_eq!((before.value, before.sequence), (None, None));
    for dropped in [true, false] {
        let mut tx = session.begin().await;
        write(&session.store, &mut tx, 7).await;
        if dropped {
            drop(tx);
        } else {
            store.rollback(tx).await.unwrap();
        }
        assert_eq!(seen(&session).await, before);
    }
    let mut tx = session.begin().await;
    write(&session.store, &mut tx, 7).await;
    store
        .commit_in(tx, claim, &Commit::default())
        .await
        .unwrap();
    let before = seen(&session).await;
    let mut tx = session.begin().await;
    // Twice, so that what comes back is what was there before the transaction.
    write(&session.store, &mut tx, 8).await;
    write(&session.store, &mut tx, 9).await;
    drop(tx);
    assert_eq!(seen(&session).await, before);
}

/// S-TX-2: rows that were changed, deleted and deleted by scope come back.
pub async fn a_rollback_brings_rows_back<H: StoreHarness>(harness: H) {
    use projectionist_core::row::{Absent, Change, Present, RowBatch, ScopeDelete};

    let session = Session::open(harness).await;
    let table = counted();
    session.create(&table).await.unwrap();
    let rows: Vec<[Cell<'_>; 2]> = (1..=5)
        .map(|id| [Cell::Int(id), Cell::Int(10 * id)])
        .collect();
    let rows: Vec<&[Cell<'_>]> = rows.iter().map(<[_; 2]>::as_slice).collect();
    session.apply(&table, &upserts(&rows)).await.unwrap();

    let mut batch = RowBatch::new(2);
    let scope = crate::tables::push(&mut batch, &[Cell::Int(0), Cell::Int(10)]);
    batch.push_scope(ScopeDelete {
        columns: [1].into(),
        row: scope,
    });
    let deleted = crate::tables::push(&mut batch, &[Cell::Int(2), Cell::Null]);
    crate::tables::effect(&mut batch, deleted, Absent::Stay, Present::Delete);
    let operands = [Cell::Int(3), Cell::Int(1)];
    crate::tables::change(&mut batch, &operands, &[Change::Keep, Change::Add]);
    crate::tables::upsert(&mut batch, &[Cell::Int(4), Cell::Int(0)]);
    crate::tables::upsert(&mut batch, &[Cell::Int(6), Cell::Int(0)]);
    let mut tx = session.begin().await;
    let existed = &mut Vec::new();
    session
        .store
        .apply(&mut tx, &table, &batch, existed)
        .await
        .unwrap();
    session.store.rollback(tx).await.unwrap();
    let rows: Vec<_> = rows.into_iter().map(cells).collect();
    session.assert_rows(&table, &rows).await;
}

/// S-TX-3.
pub async fn a_transaction_opens_only_at_what_is_expected<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, &session.claim);
    let (one, other) = (offset("1"), offset("2"));
    let unexpected = |result: Result<Tx<H>, Error>| match result {
        Err(Error::UnexpectedOffset {
            lane: of,
            expected,
            found,
        }) => {
            assert_eq!(of, lane());
            (expected, found)
        }
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("the transaction opened"),
    };
    let refused = unexpected(store.begin(claim, Some(&one)).await);
    assert_eq!(refused, (Some("1".to_owned()), None));
    store.commit(claim, &step(None, "1")).await.unwrap();
    let refused = unexpected(store.begin(claim, None).await);
    assert_eq!(refused, (None, Some("1".to_owned())));
    let refused = unexpected(store.begin(claim, Some(&other)).await);
    assert_eq!(refused, (Some("2".to_owned()), Some("1".to_owned())));
    drop(store.begin(claim, Some(&one)).await.unwrap());
    // A refused transaction holds nothing up.
    let second = session.harness.second_handle().await;
    second.commit(claim, &step(Some("1"), "2")).await.unwrap();
}

/// S-TX-4.
pub async fn a_superseded_claim_opens_no_transaction<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, old) = (&session.store, &session.claim);
    let second = session.harness.second_handle().await;
    let new = steal(&second, old, "two").await;
    let Err(Error::Fenced { epoch, current, .. }) = store.begin(old, None).await else {
        panic!("a superseded claim opened a transaction");
    };
    assert_eq!((epoch, current), (old.epoch, new.epoch));
    drop(second.begin(&new, None).await.unwrap());
}

/// S-TX-5: the commit looks again, whatever `begin` saw.
pub async fn a_refused_commit_rolls_back<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    let old = session.claim.clone();
    session.claim = steal(&session.store, &old, "two").await;
    let before = seen(&session).await;
    session.harness.clock().advance(Duration::from_secs(1));

    let mut tx = session.begin().await;
    write(&session.store, &mut tx, 7).await;
    let refused = session
        .store
        .commit_in(tx, &old, &full_step(None, "1"))
        .await;
    assert!(matches!(refused, Err(Error::Fenced { .. })), "{refused:?}");
    assert_eq!(seen(&session).await, before);

    let mut tx = session.begin().await;
    write(&session.store, &mut tx, 7).await;
    let commit = full_step(Some("0"), "1");
    let refused = session.store.commit_in(tx, &session.claim, &commit).await;
    let unexpected = matches!(refused, Err(Error::UnexpectedOffset { .. }));
    assert!(unexpected, "{refused:?}");
    assert_eq!(seen(&session).await, before);
}

/// S-TX-6: a take-over beside an open transaction waits for its end or fences it, never neither.
pub async fn a_take_over_meets_a_whole_transaction<H: StoreHarness>(harness: H) {
    let mut session = Session::open(harness).await;
    for value in 1..=20 {
        let at = row(&session.store, &lane()).await.offset;
        let at = at.as_ref().map(|at| at.text.as_str());
        let expected = at.map(offset);
        let next = value.to_string();
        let begun = session.store.begin(&session.claim, expected.as_ref()).await;
        let mut tx = begun.unwrap();
        let second = session.harness.second_handle().await;
        let from = Take::From(session.claim.epoch);
        let (asking, asked) = tokio::sync::oneshot::channel();
        let taker = tokio::spawn(async move {
            asking.send(()).unwrap();
            take_with_state(&second, &lane(), "taker", from).await
        });
        asked.await.unwrap();
        write(&session.store, &mut tx, value).await;
        let commit = full_step(at, &next);
        let committed = session.store.commit_in(tx, &session.claim, &commit).await;
        let (taken, found) = taker.await.unwrap();
        match &committed {
            Ok(()) => assert_eq!(found.offset, Some(offset(&next))),
            Err(Error::Fenced { .. }) => assert_eq!(found.offset, expected),
            Err(error) => panic!("{error}"),
        }
        session.claim = taken;
        let kept = seen(&session).await;
        assert_eq!(kept.lane.offset, found.offset);
        assert_eq!(kept.value == Some(value), committed.is_ok());
        assert_eq!(kept.sequence == Some(value), committed.is_ok());
        assert_eq!(kept.letters.contains(&next), committed.is_ok());
    }
}

/// S-TX-7: the offset stays, all else is written.
pub async fn a_transaction_without_an_offset_leaves_it<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let (store, claim) = (&session.store, &session.claim);
    store.commit(claim, &step(None, "1")).await.unwrap();
    let expected = offset("1");
    let mut tx = store.begin(claim, Some(&expected)).await.unwrap();
    write(&session.store, &mut tx, 7).await;
    let commit = Commit {
        offset: None,
        ..full_step(Some("1"), "2")
    };
    store.commit_in(tx, claim, &commit).await.unwrap();
    let kept = seen(&session).await;
    assert_eq!((kept.value, kept.sequence), (Some(7), Some(7)));
    assert_eq!(kept.lane.offset, Some(expected));
    assert_eq!(kept.lane.counters.read, 2);
    assert_eq!(kept.letters, ["2"]);
}

/// S-TX-8: after a statement that was refused.
pub async fn a_failed_transaction_leaves_nothing_and_blocks_nothing<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let before = seen(&session).await;
    let mut tx = session.begin().await;
    write(&session.store, &mut tx, i64::MAX).await;
    let batch = crate::tables::adding(1, Cell::Int(1));
    let (made, existed) = (counted(), &mut Vec::new());
    let applied = session.store.apply(&mut tx, &made, &batch, existed);
    let error = applied.await.unwrap_err();
    assert!(matches!(error, Error::Row { .. }), "{error}");
    session.store.rollback(tx).await.unwrap();
    assert_eq!(seen(&session).await, before);
    let mut tx = session.begin().await;
    write(&session.store, &mut tx, 7).await;
    session.commit(tx).await;
    assert_eq!(seen(&session).await.value, Some(7));
}

/// S-TX-9: in a table that the same transaction made, for a tenant that was not seen before.
pub async fn a_transaction_sees_its_own_writes<H: StoreHarness>(harness: H) {
    let session = Session::open(harness).await;
    let store = &session.store;
    let table = of_tenant(&counted(), "acme");
    let mut tx = session.begin().await;
    store.create(&mut tx, &table).await.unwrap();
    store.create(&mut tx, &table).await.unwrap();
    let mut existed = Vec::new();
    for value in [5, 6] {
        let batch = upserts(&[&[Cell::Int(1), Cell::Int(value)]]);
        let applied = store.apply(&mut tx, &table, &batch, &mut existed);
        applied.await.unwrap();
    }
    let mut last = Vec::new();
    for sequence in [3, 4] {
        let entity = "order-1";
        let entry = GuardEntry { entity, sequence };
        store.record(&mut tx, SCOPE, &[entry]).await.unwrap();
        let asked = [entity];
        let answer = store.last_applied(&mut tx, SCOPE, &asked, &mut last);
        answer.await.unwrap();
    }
    session.commit(tx).await;
    assert_eq!(existed, [false, true]);
    assert_eq!(last, [Some(3), Some(4)]);
    session
        .assert_rows(&table, &[cells(&[Cell::Int(1), Cell::Int(6)])])
        .await;
}

/// S-TX-10: the lanes of several projections, one transaction after the other.
pub async fn transactions_of_several_lanes_take_turns<H: StoreHarness>(harness: H) {
    const STEPS: i64 = 20;
    let session = Session::open(harness).await;
    session.create(&counted()).await.unwrap();
    session
        .apply(&counted(), &upserts(&[&[Cell::Int(1), Cell::Int(0)]]))
        .await
        .unwrap();
    let mut projections = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let store = session.harness.second_handle().await;
        projections.push(tokio::spawn(async move {
            let claim = take(&store, &lane_named(name, "all"), name).await;
            let mut expected: Option<String> = None;
            for number in 1..=STEPS {
                let at = expected.as_deref().map(offset);
                let mut tx = store.begin(&claim, at.as_ref()).await.unwrap();
                let batch = crate::tables::adding(1, Cell::Int(1));
                let (made, existed) = (counted(), &mut Vec::new());
                let applied = store.apply(&mut tx, &made, &batch, existed);
                applied.await.unwrap();
                let next = number.to_string();
                let commit = step(expected.as_deref(), &next);
                store.commit_in(tx, &claim, &commit).await.unwrap();
                expected = Some(next);
            }
        }));
    }
    for projection in projections {
        projection.await.unwrap();
    }
    let sum = cells(&[Cell::Int(1), Cell::Int(4 * STEPS)]);
    session.assert_rows(&counted(), &[sum]).await;
}
