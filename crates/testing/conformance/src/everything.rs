//! All that one transaction can write, and what the store holds of it.

use projectionist_core::contract::{
    GuardEntry, GuardScope, SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{Cell, ColumnType, Table};
use projectionist_core::{Commit, DeadLetterOrigin, LaneState};

use crate::session::Session;
use crate::steps::{all_letters, lane, letter, parked_at, ranges, row, step, waiting};
use crate::tables::{column, id_and, upserts};
use crate::{Store, StoreHarness};

/// Where [`write`] records a sequence number.
pub(crate) const SCOPE: GuardScope<'_> = GuardScope {
    projection: "orders",
    tenant: "",
    fork: "",
};

/// The table that [`write`] makes and writes.
pub(crate) fn counted() -> Table {
    id_and(column("value", ColumnType::BigInt))
}

/// Writes all that a handler can write: a table, a row, a sequence number.
pub(crate) async fn write<S: Store>(store: &S, tx: &mut S::Tx, value: i64) {
    store.create(tx, &counted()).await.unwrap();
    let batch = upserts(&[&[Cell::Int(1), Cell::Int(value)]]);
    let existed = &mut Vec::new();
    store.apply(tx, &counted(), &batch, existed).await.unwrap();
    let entry = GuardEntry {
        entity: "order-1",
        sequence: value,
    };
    store.record(tx, SCOPE, &[entry]).await.unwrap();
}

/// A commit that moves all that a commit can move, but for the answers to requests.
pub(crate) fn full_step(expected: Option<&str>, next: &str) -> Commit {
    Commit {
        ahead: Some(ranges(&[(next, next)])),
        dead_letters: vec![letter(DeadLetterOrigin::Projection, next, "a")],
        parked: vec![waiting("a", next)],
        ..step(expected, next)
    }
}

/// What the store holds of that which [`write`] and [`full_step`] write.
#[derive(Debug, PartialEq)]
pub(crate) struct Seen {
    /// The value of the row.
    pub(crate) value: Option<i64>,
    /// The sequence number.
    pub(crate) sequence: Option<i64>,
    /// The row of the lane.
    pub(crate) lane: LaneState,
    /// The positions of the letters.
    pub(crate) letters: Vec<String>,
    /// The positions of the parked envelopes.
    pub(crate) parked: Vec<String>,
}

/// Reads it.
pub(crate) async fn seen<H: StoreHarness>(session: &Session<H>) -> Seen {
    let store = &session.store;
    let state = row(store, &lane()).await;
    let letters = all_letters(store).await;
    let rows = session.harness.rows(&counted()).await;
    let value = rows.map(|rows| match rows.as_slice() {
        [row] => match row.as_slice() {
            [_, value] => match value.as_cell() {
                Cell::Int(value) => value,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    });
    let begun = store.begin(&session.claim, state.offset.as_ref());
    let mut tx = begun.await.unwrap();
    let mut last = Vec::new();
    let asked = store.last_applied(&mut tx, SCOPE, &["order-1"], &mut last);
    asked.await.unwrap();
    store.rollback(tx).await.unwrap();
    Seen {
        value,
        sequence: last[0],
        lane: state,
        letters: letters
            .into_iter()
            .map(|kept| kept.letter.offset.text)
            .collect(),
        parked: parked_at(store, &lane(), "a").await,
    }
}
