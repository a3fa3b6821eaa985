//! Read models: what becomes of a key.

use std::collections::BTreeMap;

use projectionist_core::contract::ReadModel;
use projectionist_core::row::{
    Absent, Cell, Change, ColumnType, Effect, OwnedCell, Present, RowBatch, ScopeDelete, Table,
};

use crate::StoreHarness;
use crate::session::Session;
use crate::tables::{cells, change, column, effect, push, table, upsert, upserts};

/// The table of these cases: a key, a text, two numbers.
fn items() -> Table {
    let columns = vec![
        column("id", ColumnType::BigInt),
        column("name", ColumnType::Text),
        column("count", ColumnType::BigInt),
        column("sum", ColumnType::BigInt),
    ];
    table("items", columns, &[0])
}

fn item(id: i64, name: &str, count: i64, sum: i64) -> [Cell<'_>; 4] {
    [
        Cell::Int(id),
        Cell::Text(name),
        Cell::Int(count),
        Cell::Int(sum),
    ]
}

/// A session on the table with these rows.
async fn open<H: StoreHarness>(harness: H, rows: &[[Cell<'_>; 4]]) -> Session<H> {
    let session = Session::open(harness).await;
    session.create(&items()).await.unwrap();
    let mut batch = RowBatch::new(4);
    for row in rows {
        upsert(&mut batch, row);
    }
    session.apply(&items(), &batch).await.unwrap();
    session
}

async fn assert_items<H: StoreHarness>(session: &Session<H>, expected: &[[Cell<'_>; 4]]) {
    let expected: Vec<_> = expected.iter().map(|row| cells(row)).collect();
    session.assert_rows(&items(), &expected).await;
}

/// S-ROW-11: each answer for an absent row with each for a present one, on both.
pub async fn every_pair_of_answers_does_what_it_says<H: StoreHarness>(harness: H) {
    let present = |batch: &mut RowBatch, which: usize| {
        let operands = push(batch, &item(0, "changed", 0, 5));
        let shape = [Change::Keep, Change::Set, Change::Keep, Change::Add];
        let shape = batch.shape(&shape).unwrap();
        let answers = [
            Present::Keep,
            Present::Overwrite,
            Present::Change { shape, operands },
            Present::Delete,
        ];
        answers[which]
    };
    // By the answer for a present row: the row that was there, afterwards.
    let afterwards = [
        Some(("old", 1, 10)),
        Some(("new", 2, 20)),
        Some(("changed", 1, 15)),
        None,
    ];
    let there: Vec<i64> = (0..8).collect();
    let old: Vec<_> = there.iter().map(|id| item(*id, "old", 1, 10)).collect();
    let session = open(harness, &old).await;
    let mut batch = RowBatch::new(4);
    let (mut expected, mut existed) = (Vec::new(), Vec::new());
    for (first, is_there) in [(0, true), (100, false)] {
        for (index, absent) in [Absent::Stay, Absent::Insert].into_iter().enumerate() {
            for (which, after) in afterwards.into_iter().enumerate() {
                let id = first + i64::try_from(4 * index + which).unwrap();
                let row = push(&mut batch, &item(id, "new", 2, 20));
                let present = present(&mut batch, which);
                effect(&mut batch, row, absent, present);
                existed.push(is_there);
                let inserted = (absent == Absent::Insert).then_some(("new", 2, 20));
                let left = if is_there { after } else { inserted };
                expected.extend(left.map(|(name, count, sum)| item(id, name, count, sum)));
            }
        }
    }
    assert_eq!(session.apply(&items(), &batch).await.unwrap(), existed);
    assert_items(&session, &expected).await;
}

/// S-ROW-12: several shapes in one batch; columns that a shape keeps stay, also null ones.
pub async fn a_change_leaves_other_columns<H: StoreHarness>(harness: H) {
    use Change::{Add, Keep, Set};

    let session = open(
        harness,
        &[item(1, "a", 1, 1), item(2, "b", 2, 2), item(3, "c", 3, 3)],
    )
    .await;
    let nulls = [Cell::Int(4), Cell::Null, Cell::Null, Cell::Int(4)];
    session.apply(&items(), &upserts(&[&nulls])).await.unwrap();
    let mut batch = RowBatch::new(4);
    change(&mut batch, &item(1, "x", 10, 100), &[Keep, Keep, Add, Add]);
    change(&mut batch, &item(2, "y", 10, 100), &[Keep, Set, Keep, Add]);
    let set_null = [Cell::Int(3), Cell::Null, Cell::Int(10), Cell::Int(-100)];
    change(&mut batch, &set_null, &[Keep, Set, Set, Add]);
    change(&mut batch, &item(4, "z", 10, 100), &[Keep, Keep, Keep, Add]);
    // The same shape again, with other operands.
    change(&mut batch, &item(5, "x", 10, 100), &[Keep, Keep, Add, Add]);
    let existed = session.apply(&items(), &batch).await.unwrap();
    assert_eq!(existed, [true, true, true, true, false]);
    let three = [Cell::Int(3), Cell::Null, Cell::Int(10), Cell::Int(-97)];
    let four = [Cell::Int(4), Cell::Null, Cell::Null, Cell::Int(104)];
    let expected = [item(1, "a", 11, 101), item(2, "y", 2, 102), three, four];
    assert_items(&session, &expected).await;
}

/// S-ROW-13: only for the effects that ask, in their order, behind what is there already.
pub async fn what_existed_is_reported_in_order<H: StoreHarness>(harness: H) {
    let session = open(
        harness,
        &[item(2, "b", 2, 2), item(4, "d", 4, 4), item(6, "f", 6, 6)],
    )
    .await;
    let answers = [Present::Keep, Present::Overwrite, Present::Delete];
    let mut batch = RowBatch::new(4);
    let mut expected = vec![true, false];
    // Neither sorted nor grouped by what is done.
    for (index, id) in [6, 1, 4, 3, 2, 7, 5].into_iter().enumerate() {
        let row = push(&mut batch, &item(id, "x", 0, 0));
        let report_existed = id != 4 && id != 3;
        let absent = if id == 7 {
            Absent::Insert
        } else {
            Absent::Stay
        };
        batch.push_effect(Effect {
            row,
            absent,
            present: answers[index % 3],
            report_existed,
        });
        if report_existed {
            expected.push(id % 2 == 0);
        }
    }
    let mut existed = vec![true, false];
    let made = items();
    let mut tx = session.begin().await;
    let applied = session.store.apply(&mut tx, &made, &batch, &mut existed);
    applied.await.unwrap();
    session.commit(tx).await;
    assert_eq!(existed, expected);
}

/// S-ROW-14: a row that the scope deletes is absent for the effects.
pub async fn scopes_are_deleted_before_the_effects<H: StoreHarness>(harness: H) {
    let rows = [
        item(1, "a", 1, 1),
        item(2, "a", 2, 1),
        item(3, "b", 1, 1),
        item(4, "c", 9, 1),
    ];
    let session = open(harness, &rows).await;
    let nulls = [Cell::Int(5), Cell::Null, Cell::Int(1), Cell::Null];
    session.apply(&items(), &upserts(&[&nulls])).await.unwrap();
    let mut batch = RowBatch::new(4);
    let keep = push(&mut batch, &item(1, "new", 7, 7));
    effect(&mut batch, keep, Absent::Insert, Present::Keep);
    let stay = push(&mut batch, &item(2, "new", 7, 7));
    effect(&mut batch, stay, Absent::Stay, Present::Overwrite);
    let scopes: [(&[usize], _); 3] = [
        (&[1], item(0, "a", 0, 0)),
        (&[1, 2], item(0, "b", 2, 0)),
        (&[2, 0], item(4, "", 9, 0)),
    ];
    for (columns, row) in scopes {
        let row = push(&mut batch, &row);
        let columns = columns.into();
        batch.push_scope(ScopeDelete { columns, row });
    }
    let existed = session.apply(&items(), &batch).await.unwrap();
    assert_eq!(existed, [false, false]);
    let left = [item(1, "new", 7, 7), item(3, "b", 1, 1), nulls];
    assert_items(&session, &left).await;
    // A scope alone, on a column of the key.
    let mut batch = RowBatch::new(4);
    let row = push(&mut batch, &item(3, "", 0, 0));
    let columns = [0].into();
    batch.push_scope(ScopeDelete { columns, row });
    session.apply(&items(), &batch).await.unwrap();
    assert_items(&session, &[left[0], nulls]).await;
}

/// S-ROW-15.
pub async fn a_batch_may_be_large<H: StoreHarness>(harness: H) {
    let session = open(harness, &[]).await;
    for round in [1, 2] {
        let mut batch = RowBatch::new(4);
        let mut expected = Vec::new();
        for id in 0..2500 {
            let row = item(id, "many", round, id);
            upsert(&mut batch, &row);
            expected.push(row);
        }
        let existed = session.apply(&items(), &batch).await.unwrap();
        assert_eq!(existed, vec![round == 2; 2500]);
        assert_items(&session, &expected).await;
    }
}

/// S-ROW-16: the later batch finds what the earlier one left.
pub async fn batches_take_effect_in_the_order_of_the_calls<H: StoreHarness>(harness: H) {
    let session = open(harness, &[]).await;
    let mut insert = RowBatch::new(4);
    upsert(&mut insert, &item(1, "a", 1, 1));
    let mut add = RowBatch::new(4);
    let shape = [Change::Keep, Change::Keep, Change::Add, Change::Keep];
    change(&mut add, &item(1, "", 5, 0), &shape);
    let mut delete = RowBatch::new(4);
    let row = push(&mut delete, &item(1, "", 0, 0));
    effect(&mut delete, row, Absent::Stay, Present::Delete);
    let mut existed = Vec::new();
    let made = items();
    let mut tx = session.begin().await;
    for batch in [&add, &insert, &add, &add, &delete, &add, &insert] {
        let applied = session.store.apply(&mut tx, &made, batch, &mut existed);
        applied.await.unwrap();
    }
    session.commit(tx).await;
    assert_eq!(existed, [false, false, true, true, true, false, false]);
    assert_items(&session, &[item(1, "a", 1, 1)]).await;
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    /// The next one, below `bound`.
    fn below(&mut self, bound: u64) -> i64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % bound).unwrap()
    }
}

/// S-ROW-11 and S-ROW-12: many batches of all kinds, compared with a plain fold.
pub async fn random_batches_equal_a_plain_fold<H: StoreHarness>(harness: H) {
    let session = open(harness, &[]).await;
    let mut numbers = Numbers(20_240_625);
    let mut model: BTreeMap<i64, (String, i64, i64)> = BTreeMap::new();
    let shapes = [
        [Change::Keep, Change::Set, Change::Keep, Change::Keep],
        [Change::Keep, Change::Keep, Change::Add, Change::Add],
        [Change::Keep, Change::Set, Change::Set, Change::Add],
    ];
    for _ in 0..30 {
        let mut batch = RowBatch::new(4);
        let mut expected = Vec::new();
        for id in 0..200 {
            if numbers.below(3) == 0 {
                continue;
            }
            let text = numbers.below(1000).to_string();
            let (count, sum) = (numbers.below(100) - 50, numbers.below(100));
            let row = push(&mut batch, &item(id, &text, count, sum));
            let insert = numbers.below(2) == 0;
            let absent = if insert { Absent::Insert } else { Absent::Stay };
            expected.push(model.contains_key(&id));
            let answer = numbers.below(6);
            let present = match (answer, model.get_mut(&id)) {
                (0, _) => Present::Keep,
                (1, _) => Present::Delete,
                (2, _) => Present::Overwrite,
                (other, there) => {
                    if let Some((name, counted, summed)) = there {
                        match other {
                            3 => *name = text.clone(),
                            4 => (*counted, *summed) = (*counted + count, *summed + sum),
                            _ => (*name, *counted, *summed) = (text.clone(), count, *summed + sum),
                        }
                    }
                    let shape = shapes[usize::try_from(other - 3).unwrap()];
                    let shape = batch.shape(&shape).unwrap();
                    Present::Change {
                        shape,
                        operands: row,
                    }
                }
            };
            let there = model.contains_key(&id);
            match (there, insert, answer) {
                (true, _, 1) => drop(model.remove(&id)),
                (true, _, 2) | (false, true, _) => drop(model.insert(id, (text, count, sum))),
                _ => {}
            }
            effect(&mut batch, row, absent, present);
        }
        assert_eq!(session.apply(&items(), &batch).await.unwrap(), expected);
        let rows: Vec<_> = model
            .iter()
            .map(|(id, (name, count, sum))| item(*id, name, *count, *sum))
            .collect();
        assert_items(&session, &rows).await;
    }
}

/// Changes the only row of a table of text, number and text, whose key is the first two, and
/// deletes it by scope.
///
/// # Panics
/// When that is not what happens.
pub async fn change_and_delete_everything<H: StoreHarness>(session: &Session<H>, made: &Table) {
    let row = session.harness.rows(made).await.unwrap().remove(0);
    let mut operands: Vec<Cell<'_>> = row.iter().map(OwnedCell::as_cell).collect();
    operands[2] = Cell::Text("changed");
    let mut batch = RowBatch::new(3);
    change(
        &mut batch,
        &operands,
        &[Change::Keep, Change::Keep, Change::Set],
    );
    session.apply(made, &batch).await.unwrap();
    session.assert_rows(made, &[cells(&operands)]).await;
    let mut batch = RowBatch::new(3);
    let row = push(&mut batch, &operands);
    let columns = [0, 1, 2].into();
    batch.push_scope(ScopeDelete { columns, row });
    session.apply(made, &batch).await.unwrap();
    session.assert_rows(made, &[]).await;
}
