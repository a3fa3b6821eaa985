//! The buttons of a projection do what they say, in the store.

use super::scene::{Scene, placed};
use crate::common::eventually;

#[tokio::test]
async fn pause_holds_a_lane_until_resume_lets_it_go_on() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    scene.show("orders").await;
    let browser = &scene.browser;
    browser.click("[data-action=pause]").await;
    eventually("the flag is stored", || {
        (scene.is_paused("orders") == Some(true)).then_some(())
    });
    browser.sees(".title .pill", "Paused").await;
    scene.place.append(placed("o-2", "ada"));
    // The other lane is not paused: once it has the event, this one could have had it too.
    scene.has_read("customers", 2);
    assert_eq!(
        (scene.count("orders", "read"), scene.orders()),
        (1, vec!["o-1".to_owned()])
    );
    browser.click("[data-action=resume]").await;
    scene.has_read("orders", 2);
    assert_eq!(scene.is_paused("orders"), Some(false));
    assert_eq!(scene.orders(), ["o-1", "o-2"]);
    browser.sees("[data-action=pause]", "Pause").await;
}

#[tokio::test]
async fn a_pause_of_all_lanes_is_lifted_for_all_of_them() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    scene.meddle(
        "INSERT INTO projectionist_management (name, key, paused, since) VALUES ('orders', '', 1, 1)",
    );
    scene.show("orders").await;
    scene.browser.click("[data-action=resume]").await;
    scene.place.append(placed("o-2", "ada"));
    scene.has_read("orders", 2);
}

#[tokio::test]
async fn skip_passes_over_the_event_that_fails_and_keeps_it() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    scene.refuse("o-2");
    scene.show("orders").await;
    let browser = &scene.browser;
    let skip = "return document.querySelector('[data-action=skip]').disabled";
    assert_eq!(
        browser.run(skip, Vec::new()).await,
        true,
        "nothing fails yet"
    );
    scene
        .place
        .append(placed("o-2", "ada") + &placed("o-3", "ada"));
    browser.sees(".title .pill", "Retrying").await;
    browser.sees(".failure pre", "refused by hand").await;
    browser.click("[data-action=skip]").await;
    browser.click("dialog [data-action=cancel]").await;
    browser.misses("dialog").await;
    assert_eq!(scene.letters("orders"), Vec::<u64>::new());
    browser.click("[data-action=skip]").await;
    browser.click("dialog [data-action=confirm]").await;
    scene.has_read("orders", 3);
    assert_eq!(scene.orders(), ["o-1", "o-3"]);
    assert_eq!(scene.letters("orders").len(), 1);
    assert_eq!(scene.count("orders", "dead_lettered"), 1);
    let letters = scene.client().letters();
    assert!(String::from_utf8_lossy(&letters[0].event).contains("o-2"));
    browser.sees(".title .pill", "Idle").await;
    browser.misses(".failure").await;
}

#[tokio::test]
async fn move_begins_anew_or_goes_on_behind_an_offset() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("customers", 1);
    let first = scene.offset("customers").unwrap();
    scene.place.append(placed("o-2", "ada"));
    scene.has_read("customers", 2);
    scene.show("customers").await;
    let browser = &scene.browser;
    browser.click("[data-action=move]").await;
    browser.click("dialog [data-action=cancel]").await;
    browser.misses("dialog").await;
    browser.click("[data-action=move]").await;
    browser.click("dialog input[value=beginning]").await;
    browser.click("dialog [data-action=confirm]").await;
    scene.has_read("customers", 4);
    assert_eq!(scene.count("customers", "stale"), 2, "they are recognised");
    browser.sees(".toast", "begins anew").await;
    browser.click("[data-action=move]").await;
    browser.types("dialog input[name=offset]", &first).await;
    browser.click("dialog [data-action=confirm]").await;
    scene.has_read("customers", 5);
    browser.sees(".toast", "goes on behind").await;
}

#[tokio::test]
async fn what_is_refused_is_told_in_the_words_of_the_endpoint() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    let before = scene.offset("orders");
    scene.show("orders").await;
    let browser = &scene.browser;
    browser.click("[data-action=move]").await;
    browser
        .types("dialog input[name=offset]", "no offset at all")
        .await;
    browser.click("dialog [data-action=confirm]").await;
    browser
        .sees(".toast[data-tone=bad]", "no offset at all")
        .await;
    assert_eq!(scene.offset("orders"), before);
    browser.click(".toast button").await;
    browser.misses(".toast").await;
}
