//! Asks the endpoint as any client does, in bytes: it shares no code with the endpoint.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests fails its test"
)]

use std::net::SocketAddr;
use std::sync::Arc;

use projectionist_admin_api::{AdminConfig, AdminServer, AdminToken, Page};
use projectionist_telemetry::Exporter;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::desk::TestDesk;

/// The token of the tests that have one.
pub(super) const TOKEN: &str = "a-secret-of-the-tests-4711";

/// An endpoint that answers until the value goes.
pub(super) struct Endpoint {
    pub(super) address: SocketAddr,
    pub(super) desk: Arc<TestDesk>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Endpoint {
    /// An endpoint without a token.
    pub(super) async fn open() -> Self {
        Self::with(AdminConfig::at("127.0.0.1:0".parse().unwrap())).await
    }

    /// An endpoint with [`TOKEN`].
    pub(super) async fn with_token() -> Self {
        let mut config = AdminConfig::at("127.0.0.1:0".parse().unwrap());
        config.token = Some(AdminToken::new(TOKEN).unwrap());
        Self::with(config).await
    }

    pub(super) async fn with(config: AdminConfig) -> Self {
        let server = AdminServer::bind(config).await.unwrap();
        let address = server.address();
        let desk = Arc::new(TestDesk::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = {
            let desk = Arc::clone(&desk);
            async move {
                let stopped = async move {
                    let _ = stopped.await;
                };
                let (exporter, _) = Exporter::detached();
                server.serve(desk, Some(exporter), page, stopped).await;
            }
        };
        let task = tokio::spawn(serving);
        Self {
            address,
            desk,
            stop: Some(stop),
            task,
        }
    }

    /// Asks it to stop and waits for that.
    pub(super) async fn stop(mut self) {
        self.stop.take().map(|stop| stop.send(()));
        (&mut self.task).await.unwrap();
    }

    /// The head of a request as usual clients send it, with further lines.
    pub(super) fn head(&self, method: &str, path: &str, more: &[&str]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !more.iter().any(|line| line.starts_with("Host:")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for line in more.iter().filter(|line| !line.is_empty()) {
            head.push_str(line);
            head.push_str("\r\n");
        }
        head
    }

    pub(super) async fn get(&self, path: &str, more: &[&str]) -> Answer {
        let head = self.head("GET", path, more);
        self.send(&format!("{head}\r\n")).await
    }

    /// Posts JSON as the dashboard does.
    pub(super) async fn post(&self, path: &str, body: &str) -> Answer {
        let usual = ["Content-Type: application/json", "X-Projectionist: 1"];
        self.post_with(path, &usual, body).await
    }

    pub(super) async fn post_with(&self, path: &str, more: &[&str], body: &str) -> Answer {
        let head = self.head("POST", path, more);
        let length = body.len();
        self.send(&format!("{head}Content-Length: {length}\r\n\r\n{body}"))
            .await
    }

    /// Sends bytes and reads all that comes.
    pub(super) async fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // An endpoint that refuses early may close before it has read everything.
        let _ = stream.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        Answer::read(&String::from_utf8(answer).unwrap())
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Self {
            status: status.unwrap_or_else(|| panic!("no answer: {text:?}")),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    /// A header by its name in small letters.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The code of an error, which must have a message and an advice.
    pub(super) fn error(&self) -> String {
        let error = &self.json()["error"];
        for name in ["message", "advice"] {
            assert!(
                error[name].as_str().is_some_and(|text| text.len() > 5),
                "{self:?}"
            );
        }
        error["code"].as_str().unwrap().to_owned()
    }
}

fn page(path: &str) -> Option<Page> {
    (path == "/").then_some(Page {
        content_type: "text/html",
        body: b"<!doctype html>",
    })
}
