//! The pages fit phones, tablets and desks, in light and in dark, and are used without a mouse.

use serde_json::{Value, json};

use super::browser::{ESCAPE, TAB};
use super::scene::{Scene, badly_paid, placed};

const SIZES: [(u32, u32); 3] = [(360, 780), (820, 1_100), (1_440, 1_000)];

#[tokio::test]
async fn no_page_is_wider_than_the_window() {
    let long = "o-".repeat(200);
    let events = placed("o-1", "ada") + &badly_paid("o-1") + &badly_paid(&long);
    let scene = Scene::over(&events).await;
    scene.has_read("orders", 3);
    let browser = &scene.browser;
    let fits = "return document.documentElement.scrollWidth <= innerWidth";
    for (width, height) in SIZES {
        browser.resize(width, height).await;
        for (page, seen) in [
            ("#/", "[data-lane='orders/all'] .pill"),
            ("#/p/orders/all", "[data-letter]"),
            ("#/dead-letters", "[data-letter]"),
        ] {
            browser.open(&format!("{}{page}", scene.address)).await;
            browser.sees(seen, "").await;
            if page != "#/" {
                browser.click("[data-action=open-letter]").await;
                browser.sees("[data-detail] pre", "").await;
            }
            assert_eq!(
                browser.run(fits, Vec::new()).await,
                true,
                "{page} at {width}"
            );
            if page != "#/" {
                browser.click("[data-action=open-letter]").await;
                browser.misses("[data-detail]").await;
            }
        }
    }
}

/// The least contrast of text with what it stands on that is legible (WCAG 2, level AA).
const CONTRAST: f64 = 4.5;

/// The contrast of the worst text of the page, with its words.
const WORST: &str = "
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data]; };
    const light = ([r, g, b]) => { const part = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
        return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
    const ground = (one) => { for (; one; one = one.parentElement) { const colour = rgba(getComputedStyle(one).backgroundColor);
        if (colour[3] > 200) return colour; } return [255, 255, 255]; };
    let worst = [99, ''];
    for (const one of document.querySelectorAll('body *')) {
        if (!one.checkVisibility() || one.disabled || ![...one.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
        const [a, b] = [light(rgba(getComputedStyle(one).color)), light(ground(one))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < worst[0]) worst = [contrast, `${one.tagName}.${one.className} ${one.textContent}`];
    }
    return worst";

#[tokio::test]
async fn texts_are_legible_in_light_and_dark_and_the_switch_is_remembered() {
    let scene = Scene::over(&(placed("o-1", "ada") + &badly_paid("o-1"))).await;
    scene.has_read("orders", 2);
    let browser = &scene.browser;
    let ground = "return getComputedStyle(document.body).backgroundColor";
    let mut grounds: Vec<Value> = Vec::new();
    for scheme in ["light", "dark"] {
        browser.prefer(scheme).await;
        for page in ["#/", "#/p/orders/all", "#/dead-letters"] {
            browser.open(&format!("{}{page}", scene.address)).await;
            let seen = if page == "#/" {
                "[data-lane] .pill"
            } else {
                "[data-letter]"
            };
            browser.sees(seen, "").await;
            let worst = browser.run(WORST, Vec::new()).await;
            assert!(
                worst[0].as_f64().unwrap() >= CONTRAST,
                "{scheme} {page}: {worst}"
            );
        }
        grounds.push(browser.run(ground, Vec::new()).await);
    }
    assert_ne!(grounds[0], grounds[1]);
    // The system still prefers dark: the switch goes to light, which holds over a reload.
    browser.click("[data-action=theme]").await;
    assert_eq!(browser.run(ground, Vec::new()).await, grounds[0]);
    browser.reload().await;
    assert_eq!(browser.run(ground, Vec::new()).await, grounds[0]);
    browser.click("[data-action=theme]").await;
    assert_eq!(browser.run(ground, Vec::new()).await, grounds[1]);
    browser.prefer("light").await;
    assert_eq!(
        browser.run(ground, Vec::new()).await,
        grounds[1],
        "dark was chosen"
    );
    browser.click("[data-action=theme]").await;
    assert_eq!(
        browser.run(ground, Vec::new()).await,
        grounds[0],
        "as the system"
    );
}

#[tokio::test]
async fn everything_is_reached_with_the_keyboard_and_the_focus_is_seen() {
    let scene = Scene::over(&(placed("o-1", "ada") + &badly_paid("o-1"))).await;
    scene.has_read("orders", 2);
    scene.show("orders").await;
    let browser = &scene.browser;
    browser.sees("[data-letter]", "").await;
    let focused = "const one = document.activeElement; if (one === document.body) return null; const style = getComputedStyle(one);
        return [one.dataset.action ?? one.textContent.trim().slice(0, 30), style.outlineStyle !== 'none' || one.type === 'checkbox']";
    // A page that is loaded begins at its top.
    browser.reload().await;
    browser.sees("[data-letter]", "").await;
    let mut reached = Vec::new();
    loop {
        browser.press(TAB).await;
        let found = browser.run(focused, Vec::new()).await;
        // Behind the last one the browser leaves the page.
        if found.is_null() {
            break;
        }
        let (name, is_seen) = (&found[0], &found[1]);
        assert_eq!(is_seen, &json!(true), "the focus on {name} is not seen");
        reached.push(name.as_str().unwrap().to_owned());
    }
    for name in ["Skip to content", "theme", "pause", "move", "open-letter"] {
        assert!(
            reached.iter().any(|one| one == name),
            "{name} is not in {reached:?}"
        );
    }
    // A dialog takes the focus, Escape closes it, and the focus comes back.
    browser
        .run(
            "document.querySelector('[data-action=move]').focus()",
            Vec::new(),
        )
        .await;
    browser.press(' ').await;
    browser.sees("dialog h2", "Move orders").await;
    let inside = "return document.querySelector('dialog').contains(document.activeElement)";
    assert_eq!(browser.run(inside, Vec::new()).await, true);
    browser.press(ESCAPE).await;
    browser.misses("dialog").await;
    let back = "return document.activeElement.dataset.action";
    assert_eq!(browser.run(back, Vec::new()).await, "move");
}

#[tokio::test]
async fn every_control_has_a_name_and_every_page_its_landmarks() {
    let scene = Scene::over(&(placed("o-1", "ada") + &badly_paid("o-1"))).await;
    scene.has_read("orders", 2);
    let browser = &scene.browser;
    let nameless = "return [...document.querySelectorAll('a, button, input, select, svg[role=img], [role=region], section')]
        .filter((one) => one.checkVisibility() && !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
            || one.textContent.trim() || one.labels?.[0]?.textContent.trim()))
        .map((one) => one.outerHTML)";
    let landmarks = "return ['header', 'nav[aria-label]', 'main', 'h1'].filter((one) => !document.querySelector(one))";
    for page in ["#/", "#/p/orders/all", "#/dead-letters"] {
        browser.open(&format!("{}{page}", scene.address)).await;
        let seen = if page == "#/" {
            "[data-lane] .pill"
        } else {
            "[data-letter]"
        };
        browser.sees(seen, "").await;
        assert_eq!(browser.run(nameless, Vec::new()).await, json!([]), "{page}");
        assert_eq!(
            browser.run(landmarks, Vec::new()).await,
            json!([]),
            "{page}"
        );
    }
}
