//! What an overview makes of what a store keeps: whoever knows better than the owner is believed.

use std::time::Duration;

use projectionist_core::contract::{Declaration, StoredDeclaration};
use projectionist_core::{
    Counters, Epoch, ErrorClass, FailingEnvelope, Holder, LaneState, ManagementCommand,
    ManagementRequest, Offset, Owner, OwnerReport, OwnerState, Pace, PauseScope, ProcessIdentity,
    ProjectionId, ReportedError, RequestId, SetPause, StoredOwnerReport, Survey, SurveyedLane,
    Timestamp,
};
use projectionist_engine::claim::process;
use projectionist_engine::{LaneOverview, Liveness, Overview};
use serde_json::json;

use crate::common::secs;

/// The moment at which the overviews are taken, in seconds.
const NOW: i64 = 1_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_unix_millis(seconds * 1_000)
}

fn offset(text: &str) -> Offset {
    Offset {
        manifest: "file".into(),
        text: text.to_owned(),
    }
}

/// An owner of another machine.
fn foreign() -> Owner {
    Owner {
        instance: "web-1".to_owned(),
        process: None,
    }
}

fn local(process: ProcessIdentity) -> Owner {
    Owner {
        instance: "here".to_owned(),
        process: Some(process),
    }
}

fn this_process() -> Owner {
    local(process::current().unwrap())
}

/// A process of this machine that is gone: its id is taken by one that started at another time.
fn dead() -> Owner {
    let process = process::current().unwrap();
    local(ProcessIdentity {
        start_ticks: process.start_ticks + 1,
        ..process
    })
}

fn report(state: OwnerState) -> OwnerReport {
    OwnerReport {
        state,
        reason: format!("it is {}", state.name()),
        since: at(NOW - 60),
        told_at: at(NOW - 10),
        lag_events: Some(7),
        lag: Some(secs(5)),
        failing: None,
        last_error: None,
        restarts: 2,
        pace: Some(Pace {
            events: 300,
            within: secs(2),
        }),
    }
}

fn said(owner: Owner, epoch: u64, state: OwnerState) -> StoredOwnerReport {
    StoredOwnerReport {
        owner,
        epoch: Epoch(epoch),
        report: report(state),
    }
}

fn surveyed(name: &str, key: &str, row: LaneState) -> SurveyedLane {
    SurveyedLane {
        id: ProjectionId::new(name, key).unwrap(),
        row,
        report: None,
    }
}

/// A lane of epoch 3 that `owner` holds until `expires_at`, in seconds.
fn held(owner: Option<Owner>, expires_at: i64, report: Option<StoredOwnerReport>) -> SurveyedLane {
    let row = LaneState {
        offset: Some(offset("12")),
        epoch: Epoch(3),
        holder: owner.map(|owner| Holder {
            owner,
            expires_at: at(expires_at),
        }),
        updated_at: Some(at(NOW - 20)),
        ..LaneState::default()
    };
    SurveyedLane {
        report,
        ..surveyed("orders", "all", row)
    }
}

fn overview(lane: SurveyedLane) -> LaneOverview {
    let survey = Survey {
        lanes: vec![lane],
        ..Survey::default()
    };
    let overview = Overview::of(survey, &[], at(NOW));
    assert_eq!((overview.taken_at, overview.lanes.len()), (at(NOW), 1));
    overview.lanes[0].clone()
}

#[test]
fn a_living_owner_is_believed_and_a_dead_or_silent_one_is_not() {
    let later = NOW + 5;
    for state in [
        OwnerState::Running,
        OwnerState::Paused,
        OwnerState::Retrying,
    ] {
        for (owner, expires_at, words, liveness) in [
            (foreign(), later, state.name(), Liveness::Alive),
            (this_process(), later, state.name(), Liveness::Alive),
            (foreign(), NOW, "silent", Liveness::Silent),
            (this_process(), NOW - 1, "silent", Liveness::Silent),
            (dead(), later, "stopped (died)", Liveness::Dead),
            (dead(), NOW - 1, "stopped (died)", Liveness::Dead),
        ] {
            let stored = said(owner.clone(), 3, state);
            let lane = overview(held(Some(owner.clone()), expires_at, Some(stored)));
            assert_eq!(lane.condition.words(), words, "{owner:?} {state:?}");
            let found = lane.owner.unwrap();
            assert_eq!((found.liveness, found.label), (liveness, owner.label()));
            assert_eq!(found.expires_at, Some(at(expires_at)));
            // Whatever is known better: what it said last is told.
            assert!(lane.reason.contains(&format!("it is {}", state.name())));
            assert_eq!((lane.said, lane.told_at), (Some(state), Some(at(NOW - 10))));
            let rate = (liveness == Liveness::Alive).then_some(150.0);
            assert_eq!(lane.events_per_second, rate);
        }
    }
}

