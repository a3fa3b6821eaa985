//! What the pages show is what the store holds, and goes on with it.

use serde_json::json;

use super::scene::{Scene, placed};

#[tokio::test]
async fn the_list_shows_every_lane_and_leads_to_its_page() {
    let events: String = (0..12).map(|n| placed(&format!("o-{n}"), "ada")).collect();
    let scene = Scene::over(&events).await;
    let browser = &scene.browser;
    for lane in ["orders", "customers"] {
        let row = format!("[data-lane='{lane}/all']");
        browser.sees(&format!("{row} .pill"), "Idle").await;
    }
    browser.click("[data-lane='customers/all'] a").await;
    browser.sees("h1", "customers").await;
    browser.sees("[data-count=read] dd", "12").await;
    let label = scene.run.label();
    browser.sees(".facts", &label).await;
    browser
        .sees(".facts", &scene.offset("customers").unwrap())
        .await;
    scene.place.append(placed("o-12", "bob"));
    scene.has_read("customers", 13);
    browser.sees("[data-count=applied] dd", "13").await;
    browser
        .sees(".facts", &scene.offset("customers").unwrap())
        .await;
    browser.click(".crumb").await;
    browser
        .sees("[data-lane='customers/all']", "customers")
        .await;
}

#[tokio::test]
async fn a_page_that_is_opened_later_shows_what_was_before() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    scene.has_read("orders", 1);
    scene.show("orders").await;
    let drawn = "return document.querySelector('.plot.rate .line')?.getAttribute('d')?.length > 0";
    let browser = &scene.browser;
    browser
        .until("throughput is drawn", drawn, Vec::new())
        .await;
    // Nothing that this page has seen itself is left after it is loaded anew.
    browser.reload().await;
    let samples = "return fetch('/api/projections/orders/all/history').then((a) => a.json())
        .then((history) => history.samples.length > 2)";
    browser
        .until("there is a history", samples, Vec::new())
        .await;
    browser
        .until("throughput is drawn again", drawn, Vec::new())
        .await;
}

#[tokio::test]
async fn a_process_that_is_gone_is_told_and_one_that_is_back_is_taken_up() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    let Scene {
        place,
        run,
        browser,
        address,
    } = scene;
    browser.sees(".pulse", "live").await;
    run.kill();
    browser.sees(".banner", "does not answer").await;
    let port = address.trim_end_matches('/').rsplit(':').next().unwrap();
    let run = place.follow(&["--admin", &format!("127.0.0.1:{port}")]);
    browser.sees(".pulse", "live").await;
    browser.misses(".banner").await;
    browser.sees("[data-lane='orders/all'] .pill", "Idle").await;
    drop(run);
}

#[tokio::test]
async fn nothing_is_asked_of_any_other_host_and_nothing_is_refused_by_the_policy() {
    let scene = Scene::over(&placed("o-1", "ada")).await;
    let browser = &scene.browser;
    browser.sees("[data-lane='orders/all'] .pill", "Idle").await;
    scene.show("orders").await;
    browser
        .open(&format!("{}#/dead-letters", scene.address))
        .await;
    browser.sees("h1", "Dead letters").await;
    let foreign = "return performance.getEntriesByType('resource').map((one) => one.name)
        .filter((name) => !name.startsWith(location.origin + '/'))";
    assert_eq!(browser.run(foreign, Vec::new()).await, json!([]));
    assert_eq!(browser.complaints().await, Vec::<String>::new());
}
