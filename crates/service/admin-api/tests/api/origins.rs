//! Pages of foreign sites cannot make a browser command anything.

use super::ask::Endpoint;

const PAUSE: &str = "/api/projections/orders/all/pause";
const JSON: &str = "Content-Type: application/json";
const OURS: &str = "X-Projectionist: 1";

#[tokio::test]
async fn what_a_foreign_page_can_send_is_refused() {
    let endpoint = Endpoint::open().await;
    for (headers, status, code) in [
        // What a form can send.
        (vec!["Content-Type: text/plain", OURS], 415, "not_json"),
        (
            vec!["Content-Type: application/x-www-form-urlencoded", OURS],
            415,
            "not_json",
        ),
        (
            vec!["Content-Type: application/json-seq", OURS],
            415,
            "not_json",
        ),
        (vec![OURS], 415, "not_json"),
        // What needs no question in advance.
        (vec![JSON], 403, "forbidden"),
        // What browsers say of themselves.
        (
            vec![JSON, OURS, "Origin: https://evil.example"],
            403,
            "forbidden",
        ),
        (vec![JSON, OURS, "Origin: null"], 403, "forbidden"),
        (
            vec![JSON, OURS, "Origin: http://127.0.0.1:1"],
            403,
            "forbidden",
        ),
        (
            vec![JSON, OURS, "Sec-Fetch-Site: cross-site"],
            403,
            "forbidden",
        ),
        (
            vec![JSON, OURS, "Sec-Fetch-Site: same-site"],
            403,
            "forbidden",
        ),
    ] {
        let answer = endpoint.post_with(PAUSE, &headers, "{}").await;
        assert_eq!(
            (answer.status, &*answer.error()),
            (status, code),
            "{headers:?}"
        );
    }
    assert_eq!(endpoint.desk.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn our_own_page_and_programs_that_are_no_browser_may_command() {
    let endpoint = Endpoint::open().await;
    let origin = format!("Origin: http://{}", endpoint.address);
    for headers in [
        vec![JSON, OURS],
        vec![JSON, OURS, &origin, "Sec-Fetch-Site: same-origin"],
        vec!["Content-Type: application/json; charset=utf-8", OURS],
        vec![JSON, OURS, "Sec-Fetch-Site: none"],
    ] {
        let answer = endpoint.post_with(PAUSE, &headers, "{}").await;
        assert_eq!(answer.status, 200, "{headers:?} {answer:?}");
    }
}

#[tokio::test]
async fn no_other_site_is_allowed_to_read() {
    let endpoint = Endpoint::open().await;
    let head = endpoint.head(
        "OPTIONS",
        PAUSE,
        &[
            "Origin: https://evil.example",
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: x-projectionist",
        ],
    );
    let asked = endpoint.send(&format!("{head}\r\n")).await;
    let origin = ["Origin: https://evil.example"];
    let read = endpoint.get("/api/projections", &origin).await;
    for answer in [asked, read] {
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(answer.header("access-control-allow-headers"), None);
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            Some("same-origin")
        );
    }
}

#[tokio::test]
async fn every_answer_says_what_a_page_may_load_and_that_it_is_not_framed() {
    let endpoint = Endpoint::open().await;
    for path in ["/", "/api/projections", "/nothing", "/healthz"] {
        let answer = endpoint.get(path, &[]).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let data = endpoint.get("/api/projections", &[]).await;
    assert_eq!(data.header("cache-control"), Some("no-store"));
}