#[test]
fn an_end_is_told_when_nobody_holds_the_lane() {
    for state in [
        OwnerState::Completed,
        OwnerState::Stopped,
        OwnerState::Failed,
    ] {
        // Also when the offset was moved since, under a claim of its own.
        for epoch in [3, 2] {
            let lane = overview(held(None, 0, Some(said(dead(), epoch, state))));
            assert_eq!(lane.condition.words(), state.name());
            assert_eq!((lane.owner, lane.since), (None, Some(at(NOW - 60))));
            assert_eq!(lane.reason, format!("it is {}", state.name()));
        }
    }
    let lane = overview(held(None, 0, None));
    assert_eq!(lane.condition.words(), "stopped");
}

#[test]
fn an_owner_that_went_without_a_word_has_died() {
    for owner in [dead(), foreign()] {
        let stored = said(owner.clone(), 2, OwnerState::Running);
        let lane = overview(held(None, 0, Some(stored)));
        assert_eq!(lane.condition.words(), "stopped (died)");
        assert_eq!(lane.owner.unwrap().liveness, Liveness::Dead);
        assert!(lane.reason.contains(&owner.label()), "{}", lane.reason);
    }
    let stored = said(this_process(), 2, OwnerState::Running);
    let lane = overview(held(None, 0, Some(stored)));
    assert_eq!(lane.condition.words(), "starting");
}

#[test]
fn what_an_earlier_owner_said_is_not_what_this_one_does() {
    let stored = said(foreign(), 2, OwnerState::Failed);
    let lane = overview(held(Some(this_process()), NOW + 5, Some(stored)));
    assert_eq!(lane.condition.words(), "starting");
    assert_eq!(
        (lane.lag_events, lane.lag, lane.failing),
        (None, None, None)
    );
    assert_eq!(lane.events_per_second, None);
    assert_eq!(lane.said, Some(OwnerState::Failed));
}

#[test]
fn a_lag_grows_while_nothing_moves_and_none_stays_none() {
    let lag = |lag: Option<Duration>| {
        let mut stored = said(foreign(), 3, OwnerState::Running);
        stored.report.lag = lag;
        overview(held(Some(foreign()), NOW + 5, Some(stored))).lag
    };
    // It was told ten seconds ago.
    assert_eq!(lag(Some(secs(5))), Some(secs(15)));
    assert_eq!(lag(Some(Duration::ZERO)), Some(Duration::ZERO));
    assert_eq!(lag(None), None);
}

fn declared(name: &str, withdrawn: bool) -> StoredDeclaration {
    StoredDeclaration {
        declaration: Declaration {
            projection: name.to_owned(),
            text: String::new(),
            hash: String::new(),
            version: String::new(),
            origin: String::new(),
        },
        deployed_at: at(0),
        source: None,
        withdrawn,
    }
}

fn set(name: &str, key: Option<&str>, since: i64) -> SetPause {
    SetPause {
        name: name.to_owned(),
        key: key.map(ToOwned::to_owned),
        since: at(since),
    }
}

/// Lanes, flags and requests, of which some have nothing else of their name.
fn everything() -> Survey {
    let free = || LaneState {
        epoch: Epoch(1),
        ..LaneState::default()
    };
    let retry = ManagementCommand::RetryParked { key: None };
    let request = |id| ManagementRequest {
        id: RequestId(id),
        command: retry.clone(),
        requested_at: at(9),
    };
    let asked = ProjectionId::new("asked", "all").unwrap();
    let orders = ProjectionId::new("orders", "1").unwrap();
    let mut runs = held(Some(foreign()), NOW + 5, None);
    runs.id = ProjectionId::new("withdrawn but run", "all").unwrap();
    Survey {
        lanes: vec![
            surveyed("gone", "all", free()),
            surveyed("orders", "1", free()),
            surveyed("orders", "2", free()),
            surveyed("orders2", "1", free()),
            runs,
        ],
        pauses: vec![
            set("early", None, 1),
            set("keyed", None, 2),
            set("keyed", Some("k"), 3),
            set("orders", None, 4),
            set("orders", Some("2"), 5),
        ],
        requests: vec![
            (asked, request(1)),
            (orders.clone(), request(2)),
            (orders, request(3)),
        ],
    }
}

