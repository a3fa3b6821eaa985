//! Dead letters are looked at, replayed and discarded.

use super::scene::{Scene, badly_paid, event, placed};
use crate::common::eventually;
use serde_json::json;

/// So many orders, each with a payment that is no number.
fn bad_payments(orders: u64) -> String {
    (0..orders)
        .map(|n| placed(&format!("o-{n}"), "ada") + &badly_paid(&format!("o-{n}")))
        .collect()
}

async fn shows_letters(scene: &Scene, projection: &str) {
    let address = format!("{}#/dead-letters/{projection}", scene.address);
    scene.browser.open(&address).await;
    scene.browser.sees("h1", "Dead letters").await;
}

fn choose(id: u64) -> String {
    format!("[data-letter='{id}'] input[type=checkbox]")
}

#[tokio::test]
async fn a_letter_is_shown_with_its_event_and_discarded_when_that_is_confirmed() {
    let scene = Scene::over(&bad_payments(3)).await;
    scene.has_read("orders", 6);
    let ids = scene.letters("orders");
    assert_eq!(ids.len(), 3);
    scene.browser.sees(".nav-count", "3").await;
    scene.browser.click("[data-lane='orders/all'] .count").await;
    let browser = &scene.browser;
    browser
        .sees(&format!("[data-letter='{}']", ids[1]), "four")
        .await;
    browser
        .click(&format!(
            "[data-letter='{}'] [data-action=open-letter]",
            ids[1]
        ))
        .await;
    browser
        .sees(
            &format!("[data-detail='{}'] pre", ids[1]),
            r#""entityId": "o-1""#,
        )
        .await;
    browser.click(&choose(ids[1])).await;
    browser.click("[data-action=discard]").await;
    browser.click("dialog [data-action=cancel]").await;
    browser.misses("dialog").await;
    assert_eq!(scene.letters("orders"), ids);
    browser.click("[data-action=discard]").await;
    browser.click("dialog [data-action=confirm]").await;
    browser.misses(&format!("[data-letter='{}']", ids[1])).await;
    assert_eq!(scene.letters("orders"), [ids[0], ids[2]]);
    assert_eq!(scene.count("orders", "skipped"), 1);
    assert_eq!(scene.count("orders", "dead_lettered"), 2);
    browser.sees(".nav-count", "2").await;
}

#[tokio::test]
async fn a_letter_that_can_be_applied_now_is_replayed_and_one_that_cannot_is_kept() {
    let scene = Scene::over(&(placed("o-1", "ada") + &badly_paid("o-1"))).await;
    scene.has_read("orders", 2);
    scene.refuse("o-2");
    scene.place.append(placed("o-2", "bob"));
    scene.show("orders").await;
    let browser = &scene.browser;
    browser.click("[data-action=skip]").await;
    browser.click("dialog [data-action=confirm]").await;
    scene.has_read("orders", 3);
    scene.meddle("DROP TRIGGER refuses");
    let ids = scene.letters("orders");
    let [bad, refused] = ids[..] else {
        unreachable!("two letters: {ids:?}");
    };
    // On the page of the projection, where its letters stand too.
    browser.click(&choose(refused)).await;
    browser.click("[data-action=replay]").await;
    browser.click("dialog [data-action=confirm]").await;
    eventually("the row is there", || {
        (scene.orders() == ["o-1", "o-2"]).then_some(())
    });
    browser.misses(&format!("[data-letter='{refused}']")).await;
    assert_eq!(scene.letters("orders"), [bad]);
    browser.click(&choose(bad)).await;
    browser.click("[data-action=replay]").await;
    browser.click("dialog [data-action=confirm]").await;
    browser
        .sees(".toast[data-tone=bad]", "1 dead letter of 1")
        .await;
    browser
        .sees(&format!("[data-letter='{bad}'] .outcome"), "four")
        .await;
    assert_eq!(scene.letters("orders"), [bad]);
    assert_eq!(scene.count("orders", "applied"), 2);
}

#[tokio::test]
async fn all_that_are_shown_are_chosen_at_once_and_further_ones_are_fetched() {
    let scene = Scene::over(&bad_payments(60)).await;
    scene.has_read("orders", 120);
    shows_letters(&scene, "orders").await;
    let browser = &scene.browser;
    let rows = "return document.querySelectorAll('[data-letter]').length === arguments[0]";
    browser.until("50 letters", rows, vec![json!(50)]).await;
    browser.click("[data-action=more]").await;
    browser.until("60 letters", rows, vec![json!(60)]).await;
    browser.misses("[data-action=more]").await;
    browser.click("thead input[type=checkbox]").await;
    browser.sees("[data-action=discard]", "60").await;
    browser.click("[data-action=discard]").await;
    browser.click("dialog [data-action=confirm]").await;
    browser.sees(".empty", "no dead letters").await;
    assert_eq!(scene.letters("orders"), Vec::<u64>::new());
    assert_eq!(scene.count("orders", "skipped"), 60);
}

#[tokio::test]
async fn the_filter_shows_one_projection_and_records_that_are_no_events() {
    let scene = Scene::over(&format!("{}this is no event\n", bad_payments(1))).await;
    scene.has_read("orders", 2);
    let browser = &scene.browser;
    browser
        .open(&format!("{}#/dead-letters", scene.address))
        .await;
    let rows = "return document.querySelectorAll('[data-letter]').length === arguments[0]";
    browser.until("both letters", rows, vec![json!(2)]).await;
    for (choice, words) in [
        ("#/dead-letters/orders", "PAID"),
        ("#/dead-letters/", "not an event"),
    ] {
        browser.choose("select", choice).await;
        browser.until("one letter", rows, vec![json!(1)]).await;
        browser.sees("[data-letter] .what", words).await;
    }
    browser.choose("select", "#/dead-letters/customers").await;
    browser.sees(".empty", "no dead letters").await;
}

/// What an event holds is shown as text, whatever it is.
#[tokio::test]
async fn nothing_of_an_event_becomes_part_of_the_page() {
    let markup = "<img src=x onerror=\"document.title='broken in'\"><b class=intruder>x</b>";
    let scene = Scene::over(&event("PAID", markup, 1, json!({ "amount": markup }))).await;
    scene.has_read("orders", 1);
    shows_letters(&scene, "orders").await;
    let browser = &scene.browser;
    browser.sees("[data-letter]", "<b class=intruder>").await;
    browser.click("[data-action=open-letter]").await;
    browser
        .sees("[data-detail] pre", "<b class=intruder>")
        .await;
    browser.misses(".intruder").await;
    assert_eq!(
        browser.run("return document.title", Vec::new()).await,
        "Dead letters · projectionist"
    );
}
