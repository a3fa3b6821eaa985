//! The commands that help to write a file: `init`, `test`, `check --into` and `completions`;
//! settings; and the recipes of the cookbook.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

#[path = "../common/mod.rs"]
mod common;

mod check_into;
mod completions;
mod cookbook;
mod differences;
mod init;
mod settings;
mod wrong_cases;

use std::path::Path;

use common::process::{command, ended};
use common::{Ended, Place};

/// Two projections, one of them without the guard.
pub(crate) const SHOP: &str = r#"
projections:
  orders:
    source_events: [PLACED, ADDED, SHIPPED, CANCELLED]
    target: { table: orders, primary_key: [id] }
    fields:
      id: TEXT
      customer: TEXT
      total: { type: "NUMERIC(12,2)", default: 0 }
      paid: BOOLEAN
      at: TIMESTAMPTZ
      extra: JSONB
    derive:
      { id: event.entityId, customer: event.customer, paid: event.paid, at: event.ts, extra: event.extra }
    mutations:
      PLACED: { op: upsert }
      ADDED: { op: increment, by: { total: event.price } }
      SHIPPED: { op: patch, set: { customer: "'shipped'" }, on_missing: ignore }
      CANCELLED: { op: delete }
  arrivals:
    source_events: [PLACED]
    sequence: none
    target: { table: arrivals, primary_key: [id] }
    fields: { id: TEXT, times: BIGINT }
    derive: { id: event.entityId }
    mutations: { PLACED: { op: increment, by: { times: 1 } } }
"#;

/// `projectionist test` of [`SHOP`] with these cases, in a folder of its own.
pub(crate) fn tested(cases: &str, more: &[&str]) -> Ended {
    let place = Place::with(SHOP);
    let fixtures = place.path("cases.yaml");
    std::fs::write(&fixtures, cases).unwrap();
    test_files(&place.projections(), &[&fixtures], more)
}

/// `projectionist test` of a file with files of cases.
pub(crate) fn test_files(projections: &Path, fixtures: &[&Path], more: &[&str]) -> Ended {
    let mut test = command();
    test.arg("test").arg(projections).args(fixtures);
    ended(test.args(more))
}
