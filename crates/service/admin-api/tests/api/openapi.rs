//! The OpenAPI document names every address, and every answer is as it says.
//!
//! The document is made by the table that routes requests, so an address cannot be missing in it;
//! what can be wrong is what it says of answers. They are compared by a validator of JSON Schema that
//! shares nothing with the endpoint.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use std::sync::atomic::Ordering;

use projectionist_admin_api::view::State;
use serde_json::{Value, json};

use super::ask::{Answer, Endpoint};

/// A question for each operation: its path in the document, the path that is asked, and the body
/// where it is a command.
const QUESTIONS: [(&str, &str, Option<&str>); 21] = [
    ("/healthz", "/healthz", None),
    ("/readyz", "/readyz", None),
    ("/metrics", "/metrics", None),
    ("/api/openapi.json", "/api/openapi.json", None),
    ("/api/projections", "/api/projections", None),
    (
        "/api/projections/{name}/{key}",
        "/api/projections/orders/all",
        None,
    ),
    ("/api/history", "/api/history?since_ms=0", None),
    (
        "/api/projections/{name}/{key}/history",
        "/api/projections/orders/all/history",
        None,
    ),
    (
        "/api/projections/{name}/{key}/pause",
        "/api/projections/orders/all/pause",
        Some("{}"),
    ),
    (
        "/api/projections/{name}/{key}/resume",
        "/api/projections/orders/all/resume",
        Some("{}"),
    ),
    (
        "/api/projections/{name}/{key}/skip",
        "/api/projections/orders/all/skip",
        Some("{}"),
    ),
    (
        "/api/projections/{name}/{key}/offset/set",
        "/api/projections/orders/all/offset/set",
        Some(r#"{"to": "1"}"#),
    ),
    (
        "/api/projections/{name}/{key}/offset/clear",
        "/api/projections/orders/all/offset/clear",
        Some("{}"),
    ),
    ("/api/dead-letters", "/api/dead-letters", None),
    ("/api/dead-letters/{id}", "/api/dead-letters/17", None),
    (
        "/api/dead-letters/replay",
        "/api/dead-letters/replay",
        Some(r#"{"ids": [17]}"#),
    ),
    (
        "/api/dead-letters/discard",
        "/api/dead-letters/discard",
        Some(r#"{"ids": [17]}"#),
    ),
    ("/api/rebuilds/{name}", "/api/rebuilds/orders", None),
    (
        "/api/rebuilds/{name}/start",
        "/api/rebuilds/orders/start",
        Some("{}"),
    ),
    (
        "/api/rebuilds/{name}/abort",
        "/api/rebuilds/orders/abort",
        Some("{}"),
    ),
    (
        "/api/rebuilds/{name}/revert",
        "/api/rebuilds/orders/revert",
        Some("{}"),
    ),
];

async fn ask(endpoint: &Endpoint, path: &str, body: Option<&str>) -> Answer {
    match body {
        Some(body) => endpoint.post(path, body).await,
        None => endpoint.get(path, &[]).await,
    }
}

/// What is wrong with the body of an answer by what the document says of it.
fn faults(document: &Value, path: &str, method: &str, answer: &Answer) -> Vec<String> {
    let responses = &document["paths"][path][method]["responses"];
    let status = answer.status.to_string();
    let said = responses.get(&status).unwrap_or(&responses["default"]);
    let Some(content) = said["content"].as_object() else {
        return vec![format!("the document says nothing of status {status}")];
    };
    let kind = answer.header("content-type").unwrap_or_default();
    let Some((_, media)) = content.iter().find(|(name, _)| kind.starts_with(&***name)) else {
        return vec![format!("the content type is {kind}")];
    };
    let body = match kind.starts_with("application/json") {
        true => answer.json(),
        false => json!(answer.body),
    };
    let schema = json!({
        "$ref": "#/components/schemas/_asked",
        "components": {
            "schemas": with(&document["components"]["schemas"], media["schema"].clone()),
        },
    });
    let validator = jsonschema::validator_for(&schema).unwrap();
    validator
        .iter_errors(&body)
        .map(|fault| format!("{fault}"))
        .collect()
}

fn with(schemas: &Value, asked: Value) -> Value {
    let mut schemas = schemas.clone();
    schemas["_asked"] = asked;
    schemas
}

#[tokio::test]
async fn every_answer_is_as_the_document_says() {
    for state in [State::Running, State::Retrying, State::Failed] {
        let endpoint = Endpoint::open().await;
        endpoint.desk.rebuilds.store(true, Ordering::SeqCst);
        *endpoint.desk.second.lock().unwrap() = Some(state);
        let document = endpoint.get("/api/openapi.json", &[]).await.json();
        for (described, path, body) in QUESTIONS {
            let method = if body.is_some() { "post" } else { "get" };
            let answer = ask(&endpoint, path, body).await;
            let wanted = if path == "/readyz" && state != State::Running {
                503
            } else {
                200
            };
            assert_eq!(answer.status, wanted, "{path}");
            let faults = faults(&document, described, method, &answer);
            assert_eq!(faults, Vec::<String>::new(), "{path}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn every_error_is_as_the_document_says() {
    let endpoint = Endpoint::open().await;
    let document = endpoint.get("/api/openapi.json", &[]).await.json();
    endpoint.desk.is_away.store(true, Ordering::SeqCst);
    for (described, path, body) in QUESTIONS {
        if ["/healthz", "/metrics", "/api/openapi.json"].contains(&path) {
            continue;
        }
        let method = if body.is_some() { "post" } else { "get" };
        let answer = endpoint
            .send(&match body {
                // A body that says what no command knows.
                Some(_) => {
                    let more = [
                        "Content-Type: application/json",
                        "X-Projectionist: 1",
                        "Content-Length: 9",
                    ];
                    let head = endpoint.head("POST", path, &more);
                    format!("{head}\r\n{{\"no\": 1}}")
                }
                None => {
                    let path = path.replace("/17", "/18").replace("=0", "=x");
                    let path = if path == "/api/dead-letters" {
                        "/api/dead-letters?limit=0"
                    } else {
                        &path
                    };
                    format!("{}\r\n", endpoint.head("GET", path, &[]))
                }
            })
            .await;
        assert!(answer.status >= 400, "{path}: {answer:?}");
        let faults = faults(&document, described, method, &answer);
        assert_eq!(faults, Vec::<String>::new(), "{path}: {answer:?}");
    }
}

#[tokio::test]
async fn the_document_holds_exactly_what_is_asked_here() {
    let document = serde_json::to_value(projectionist_admin_api::server::openapi()).unwrap();
    let mut described = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            described.push((path.clone(), method.clone()));
        }
    }
    let mut asked: Vec<(String, String)> = QUESTIONS
        .iter()
        .map(|(path, _, body)| {
            let method = if body.is_some() { "post" } else { "get" };
            ((*path).to_owned(), method.to_owned())
        })
        .collect();
    described.sort();
    asked.sort();
    assert_eq!(described, asked);
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            assert!(
                operation["summary"].as_str().is_some(),
                "{path}: {operation}"
            );
        }
    }
}
