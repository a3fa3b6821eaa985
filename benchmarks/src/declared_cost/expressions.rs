//! What a CEL expression costs a row, beside a plain path in its place and beside the same
//! expression in Rust.
//!
//! The handler is called without an engine over events that are decoded already, into a store that
//! discards: a row is judged, derived and folded. The expression's own part is the difference to
//! the row whose column is a plain path.

use std::fmt::Write;
use std::hint::black_box;

use bytes::Bytes;
use projectionist_core::row::OwnedCell;

use super::apply::Declared;
use super::orders::{Order, orders, records};
use crate::cpu;
use crate::failure::Outcome;
use crate::sample::Sample;
use crate::table::Table;

/// An expression with what it stands beside.
struct Case {
    column_type: &'static str,
    expression: &'static str,
    /// The plain path in its place, of the same type.
    path: &'static str,
    /// The same in Rust: writes the value into the text.
    by_hand: fn(&Order, &mut String),
}

const CASES: [Case; 7] = [
    Case {
        column_type: "BIGINT",
        expression: "event.qty * event.cents",
        path: "event.cents",
        by_hand: |order, out| put(out, order.qty * order.cents),
    },
    Case {
        column_type: "TEXT",
        expression: "event.first + ' ' + event.last",
        path: "event.first",
        by_hand: |order, out| {
            out.push_str(&order.first);
            out.push(' ');
            out.push_str(&order.last);
        },
    },
    Case {
        column_type: "TEXT",
        expression: "event.cents > 10000 ? 'large' : 'small'",
        path: "event.first",
        by_hand: |order, out| {
            out.push_str(if order.cents > 10_000 {
                "large"
            } else {
                "small"
            })
        },
    },
    Case {
        column_type: "TEXT",
        expression: "lower(event.first)",
        path: "event.first",
        by_hand: |order, out| out.push_str(&order.first.to_lowercase()),
    },
    Case {
        column_type: "BIGINT",
        expression: "coalesce(event.discount, event.cents)",
        path: "event.cents",
        by_hand: |order, out| put(out, order.cents),
    },
    Case {
        column_type: "BOOLEAN",
        expression: "event.qty > 3 && !event.test",
        path: "event.test",
        by_hand: |order, out| {
            out.push_str(if order.qty > 3 && !order.test {
                "1"
            } else {
                "0"
            })
        },
    },
    Case {
        column_type: "BIGINT",
        expression: "sum(event.lines.map(line, line.qty * line.cents))",
        path: "event.cents",
        by_hand: |order, out| put(out, order.lines.iter().map(|one| one.qty * one.cents).sum()),
    },
];

fn put(out: &mut String, number: i64) {
    out.push_str(itoa::Buffer::new().format(number));
}

fn projections(column_type: &str, expression: &str) -> String {
    format!(
        "projections:
  orders:
    source_events: [ORDER_PLACED]
    target: {{ table: orders, primary_key: [order_id] }}
    fields: {{ order_id: TEXT, value: {column_type} }}
    derive: {{ order_id: event.entityId, value: \"{expression}\" }}
    mutations:
      ORDER_PLACED: {{ op: upsert }}
"
    )
}

/// The figures of one case, in nanoseconds a row.
#[derive(Default)]
struct Figures {
    with_path: Sample,
    with_cel: Sample,
    cel_alone: Sample,
    by_hand: Sample,
}

/// Measures and prints.
///
/// # Errors
/// When an expression cannot be run, or gives another value than the Rust beside it.
pub async fn report(events: u64, runs: u64) -> Outcome<()> {
    let orders = orders(events, 1);
    let records = records(&orders);
    let mut table = Table::new(&[
        "expression",
        "row with it, ns",
        "row with a path, ns",
        "it alone, ns",
        "in Rust, ns",
    ]);
    for case in &CASES {
        let figures = measure(case, &orders, &records, runs).await?;
        table.row([
            format!("`{}`", case.expression),
            figures.with_cel.spread(0),
            figures.with_path.spread(0),
            figures.cel_alone.spread(0),
            figures.by_hand.spread(0),
        ]);
    }
    println!(
        "an expression a row: {events} events, {runs} runs in turn, medians (least..most); every \
         value the same as in Rust\n"
    );
    print!("{table}");
    Ok(())
}

async fn measure(case: &Case, orders: &[Order], records: &[Bytes], runs: u64) -> Outcome<Figures> {
    let cel = Declared::of(&projections(case.column_type, case.expression))?;
    let path = Declared::of(&projections(case.column_type, case.path))?;
    let (cel_events, path_events) = (cel.decode(records)?, path.decode(records)?);
    let checked = cel.apply(&cel_events, Some(1)).await?;
    compare(case, orders, &checked.seen.cells)?;
    let a_row = |cpu: std::time::Duration| cpu.as_nanos() as f64 / orders.len() as f64;
    let mut figures = Figures::default();
    for _ in 0..runs {
        let with_path = a_row(path.apply(&path_events, None).await?.cpu);
        let with_cel = a_row(cel.apply(&cel_events, None).await?.cpu);
        figures.with_path.push(with_path);
        figures.with_cel.push(with_cel);
        figures.cel_alone.push(with_cel - with_path);
        let before = cpu::of_this_process()?;
        let mut text = String::new();
        for order in orders {
            text.clear();
            (case.by_hand)(black_box(order), &mut text);
            black_box(&text);
        }
        let cpu = cpu::of_this_process()?.saturating_sub(before);
        figures.by_hand.push(a_row(cpu));
    }
    Ok(figures)
}

/// Compares every value with the one in Rust. The rows come in the order of their keys, which is
/// that of the orders within a group.
fn compare(case: &Case, orders: &[Order], cells: &[OwnedCell]) -> Outcome<()> {
    if cells.len() != orders.len() {
        return Err(format!("{} rows of {} orders", cells.len(), orders.len()).into());
    }
    let (mut expected, mut found) = (String::new(), String::new());
    for (order, cell) in orders.iter().zip(cells) {
        expected.clear();
        (case.by_hand)(order, &mut expected);
        found.clear();
        // Writing to a string cannot fail.
        let _ = match cell {
            OwnedCell::Int(number) => write!(found, "{number}"),
            OwnedCell::Bool(truth) => write!(found, "{}", u8::from(*truth)),
            OwnedCell::Text(text) => write!(found, "{text}"),
            other => write!(found, "{other:?}"),
        };
        if expected != found {
            let expression = case.expression;
            return Err(
                format!("`{expression}` gave {found}, not {expected}, for {order:?}").into(),
            );
        }
    }
    Ok(())
}
