//! Orders: the events over which expressions are computed, and the same ones as a program by hand
//! has them.

use std::fmt::Write;

use bytes::Bytes;

use crate::declared_sqlite::random::Random;

/// One line of an order.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// How many.
    pub qty: i64,
    /// What one costs, in cents.
    pub cents: i64,
}

/// One order, as a loop by hand has it after parsing.
#[derive(Clone, Debug)]
pub struct Order {
    /// The first name.
    pub first: String,
    /// The last name.
    pub last: String,
    /// How many.
    pub qty: i64,
    /// What one costs, in cents.
    pub cents: i64,
    /// Whether it is no real one.
    pub test: bool,
    /// Three of them.
    pub lines: [Line; 3],
}

const FIRST: [&str; 4] = ["Ada", "Barbara", "Edsger", "Grace"];
const LAST: [&str; 4] = ["Lovelace", "Liskov", "Dijkstra", "Hopper"];

fn name(names: [&str; 4], index: u64) -> String {
    names[usize::try_from(index).unwrap_or_default()].to_owned()
}

/// So many orders, chosen by `seed`.
#[must_use]
pub fn orders(count: u64, seed: u64) -> Vec<Order> {
    let mut random = Random::new(seed);
    let mut below = |limit: u64| random.below(limit);
    (0..count)
        .map(|_| Order {
            first: name(FIRST, below(4)),
            last: name(LAST, below(4)),
            qty: below(9).cast_signed() + 1,
            cents: below(20_000).cast_signed(),
            test: below(20) == 0,
            lines: std::array::from_fn(|_| Line {
                qty: below(9).cast_signed() + 1,
                cents: below(5_000).cast_signed(),
            }),
        })
        .collect()
}

/// The records of the orders, each of an entity of its own.
#[must_use]
pub fn records(orders: &[Order]) -> Vec<Bytes> {
    let records = orders.iter().enumerate();
    records.map(|(index, order)| record(index, order)).collect()
}

fn record(index: usize, order: &Order) -> Bytes {
    let Order {
        first,
        last,
        qty,
        cents,
        test,
        lines,
    } = order;
    let mut text = format!(
        "{{\"eventType\":\"ORDER_PLACED\",\"entityId\":\"o-{index:07}\",\"sequenceNumber\":1,\
         \"ts\":1719331200000,\"payload\":{{\"first\":\"{first}\",\"last\":\"{last}\",\
         \"qty\":{qty},\"cents\":{cents},\"test\":{test},\"lines\":["
    );
    for (at, Line { qty, cents }) in lines.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{{\"qty\":{qty},\"cents\":{cents}}}");
    }
    text.push_str("]}}");
    Bytes::from(text)
}
