//! A foreign name that was led to this machine is not answered.

use super::ask::Endpoint;

#[tokio::test]
async fn a_request_under_a_foreign_name_is_refused_before_the_desk_is_asked() {
    let endpoint = Endpoint::open().await;
    for path in ["/", "/api/projections", "/metrics", "/readyz"] {
        let answer = endpoint.get(path, &["Host: evil.example:9090"]).await;
        assert_eq!(
            (answer.status, &*answer.error()),
            (421, "wrong_host"),
            "{path}"
        );
    }
    let twice = ["Host: localhost", "Host: evil.example"];
    let answer = endpoint.get("/api/projections", &twice).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    let pause = "/api/projections/orders/all/pause";
    let usual = [
        "Host: evil.example",
        "Content-Type: application/json",
        "X-Projectionist: 1",
    ];
    assert_eq!(endpoint.post_with(pause, &usual, "{}").await.status, 421);
    assert_eq!(endpoint.desk.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn localhost_with_any_port_is_this_machine() {
    let endpoint = Endpoint::open().await;
    for host in ["Host: localhost", "Host: localhost:8080", "Host: [::1]:1"] {
        let answer = endpoint.get("/api/projections", &[host]).await;
        assert_eq!(answer.status, 200, "{host}");
    }
}
