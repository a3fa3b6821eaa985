//! What the owners of lanes say of themselves, and all lanes at once.

use std::time::Duration;

use projectionist_core::contract::{ManagementStore, OffsetStore, OwnerReportStore};
use projectionist_core::{
    ClaimOutcome, ClaimRequest, Clock, Commit, Error, ErrorClass, FailingEnvelope,
    ManagementCommand, Offset, OwnerReport, OwnerState, Pace, ProcessIdentity, ProjectionId,
    ReportedError, SetPause, StoredOwnerReport, Take, Timestamp,
};

use crate::OffsetStoreHarness;
use crate::steps::{TTL, lane, lane_named, owner, reset, row, steal, step, take};

/// A report that leaves out all that can be left out.
fn plain(state: OwnerState, reason: &str) -> OwnerReport {
    OwnerReport {
        state,
        reason: reason.to_owned(),
        since: Timestamp::from_unix_millis(1_719_331_200_123),
        told_at: Timestamp::from_unix_millis(1_719_331_200_456),
        lag_events: None,
        lag: None,
        failing: None,
        last_error: None,
        restarts: 0,
        pace: None,
    }
}

/// A report with all of it, whose texts are hostile.
fn full(state: OwnerState) -> OwnerReport {
    let hostile = "it's \"so\"; -- %20 \\ \n \u{1f600}";
    let offset = |text: &str| Offset {
        manifest: "m'1 %20".into(),
        text: format!("{text} {hostile}"),
    };
    OwnerReport {
        lag_events: Some(9_007_199_254_740_993),
        lag: Some(Duration::from_millis(86_400_001)),
        failing: Some(FailingEnvelope {
            offset: offset("failing"),
            attempts: u32::MAX,
        }),
        last_error: Some(ReportedError {
            text: hostile.to_owned(),
            class: ErrorClass::Outage,
            offset: Some(offset("blamed")),
            since: Timestamp::from_unix_millis(-1),
        }),
        restarts: 7,
        pace: Some(Pace {
            events: 12_345,
            within: Duration::from_millis(1_001),
        }),
        ..plain(state, hostile)
    }
}

/// What is kept of a lane that was claimed.
async fn said<S: OwnerReportStore>(store: &S, lane: &ProjectionId) -> Option<StoredOwnerReport> {
    let survey = store.survey().await.unwrap();
    let mut lanes = survey.lanes.into_iter();
    lanes.find(|one| one.id == *lane).unwrap().report
}

/// S-REPORT-1: every state, and every part that may be missing.
pub async fn a_report_reads_back_as_written<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let mut owner = owner("web 1 at 5%");
    owner.process = Some(ProcessIdentity {
        boot_id: "boot".to_owned(),
        pid_namespace: "4026531836".to_owned(),
        pid: 7,
        start_ticks: 99,
    });
    let request = ClaimRequest {
        lane: lane(),
        owner: owner.clone(),
        ttl: TTL,
        take: Take::Free,
    };
    let ClaimOutcome::Granted { claim, .. } = store.claim(&request).await.unwrap() else {
        panic!("the lane is free");
    };
    assert_eq!(said(&second, &lane()).await, None);
    let blameless = |report: OwnerReport| OwnerReport {
        last_error: report.last_error.map(|error| ReportedError {
            offset: None,
            ..error
        }),
        ..report
    };
    for state in OwnerState::ALL {
        for report in [full(state), plain(state, ""), blameless(full(state))] {
            store.keep_report(&claim, &report).await.unwrap();
            let expected = StoredOwnerReport {
                owner: owner.clone(),
                epoch: claim.epoch,
                report,
            };
            assert_eq!(said(&second, &lane()).await, Some(expected));
        }
    }
}

/// S-REPORT-2: a superseded claim, one of a lane that was never claimed, and one that was released.
pub async fn only_the_last_claim_says_something<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let first = take(&store, &lane(), "one").await;
    let running = plain(OwnerState::Running, "one");
    store.keep_report(&first, &running).await.unwrap();
    let next = steal(&second, &first, "two").await;
    let successor = plain(OwnerState::Running, "two");
    for told in [false, true] {
        if told {
            second.keep_report(&next, &successor).await.unwrap();
        }
        let late = plain(OwnerState::Stopped, "late");
        let error = store.keep_report(&first, &late).await.unwrap_err();
        assert!(
            matches!(&error, Error::Fenced { epoch, current, .. }
                if (*epoch, *current) == (first.epoch, next.epoch)),
            "{error}"
        );
        let said = said(&store, &lane()).await.unwrap();
        let expected = if told { "two" } else { "one" };
        assert_eq!(said.report.reason, expected);
    }
    second.release(&next).await.unwrap();
    let last = plain(OwnerState::Stopped, "the last word");
    second.keep_report(&next, &last).await.unwrap();
    assert_eq!(said(&store, &lane()).await.unwrap().report, last);
    let mut nobody = next.clone();
    nobody.lane = lane_named("orders", "never");
    let error = store.keep_report(&nobody, &last).await.unwrap_err();
    assert!(matches!(error, Error::Fenced { .. }), "{error}");
    assert_eq!(store.survey().await.unwrap().lanes.len(), 1);
}

