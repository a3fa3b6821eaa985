//! What is posted reaches the desk as it was meant, or is refused with the reason.

use std::sync::atomic::Ordering;

use super::ask::Endpoint;

#[tokio::test]
async fn every_command_reaches_the_desk_with_its_words() {
    let endpoint = Endpoint::open().await;
    endpoint.desk.rebuilds.store(true, Ordering::SeqCst);
    let second = "with%2Fslash%20and%20%C3%BC";
    let orders = "/api/projections/orders/all";
    for (path, body, call) in [
        (&*format!("{orders}/pause"), "{}", "pause orders all Lane"),
        (
            &format!("{orders}/resume"),
            r#"{"scope": "all_lanes"}"#,
            "resume orders all AllLanes",
        ),
        (
            &format!("/api/projections/{second}/all/pause"),
            "{}",
            "pause with/slash and ü all Lane",
        ),
        (&format!("{orders}/skip"), "{}", "skip orders all None"),
        (
            &format!("{orders}/skip"),
            r#"{"at": "11"}"#,
            r#"skip orders all Some("11")"#,
        ),
        (
            &format!("{orders}/offset/set"),
            r#"{"to": "3"}"#,
            r#"move orders all None Some("3")"#,
        ),
        (
            &format!("{orders}/offset/set"),
            r#"{"to": "3", "expected": "10"}"#,
            r#"move orders all Some(Some("10")) Some("3")"#,
        ),
        (
            &format!("{orders}/offset/clear"),
            "{}",
            "move orders all None None",
        ),
        (
            "/api/dead-letters/replay",
            r#"{"ids": [1, 2]}"#,
            "replay [1, 2] None None false",
        ),
        (
            "/api/dead-letters/replay",
            r#"{"projection": "orders", "force": true}"#,
            r#"replay [] Some("orders") None true"#,
        ),
        (
            "/api/dead-letters/discard",
            r#"{"key": "all"}"#,
            r#"discard [] None Some("all")"#,
        ),
        (
            "/api/rebuilds/orders/start",
            r#"{"keep": true}"#,
            "start orders keep=true",
        ),
        ("/api/rebuilds/orders/abort", "{}", "abort orders"),
        ("/api/rebuilds/orders/revert", "{}", "revert orders"),
    ] {
        let answer = endpoint.post(path, body).await;
        assert_eq!(answer.status, 200, "{path} {answer:?}");
        assert_eq!(endpoint.desk.calls().last().map(String::as_str), Some(call));
    }
}

#[tokio::test]
async fn a_command_that_cannot_be_understood_does_not_reach_the_desk() {
    let endpoint = Endpoint::open().await;
    let too_many = format!(r#"{{"ids": {:?}}}"#, (0..501).collect::<Vec<u64>>());
    for (path, body, status, code) in [
        ("/api/projections/orders/all/pause", "", 400, "bad_request"),
        ("/api/projections/orders/all/pause", "{", 400, "bad_request"),
        (
            "/api/projections/orders/all/pause",
            r#"{"scpoe": "lane"}"#,
            422,
            "unusable",
        ),
        (
            "/api/projections/orders/all/pause",
            r#"{"scope": "all"}"#,
            422,
            "unusable",
        ),
        (
            "/api/projections/orders/all/offset/set",
            "{}",
            422,
            "unusable",
        ),
        (
            "/api/projections/orders/all/offset/clear",
            r#"{"to": "1"}"#,
            422,
            "unusable",
        ),
        ("/api/dead-letters/replay", "{}", 422, "unusable"),
        (
            "/api/dead-letters/replay",
            r#"{"force": true}"#,
            422,
            "unusable",
        ),
        ("/api/dead-letters/discard", "{}", 422, "unusable"),
        ("/api/dead-letters/discard", &too_many, 422, "unusable"),
        ("/api/nothing", "{}", 405, "method_not_allowed"),
        ("/api/projections", "{}", 405, "method_not_allowed"),
        // The desk of this test does not rebuild.
        ("/api/rebuilds/orders/start", "{}", 501, "not_supported"),
    ] {
        let answer = endpoint.post(path, body).await;
        assert_eq!(
            (answer.status, answer.error().as_str()),
            (status, code),
            "{path} {body}"
        );
    }
    assert_eq!(endpoint.desk.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn what_the_desk_refuses_is_answered_in_its_words() {
    let endpoint = Endpoint::open().await;
    let path = "/api/projections/orders/all/skip";
    let answer = endpoint.post(path, r#"{"at": "wrong"}"#).await;
    assert_eq!(answer.status, 409);
    let error = &answer.json()["error"];
    assert_eq!(error["message"], "another one fails");
    assert_eq!(error["advice"], "look again");
}

#[tokio::test]
async fn questions_reach_the_desk_with_their_filters() {
    let endpoint = Endpoint::open().await;
    let path = "/api/dead-letters?projection=orders&key=all&after=9&limit=500";
    assert_eq!(endpoint.get(path, &[]).await.status, 200);
    let call = r#"letters Some("orders") Some("all") Some(9) Some(500)"#;
    assert_eq!(endpoint.desk.calls(), [call]);
    for (path, status) in [
        ("/api/dead-letters?limit=501", 422),
        ("/api/dead-letters?limit=0", 422),
        ("/api/dead-letters?limit=many", 400),
        ("/api/dead-letters?progection=orders", 400),
        ("/api/dead-letters/none", 404),
        ("/api/dead-letters/18", 404),
        ("/api/projections/orders/none", 404),
        ("/api/projections/orders/none/history", 404),
        ("/nothing", 404),
    ] {
        let answer = endpoint.get(path, &[]).await;
        assert_eq!(answer.status, status, "{path}");
        answer.error();
    }
}
