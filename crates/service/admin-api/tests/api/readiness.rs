//! Whether the process is called ready, and why not.

use std::sync::atomic::Ordering;

use projectionist_admin_api::view::State;

use super::ask::Endpoint;

#[tokio::test]
async fn a_lane_that_does_not_move_makes_it_red_with_the_reason() {
    for (state, is_ready) in [
        (State::Starting, true),
        (State::StandingBy, true),
        (State::Running, true),
        (State::Idle, true),
        (State::Paused, true),
        (State::Completed, true),
        (State::Stopped, true),
        (State::NotDeclared, true),
        (State::Blocked, false),
        (State::Retrying, false),
        (State::Restarting, false),
        (State::Failed, false),
    ] {
        let endpoint = Endpoint::open().await;
        *endpoint.desk.second.lock().unwrap() = Some(state);
        let answer = endpoint.get("/readyz", &[]).await;
        let body = answer.json();
        assert_eq!(answer.status, if is_ready { 200 } else { 503 }, "{state:?}");
        assert_eq!(body["ready"], is_ready, "{state:?}");
        let reasons = body["reasons"].as_array().unwrap();
        assert_eq!(reasons.is_empty(), is_ready);
        if let [reason] = &reasons[..] {
            assert_eq!(reason["name"], "with/slash and ü");
            assert_eq!(reason["key"], "all");
        }
        if state.is_stalled() {
            assert_eq!(reasons[0]["reason"], "the table is gone");
        }
    }
}

#[tokio::test]
async fn a_store_that_is_away_makes_it_red_but_the_process_lives() {
    let endpoint = Endpoint::open().await;
    endpoint.desk.is_away.store(true, Ordering::SeqCst);
    let answer = endpoint.get("/readyz", &[]).await;
    assert!(answer.status >= 400, "{answer:?}");
    assert!(answer.body.contains("the store is away"), "{answer:?}");
    assert_eq!(endpoint.get("/healthz", &[]).await.status, 200);
}