/// S-REPORT-3: neither moves the other.
pub async fn reports_and_progress_are_apart<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    store.commit(&claim, &step(None, "1")).await.unwrap();
    let before = row(&store, &lane()).await;
    harness.clock().advance(Duration::from_secs(1));
    let report = full(OwnerState::Retrying);
    store.keep_report(&claim, &report).await.unwrap();
    assert_eq!(row(&store, &lane()).await, before);
    let kept = said(&store, &lane()).await;
    let commits = [
        step(Some("1"), "2"),
        reset(Some("2"), None),
        Commit::default(),
    ];
    for commit in commits {
        store.commit(&claim, &commit).await.unwrap();
    }
    store.renew(&claim, TTL).await.unwrap();
    store.release(&claim).await.unwrap();
    take(&store, &lane(), "two").await;
    assert_eq!(said(&store, &lane()).await, kept);
}

/// S-REPORT-4: lanes with their rows, flags that are set, requests without an answer.
pub async fn a_survey_tells_all_that_is_kept<H: OffsetStoreHarness>(harness: H) {
    let (store, second) = (harness.store(), harness.second_handle().await);
    let empty = second.survey().await.unwrap();
    assert_eq!((empty.lanes.len(), empty.pauses.len()), (0, 0));
    assert_eq!(empty.requests, []);
    let addresses = [("b", "2"), ("a", "x"), ("b", "1"), ("a b", "x")];
    for (name, key) in addresses {
        let claim = take(&store, &lane_named(name, key), "one").await;
        store.commit(&claim, &step(None, key)).await.unwrap();
        if key == "1" {
            store
                .keep_report(&claim, &full(OwnerState::Idle))
                .await
                .unwrap();
        }
    }
    harness.clock().advance(Duration::from_secs(1));
    let since = harness.clock().now();
    for (name, key, paused) in [
        ("b", Some("2"), true),
        ("never", Some("k"), true),
        ("never", None, true),
        ("a", None, false),
    ] {
        store.set_paused(name, key, paused).await.unwrap();
    }
    let retry = ManagementCommand::RetryParked { key: None };
    let mut asked = Vec::new();
    for (name, key) in [("b", "1"), ("never", "k"), ("a", "x"), ("b", "1")] {
        let lane = lane_named(name, key);
        let id = store.request(&lane, &retry).await.unwrap();
        asked.push((lane, id));
    }
    let (_, withdrawn) = asked.remove(2);
    assert!(store.withdraw(withdrawn).await.unwrap());

    let survey = second.survey().await.unwrap();
    let rows: Vec<_> = survey
        .lanes
        .iter()
        .map(|lane| (lane.id.clone(), lane.row.clone()))
        .collect();
    assert_eq!(rows, store.lanes().await.unwrap());
    let told = survey.lanes.iter().filter(|lane| lane.report.is_some());
    let told: Vec<&ProjectionId> = told.map(|lane| &lane.id).collect();
    assert_eq!(told, [&lane_named("b", "1")]);
    let pause = |name: &str, key: Option<&str>| SetPause {
        name: name.to_owned(),
        key: key.map(ToOwned::to_owned),
        since,
    };
    let pauses = [
        pause("b", Some("2")),
        pause("never", None),
        pause("never", Some("k")),
    ];
    assert_eq!(survey.pauses, pauses);
    let listed = survey.requests.iter();
    let listed: Vec<_> = listed
        .map(|(lane, request)| (lane.clone(), request.id))
        .collect();
    assert_eq!(listed, asked);
    assert!(
        survey
            .requests
            .iter()
            .all(|(_, request)| request.command == retry)
    );
}

/// S-REPORT-1, S-DURABLE-1.
pub async fn a_report_outlives_the_store<H: OffsetStoreHarness>(harness: H) {
    let store = harness.store();
    let claim = take(&store, &lane(), "one").await;
    store
        .keep_report(&claim, &full(OwnerState::Failed))
        .await
        .unwrap();
    let before = store.survey().await.unwrap();
    drop(store);
    let harness = harness.reopen().await.unwrap();
    assert_eq!(harness.store().survey().await.unwrap(), before);
}
