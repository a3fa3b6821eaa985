//! Nobody can take more of the process than the limits allow.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use std::time::Duration;

use projectionist_admin_api::{AdminConfig, AdminLimits};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Notify;

use super::ask::Endpoint;

async fn with(limits: AdminLimits) -> Endpoint {
    let mut config = AdminConfig::at("127.0.0.1:0".parse().unwrap());
    config.limits = limits;
    Endpoint::with(config).await
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_refused_and_not_read() {
    let endpoint = with(AdminLimits {
        body_bytes: 1_000,
        ..AdminLimits::default()
    })
    .await;
    let path = "/api/projections/orders/all/skip";
    let body = |length: usize| format!(r#"{{"at": "{}"}}"#, "9".repeat(length));
    assert_eq!(endpoint.post(path, &body(900)).await.status, 200);
    let refused = endpoint.post(path, &body(1_000)).await;
    assert_eq!((refused.status, &*refused.error()), (413, "too_large"));
    assert_eq!(endpoint.desk.calls().len(), 1);
}

#[tokio::test]
async fn a_connection_beyond_the_limit_waits_until_another_one_ends() {
    let endpoint = with(AdminLimits {
        connections: 2,
        ..AdminLimits::default()
    })
    .await;
    let connect = || TcpStream::connect(endpoint.address);
    let ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = connect().await.unwrap();
        stream.write_all(ask.as_bytes()).await.unwrap();
        assert_ne!(stream.read(&mut [0; 64]).await.unwrap(), 0);
        open.push(stream);
    }
    // The system takes the connection; the endpoint does not answer it.
    let mut third = connect().await.unwrap();
    third.write_all(ask.as_bytes()).await.unwrap();
    let mut answer = [0; 64];
    let waited = tokio::time::timeout(Duration::from_millis(100), third.read(&mut answer)).await;
    assert!(waited.is_err(), "it was answered");
    open.pop();
    assert_ne!(third.read(&mut answer).await.unwrap(), 0);
    assert!(answer.starts_with(b"HTTP/1.1 200"));
}

#[tokio::test]
async fn a_head_that_does_not_come_and_an_idle_connection_are_given_up() {
    let endpoint = with(AdminLimits {
        head: Duration::from_millis(50),
        ..AdminLimits::default()
    })
    .await;
    for begun in [
        "",
        "GET /healthz HTT",
        "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(endpoint.address).await.unwrap();
        stream.write_all(begun.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        // Ends only when the endpoint closes the connection.
        let ended = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut answer));
        assert!(ended.await.is_ok(), "{begun:?} stays open");
    }
}

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up_and_says_so() {
    static NEVER: Notify = Notify::const_new();
    let endpoint = with(AdminLimits {
        answer: Duration::from_millis(50),
        ..AdminLimits::default()
    })
    .await;
    *endpoint.desk.slow.lock().unwrap() = Some(&NEVER);
    let path = "/api/projections/orders/all/pause";
    let late = endpoint.post(path, "{}").await;
    assert_eq!((late.status, &*late.error()), (504, "timed_out"));
}

#[tokio::test]
async fn a_body_that_does_not_come_is_given_up() {
    let endpoint = with(AdminLimits {
        answer: Duration::from_millis(50),
        ..AdminLimits::default()
    })
    .await;
    let more = [
        "Content-Type: application/json",
        "X-Projectionist: 1",
        "Content-Length: 10",
    ];
    let head = endpoint.head("POST", "/api/projections/orders/all/pause", &more);
    let late = endpoint.send(&format!("{head}\r\n{{")).await;
    assert_eq!(late.status, 504);
    assert_eq!(endpoint.desk.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn an_endpoint_that_stops_ends_open_answers_and_idle_connections() {
    static LATER: Notify = Notify::const_new();
    let endpoint = Endpoint::open().await;
    let idle = TcpStream::connect(endpoint.address).await.unwrap();
    *endpoint.desk.slow.lock().unwrap() = Some(&LATER);
    let mut open = TcpStream::connect(endpoint.address).await.unwrap();
    let more = [
        "Content-Type: application/json",
        "X-Projectionist: 1",
        "Content-Length: 2",
    ];
    let head = endpoint.head("POST", "/api/projections/orders/all/pause", &more);
    open.write_all(format!("{head}\r\n{{}}").as_bytes())
        .await
        .unwrap();
    while endpoint.desk.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    let stopped = tokio::spawn(endpoint.stop());
    LATER.notify_one();
    let mut answer = String::new();
    open.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    stopped.await.unwrap();
    drop(idle);
}
