//! The buttons of a rebuild command it, and the page shows how far it is.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use projectionist_admin_api::view::RebuildPhase;
use serde_json::json;

use super::browser::Browser;
use super::rebuild_desk::RebuildDesk;
use super::scene::{Scene, placed};
use crate::common::eventually;

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_is_begun_watched_given_up_and_reverted() {
    let (desk, address) = RebuildDesk::serve().await;
    let browser = Browser::start().await;
    browser
        .open(&format!("http://{address}/#/p/orders/all"))
        .await;
    let asked = |call: &str| eventually(call, || desk.has_called(call).then_some(()));
    browser.click("[data-action=rebuild]").await;
    browser.click("dialog [data-action=cancel]").await;
    browser.misses("dialog").await;
    browser.click("[data-action=rebuild]").await;
    browser.click("dialog [data-action=confirm]").await;
    asked("start orders keep=true");
    assert_eq!(
        desk.calls.lock().unwrap().len(),
        1,
        "the first one was cancelled"
    );
    desk.set(RebuildPhase::Building, Some(0.25));
    let shown = "return document.querySelector('progress').value === arguments[0]";
    browser
        .until("a quarter is done", shown, vec![json!(0.25)])
        .await;
    browser.sees(".rebuild", "1,234 events").await;
    browser.click("[data-action=rebuild-abort]").await;
    asked("abort orders");
    browser.sees(".rebuild", "given up").await;
    browser.click("[data-action=rebuild]").await;
    browser.click("dialog input[name=keep]").await;
    browser.click("dialog [data-action=confirm]").await;
    asked("start orders keep=false");
    desk.set(RebuildPhase::Done, None);
    browser.sees(".rebuild", "ended well").await;
    browser.click("[data-action=rebuild-revert]").await;
    browser.click("dialog [data-action=confirm]").await;
    asked("revert orders");
    browser.misses(".rebuild").await;
}

/// The customers in the table.
fn customers(scene: &Scene) -> Vec<String> {
    let rows = scene.client().rows("customers");
    let names = rows
        .iter()
        .map(|row| row["customer"].as_str().unwrap().to_owned());
    names.collect()
}

/// A row that somebody put in by hand goes with the rebuild, and comes back with the table that was
/// kept; the run goes on with either.
#[tokio::test]
async fn a_run_rebuilds_beside_its_table_and_puts_the_old_one_back() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("customers", 1);
    scene.meddle("INSERT INTO customers (customer, orders) VALUES ('nobody', 7)");
    scene.show("customers").await;
    let browser = &scene.browser;
    browser.click("[data-action=rebuild]").await;
    browser.click("dialog [data-action=confirm]").await;
    browser.sees(".rebuild", "ended well").await;
    assert_eq!(customers(&scene), ["ada"]);
    scene.place.append(placed("o-2", "grace"));
    scene.has_read("customers", 2);
    browser.click("[data-action=rebuild-revert]").await;
    browser.click("dialog [data-action=confirm]").await;
    eventually("the kept table is in use and goes on", || {
        (customers(&scene) == ["ada", "grace", "nobody"]).then_some(())
    });
}

/// One that has a long way to go is given up, and nothing of it is left.
#[tokio::test]
async fn a_rebuild_of_a_run_is_given_up() {
    const ORDERS: u64 = 100_000;
    let placed = |n| placed(&format!("o-{n}"), "ada");
    let scene = Scene::over(&(0..ORDERS).map(placed).collect::<String>()).await;
    scene.has_read("customers", ORDERS);
    scene.show("customers").await;
    let browser = &scene.browser;
    browser.click("[data-action=rebuild]").await;
    browser.click("dialog [data-action=confirm]").await;
    browser.click("[data-action=rebuild-abort]").await;
    browser.sees(".rebuild", "given up").await;
    let left = "SELECT count(*) FROM projectionist_rebuilds";
    let left: i64 = (scene.client().connection)
        .query_row(left, [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
    assert_eq!(customers(&scene), ["ada"]);
}
