//! The token stands in no answer and in no log.

use std::io::Write;
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

use super::ask::{Endpoint, TOKEN};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(|e| e.into_inner())
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[tokio::test]
async fn the_token_stands_in_no_answer_and_in_no_log() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(log.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    tracing::trace!("the log is read");
    let endpoint = Endpoint::with_token().await;
    let right = format!("Authorization: Bearer {TOKEN}");
    let nearly = format!("Authorization: Bearer {TOKEN}x");
    let mut heard = String::new();
    for path in [
        "/",
        "/api/projections",
        "/api/openapi.json",
        "/metrics",
        "/readyz",
        "/nothing",
    ] {
        for header in [&right, &nearly] {
            heard.push_str(&format!("{:?}", endpoint.get(path, &[header]).await));
        }
    }
    let path = "/api/projections/orders/all/pause";
    let usual = [
        "Content-Type: application/json",
        "X-Projectionist: 1",
        &right,
    ];
    heard.push_str(&format!(
        "{:?}",
        endpoint.post_with(path, &usual, "{}").await
    ));
    heard.push_str(&format!(
        "{:?}",
        endpoint.post_with(path, &usual, "{").await
    ));
    assert!(heard.len() > 1_000);
    assert!(!heard.contains(TOKEN), "{heard}");
    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(logged.contains("the log is read"));
    assert!(!logged.contains(TOKEN), "{logged}");
}