#[test]
fn everything_that_has_a_name_is_told() {
    let declarations = [
        declared("gone", true),
        declared("new", false),
        declared("never run and gone", true),
        declared("orders", false),
        declared("withdrawn but run", true),
    ];
    let overview = Overview::of(everything(), &declarations, at(NOW));
    let told: Vec<_> = overview
        .lanes
        .iter()
        .map(|lane| {
            let pause = lane.pause.map(|pause| (pause.scope, pause.since));
            let key = lane.key.as_deref();
            let words = lane.condition.words();
            (lane.name.as_str(), key, words, pause, lane.requests.len())
        })
        .collect();
    let (own, all) = (PauseScope::Lane, PauseScope::AllLanes);
    let expected = [
        ("asked", Some("all"), "not started", None, 1),
        ("early", None, "not started", Some((all, at(1))), 0),
        ("gone", Some("all"), "not declared", None, 0),
        ("keyed", None, "not started", Some((all, at(2))), 0),
        ("keyed", Some("k"), "not started", Some((own, at(3))), 0),
        ("never run and gone", None, "not declared", None, 0),
        ("new", None, "not started", None, 0),
        ("orders", Some("1"), "stopped", Some((all, at(4))), 2),
        ("orders", Some("2"), "stopped", Some((own, at(5))), 0),
        ("orders2", Some("1"), "stopped", None, 0),
        ("withdrawn but run", Some("all"), "starting", None, 0),
    ];
    assert_eq!(told, expected);
    assert_eq!(overview.lanes_of("orders", None).count(), 2);
    assert_eq!(overview.lanes_of("orders", Some("2")).count(), 1);
    assert_eq!(overview.lanes_of("order", None).count(), 0);
}

/// A lane of which there is everything to tell, and a projection of which there is next to nothing.
fn all_and_nothing() -> Survey {
    let mut stored = said(foreign(), 3, OwnerState::Retrying);
    stored.report.failing = Some(FailingEnvelope {
        offset: offset("13"),
        attempts: 4,
    });
    stored.report.last_error = Some(ReportedError {
        text: "no".to_owned(),
        class: ErrorClass::Outage,
        offset: Some(offset("13")),
        since: at(900),
    });
    let mut lane = held(Some(foreign()), NOW + 5, Some(stored));
    lane.row.replay_until = Some(offset("20"));
    lane.row.counters = Counters {
        read: 12,
        applied: 9,
        dead_lettered: 2,
        parked_total: 3,
        unparked_total: 2,
        malformed: 5,
        ..Counters::ZERO
    };
    let id = lane.id.clone();
    let command = ManagementCommand::Skip { at: offset("13") };
    let request = ManagementRequest {
        id: RequestId(8),
        command,
        requested_at: at(950),
    };
    Survey {
        lanes: vec![lane],
        pauses: vec![set("orders", None, 940), set("waits", None, 941)],
        requests: vec![(id, request)],
    }
}

/// The names are what programs read: this is all of them.
#[test]
fn the_json_has_all_of_it_under_lasting_names() {
    let json = Overview::of(all_and_nothing(), &[], at(NOW)).as_json();
    assert_eq!(json["taken_at"], 1_000_000);
    let expected = json!({
        "key": "all",
        "state": "retrying",
        "reason": "it is retrying",
        "since": 940_000,
        "owner": { "label": "instance web-1", "liveness": "alive", "expires_at": 1_005_000 },
        "epoch": 3,
        "offset": "12",
        "manifest": "file",
        "updated_at": 980_000,
        "replay_until": "20",
        "lag_events": 7,
        "lag_seconds": 15.0,
        "events_per_second": 150.0,
        "counters": {
            "read": 12, "applied": 9, "unmatched": 0, "filtered": 0, "ignored": 0, "stale": 0,
            "skipped": 0, "dead_lettered": 2, "parked": 1, "pending": 0, "folded": 0,
        },
        "malformed": 5,
        "dead_letters": 2,
        "failing": { "offset": "13", "attempts": 4 },
        "last_error": { "text": "no", "class": "outage", "offset": "13", "since": 900_000 },
        "restarts": 2,
        "said": "retrying",
        "told_at": 990_000,
        "paused": { "by": "all lanes", "since": 940_000 },
        "requests": [{ "id": 8, "command": "skip file 13", "requested_at": 950_000 }],
    });
    assert_eq!(json["projections"]["orders"], json!([expected]));
    let waits = &json["projections"]["waits"][0];
    assert_eq!(waits["key"], json!(null));
    assert_eq!(waits["state"], "not started");
    let names = |lane: &serde_json::Value| -> Vec<String> {
        lane.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(names(waits), names(&expected));
}
