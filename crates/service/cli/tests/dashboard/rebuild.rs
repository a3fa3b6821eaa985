//! The buttons of a rebuild command it, and the page shows how far it is.

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

#[tokio::test]
async fn a_process_that_cannot_rebuild_shows_no_button_for_it() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    scene.show("orders").await;
    scene.browser.sees("[data-action=pause]", "Pause").await;
    scene.browser.misses("[data-action=rebuild]").await;
}
