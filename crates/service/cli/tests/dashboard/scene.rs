//! A run of the program with the admin endpoint, and a browser before it.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::browser::Browser;
use crate::common::{Client, Place, Running, eventually};

/// Orders, whose events with a bad price become dead letters, and their customers. A row that the
/// database refuses is tried again and again.
const PROJECTIONS: &str = "
data_retries: 1000
projections:
  orders:
    source_events: [PLACED, PAID]
    target: { table: orders, primary_key: [order_id] }
    fields: { order_id: TEXT, customer: TEXT, paid: { type: 'NUMERIC(12,2)', default: 0 } }
    derive: { order_id: event.entityId, customer: event.customer }
    mutations:
      PLACED: { op: upsert }
      PAID: { op: increment, by: { paid: event.amount } }
  customers:
    source_events: [PLACED]
    target: { table: customers, primary_key: [customer] }
    fields: { customer: TEXT, orders: { type: BIGINT, default: 0 } }
    derive: { customer: event.customer }
    mutations:
      PLACED: { op: increment, by: { orders: 1 } }
";

/// A run of the program with the admin endpoint, and a browser before it.
pub(super) struct Scene {
    pub(super) place: Place,
    pub(super) run: Running,
    pub(super) browser: Browser,
    pub(super) address: String,
}

/// An event.
pub(super) fn event(kind: &str, entity: &str, number: u64, payload: Value) -> String {
    let event = json!({
        "eventType": kind,
        "entityId": entity,
        "sequenceNumber": number,
        "ts": 1_719_331_200_000_u64 + number,
        "payload": payload,
    });
    format!("{event}\n")
}

/// An order of a customer.
pub(super) fn placed(order: &str, customer: &str) -> String {
    event("PLACED", order, 1, json!({ "customer": customer }))
}

/// A payment that is no number.
pub(super) fn badly_paid(order: &str) -> String {
    event("PAID", order, 2, json!({ "amount": "four" }))
}

impl Scene {
    /// Runs over these events; the browser shows the list.
    pub(super) async fn over(events: &str) -> Self {
        Self::with(events, &[]).await
    }

    /// As [`Self::over`], with further arguments.
    pub(super) async fn with(events: &str, more: &[&str]) -> Self {
        let place = Place::with_events(PROJECTIONS, events);
        let arguments = [&["--admin", "127.0.0.1:0"], more].concat();
        let run = place.follow(&arguments);
        let address = address_of(&run);
        let browser = Browser::start().await;
        browser.open(&address).await;
        Self {
            place,
            run,
            browser,
            address,
        }
    }

    /// Shows the page of a projection.
    pub(super) async fn show(&self, projection: &str) {
        let address = format!("{}#/p/{projection}/all", self.address);
        self.browser.open(&address).await;
        self.browser.sees("h1", projection).await;
    }

    pub(super) fn client(&self) -> Client {
        self.place.client()
    }

    /// Waits until a lane has read so many events.
    pub(super) fn has_read(&self, projection: &str, events: u64) {
        let what = format!("{projection} has read {events}");
        eventually(&what, || {
            (self.count(projection, "read") == events).then_some(())
        });
    }

    /// A count of a lane, as its row has it.
    pub(super) fn count(&self, projection: &str, count: &str) -> u64 {
        let lanes = Client::open(&self.place.views()).map(|client| client.lanes());
        let lanes = lanes.unwrap_or_default();
        lanes.get(projection).map_or(0, |lane| lane.counts[count])
    }

    /// The offset of a lane, as its row has it.
    pub(super) fn offset(&self, projection: &str) -> Option<String> {
        self.client().lanes()[projection].offset.clone()
    }

    /// Whether a lane's own flag pauses it; `None` while nobody has set it.
    pub(super) fn is_paused(&self, projection: &str) -> Option<bool> {
        let sql = "SELECT paused FROM projectionist_management WHERE name = ?1 AND key = 'all'";
        let client = self.client();
        client
            .connection
            .query_row(sql, [projection], |row| row.get(0))
            .ok()
    }

    /// The numbers of the dead letters of a projection.
    pub(super) fn letters(&self, projection: &str) -> Vec<u64> {
        let sql = "SELECT id FROM projectionist_dead_letters WHERE projection = ?1 ORDER BY id";
        let client = self.client();
        let mut statement = client.connection.prepare(sql).unwrap();
        let ids = statement
            .query_map([projection], |row| row.get::<_, i64>(0))
            .unwrap();
        ids.map(|id| u64::try_from(id.unwrap()).unwrap()).collect()
    }

    /// The orders, by their number.
    pub(super) fn orders(&self) -> Vec<String> {
        let rows = self.client().rows("orders");
        let ids = rows
            .iter()
            .map(|row| row["order_id"].as_str().unwrap().to_owned());
        let mut ids: Vec<String> = ids.collect();
        ids.sort();
        ids
    }

    /// Does something to the tables behind the back of the program.
    pub(super) fn meddle(&self, sql: &str) {
        meddle(&self.place.views(), sql);
    }

    /// Lets the database refuse one order.
    pub(super) fn refuse(&self, order: &str) {
        self.meddle(&format!(
            "CREATE TRIGGER refuses BEFORE INSERT ON orders WHEN new.order_id = '{order}'
             BEGIN SELECT RAISE(ABORT, 'refused by hand'); END"
        ));
    }
}

/// Where a run says that its endpoint answers.
pub(super) fn address_of(run: &Running) -> String {
    let line = run.line_with(&["the admin endpoint answers at"]);
    line.rsplit(' ').next().unwrap().to_owned()
}

fn meddle(file: &Path, sql: &str) {
    let connection = Connection::open(file).unwrap();
    connection
        .busy_timeout(crate::common::wait::AT_MOST)
        .unwrap();
    connection.execute_batch(sql).unwrap();
}
