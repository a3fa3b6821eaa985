//! Where a token is set, the page asks for it and keeps it no longer than its tab.

use std::fs;
use std::path::PathBuf;

use serde_json::json;

use super::browser::ENTER;
use super::scene::{Scene, placed};
use crate::common::eventually;

const TOKEN: &str = "a-token-of-the-browser-tests";

#[tokio::test]
async fn the_page_asks_for_the_token_until_it_is_the_right_one() {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("token");
    fs::write(&file, format!("{TOKEN}\n")).unwrap();
    let file = file.display().to_string();
    let scene = Scene::with(&placed("o-1", "ada"), &["--admin-token-file", &file]).await;
    let browser = &scene.browser;
    browser.sees("dialog h2", "Who is asking?").await;
    browser
        .types("dialog input", "a-token-that-is-another-one")
        .await;
    browser.click("dialog [data-action=token]").await;
    browser.sees("dialog p", "does not know that token").await;
    browser.misses("[data-lane]").await;
    browser.types("dialog input", TOKEN).await;
    browser.press(ENTER).await;
    browser.sees("[data-lane='orders/all'] .pill", "Idle").await;
    let kept =
        "return [Object.values(sessionStorage), Object.values(localStorage), document.cookie]";
    assert_eq!(
        browser.run(kept, Vec::new()).await,
        json!([[TOKEN], [], ""])
    );
    browser.reload().await;
    browser.sees("[data-lane='orders/all'] .pill", "Idle").await;
    browser.misses("dialog").await;
    scene.show("orders").await;
    browser.click("[data-action=pause]").await;
    eventually("the flag is stored", || {
        (scene.is_paused("orders") == Some(true)).then_some(())
    });
    let ended = scene.run.stop(nix::sys::signal::Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!format!("{ended:?}").contains(TOKEN), "{ended:?}");
}
