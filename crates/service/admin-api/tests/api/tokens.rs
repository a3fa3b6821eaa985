//! Who is answered where a token is set, and where one must be.

use projectionist_admin_api::{AdminConfig, AdminServer};

use super::ask::{Endpoint, TOKEN};

const GUARDED: [&str; 7] = [
    "/readyz",
    "/metrics",
    "/api/projections",
    "/api/projections/orders/all",
    "/api/history",
    "/api/dead-letters",
    "/api/openapi.json",
];

#[tokio::test]
async fn only_who_knows_the_token_is_answered() {
    let endpoint = Endpoint::with_token().await;
    let right = format!("Authorization: Bearer {TOKEN}");
    for path in GUARDED {
        for wrong in [
            "",
            "Authorization: Bearer",
            "Authorization: Bearer ",
            "Authorization: Basic a-secret-of-the-tests-4711",
            "Authorization: Bearer a-secret-of-the-tests-471",
            "Authorization: Bearer a-secret-of-the-tests-47111",
            "Authorization: a-secret-of-the-tests-4711",
            "Cookie: token=a-secret-of-the-tests-4711",
        ] {
            let answer = endpoint.get(path, &[wrong]).await;
            assert_eq!(
                (answer.status, &*answer.error()),
                (401, "unauthorized"),
                "{path} {wrong}"
            );
        }
        let twice = endpoint.get(path, &[&right, &right]).await;
        assert_eq!(twice.status, 401, "{path}");
        assert_eq!(endpoint.get(path, &[&right]).await.status, 200, "{path}");
        let small = format!("authorization: bearer {TOKEN}");
        assert_eq!(endpoint.get(path, &[&small]).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_command_needs_the_token_too() {
    let endpoint = Endpoint::with_token().await;
    let path = "/api/projections/orders/all/pause";
    assert_eq!(endpoint.post(path, "{}").await.status, 401);
    assert_eq!(endpoint.desk.calls(), Vec::<String>::new());
    let right = format!("Authorization: Bearer {TOKEN}");
    let usual = [
        "Content-Type: application/json",
        "X-Projectionist: 1",
        &right,
    ];
    assert_eq!(endpoint.post_with(path, &usual, "{}").await.status, 200);
    assert_eq!(endpoint.desk.calls().len(), 1);
}

#[tokio::test]
async fn that_the_process_lives_and_the_pages_are_told_to_everybody() {
    let endpoint = Endpoint::with_token().await;
    for path in ["/healthz", "/"] {
        assert_eq!(endpoint.get(path, &[]).await.status, 200, "{path}");
    }
    let answer = endpoint.get("/healthz", &[]).await;
    assert_eq!(answer.body, "ok\n");
}

#[tokio::test]
async fn an_address_that_others_reach_is_not_listened_at_without_a_token() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let config = AdminConfig::at(address.parse().unwrap());
        let refused = AdminServer::bind(config).await.err().unwrap().to_string();
        assert!(refused.contains("--admin-token-file"), "{refused}");
    }
}
