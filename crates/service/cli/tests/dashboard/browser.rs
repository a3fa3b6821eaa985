//! A browser without a window, steered through its driver.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests fails its test"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::common::wait::AT_MOST;

/// The keys that are no characters, as drivers name them.
pub(super) const TAB: char = '\u{e004}';
pub(super) const ENTER: char = '\u{e007}';
pub(super) const ESCAPE: char = '\u{e00c}';

/// The pause between two looks at a page.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// A browser with one page. It ends with the value.
pub(super) struct Browser {
    client: Client,
    driver: Child,
}

impl Browser {
    /// Starts a browser of 1440 by 1000 pixels.
    pub(super) async fn start() -> Self {
        let (driver, port) = start_driver();
        let arguments = json!([
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--force-device-scale-factor=1",
            "--window-size=1440,1000",
            "--lang=en",
        ]);
        let wishes = json!({
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(wishes.as_object().unwrap().clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap_or_else(|error| panic!("cannot start chromium: {error}"));
        Self { client, driver }
    }

    pub(super) async fn open(&self, address: &str) {
        self.client.goto(address).await.unwrap();
    }

    pub(super) async fn reload(&self) {
        self.client.refresh().await.unwrap();
    }

    /// Runs a script in the page.
    pub(super) async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(script, arguments).await.unwrap()
    }

    /// Waits until a script gives something that is true.
    pub(super) async fn until(&self, what: &str, script: &str, arguments: Vec<Value>) -> Value {
        let deadline = Instant::now() + AT_MOST;
        let mut turn = tokio::time::interval(BETWEEN_LOOKS);
        loop {
            turn.tick().await;
            let found = self.client.execute(script, arguments.clone()).await;
            let found = found.unwrap_or(Value::Null);
            if !matches!(found, Value::Null | Value::Bool(false)) {
                return found;
            }
            if Instant::now() > deadline {
                let page = self.run("return document.body.innerText", Vec::new()).await;
                panic!("{what}: not within {AT_MOST:?}; the page says:\n{page}");
            }
        }
    }

    /// Waits until an element is seen whose text contains `text`.
    pub(super) async fn sees(&self, selector: &str, text: &str) {
        let script = "return [...document.querySelectorAll(arguments[0])]
            .some((one) => one.checkVisibility() && one.textContent.includes(arguments[1]))";
        let what = format!("{selector} says {text:?}");
        self.until(&what, script, vec![json!(selector), json!(text)])
            .await;
    }

    /// Waits until no such element is seen.
    pub(super) async fn misses(&self, selector: &str) {
        let script = "return ![...document.querySelectorAll(arguments[0])]
            .some((one) => one.checkVisibility())";
        let what = format!("{selector} is gone");
        self.until(&what, script, vec![json!(selector)]).await;
    }

    /// Clicks as a person does: the element must be seen, usable and covered by nothing.
    pub(super) async fn click(&self, selector: &str) {
        let usable = "const one = [...document.querySelectorAll(arguments[0])]
            .find((one) => one.checkVisibility() && !one.disabled);
            one?.scrollIntoView({block: 'center'}); return Boolean(one)";
        let what = format!("{selector} can be clicked");
        let deadline = Instant::now() + AT_MOST;
        loop {
            self.until(&what, usable, vec![json!(selector)]).await;
            let mut last = String::new();
            for one in self.client.find_all(Locator::Css(selector)).await.unwrap() {
                if one.is_displayed().await.unwrap_or(false) {
                    match one.click().await {
                        Ok(()) => return,
                        // The page may just have drawn itself anew, or a dialog be closing.
                        Err(error) => last = error.to_string(),
                    }
                }
            }
            assert!(Instant::now() < deadline, "{what}: {last}");
        }
    }

    /// Types into the element that has the focus, or into a field.
    pub(super) async fn types(&self, selector: &str, text: &str) {
        let field = self.client.find(Locator::Css(selector)).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Chooses from a list.
    pub(super) async fn choose(&self, selector: &str, value: &str) {
        let list = self.client.find(Locator::Css(selector)).await.unwrap();
        list.select_by_value(value).await.unwrap();
    }

    /// Presses a key of the keyboard, wherever the focus is: a character, or one of the driver's
    /// names for other keys.
    pub(super) async fn press(&self, key: char) {
        let keys = KeyActions::new("keyboard".to_owned())
            .then(KeyAction::Down { value: key })
            .then(KeyAction::Up { value: key });
        self.client.perform_actions(keys).await.unwrap();
    }

    /// Asks the browser itself, as its developers' tools do.
    pub(super) async fn tell(&self, command: &str, parameters: Value) {
        let ask = Ask {
            path: "goog/cdp/execute",
            body: json!({ "cmd": command, "params": parameters }),
        };
        self.client.issue_cmd(ask).await.unwrap();
    }

    /// Makes the page so wide and high.
    pub(super) async fn resize(&self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.tell("Emulation.setDeviceMetricsOverride", size).await;
    }

    /// Says which colours the system prefers.
    pub(super) async fn prefer(&self, scheme: &str) {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.tell("Emulation.setEmulatedMedia", feature).await;
    }

    /// What the browser complains about since it was asked last.
    pub(super) async fn complaints(&self) -> Vec<String> {
        let ask = Ask {
            path: "se/log",
            body: json!({ "type": "browser" }),
        };
        let log = self.client.issue_cmd(ask).await.unwrap();
        let entries = log.as_array().unwrap().iter();
        entries.map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends its browsers when it is asked to, not when it is killed.
        if let Ok(id) = i32::try_from(self.driver.id()) {
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
        let _ = self.driver.wait();
    }
}

/// A command of the driver that the library does not know.
#[derive(Debug)]
struct Ask {
    path: &'static str,
    body: Value,
}

impl fantoccini::wd::WebDriverCompatibleCommand for Ask {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        let session = session.unwrap_or_default();
        base.join(&format!("session/{session}/{}", self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

fn start_driver() -> (Child, u16) {
    let program = "chromedriver";
    let mut driver = Command::new(program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| {
            panic!("cannot start {program}: {error}; install it: apt-get install chromium-driver")
        });
    let mut said = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = said.find_map(|line| {
        let line = line.unwrap();
        let (_, port) = line.split_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    });
    let port = port.unwrap_or_else(|| panic!("{program} does not say its port"));
    // What it says further is read to nowhere, so that it never waits for a reader.
    std::thread::spawn(move || said.for_each(drop));
    (driver, port)
}
