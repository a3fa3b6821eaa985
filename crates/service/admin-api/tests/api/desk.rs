//! A desk with two lanes that writes down what it is asked.
#![allow(clippy::unwrap_used, reason = "a helper of tests fails its test")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use projectionist_admin_api::view::{
    CountersView, DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView,
    FailureView, LaneStatus, LetterDone, LettersDone, OffsetView, PauseScope, RebuildPhase,
    RebuildStart, RebuildView, ReplayRequest, State,
};
use projectionist_admin_api::{AdminDesk, AdminError, DeskAnswer};
use tokio::sync::Notify;

#[derive(Default)]
pub(super) struct TestDesk {
    /// How often the lanes were read.
    pub(super) reads: AtomicUsize,
    /// What was asked, in words.
    pub(super) calls: Mutex<Vec<String>>,
    /// What the second lane does; running unless it is set.
    pub(super) second: Mutex<Option<State>>,
    /// Whether reading the lanes fails.
    pub(super) is_away: AtomicBool,
    /// Whether projections can be rebuilt.
    pub(super) rebuilds: AtomicBool,
    /// A pause does not end before this is told.
    pub(super) slow: Mutex<Option<&'static Notify>>,
}

impl TestDesk {
    pub(super) fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn note<T: Send + 'static>(
        &self,
        call: String,
        answer: Result<T, AdminError>,
    ) -> DeskAnswer<'static, T> {
        self.calls.lock().unwrap().push(call);
        Box::pin(async { answer })
    }
}

pub(super) fn offset(text: &str) -> OffsetView {
    OffsetView {
        text: text.to_owned(),
        manifest: "test".to_owned(),
    }
}

fn lane(name: &str, state: State, failure: Option<FailureView>) -> LaneStatus {
    LaneStatus {
        name: name.to_owned(),
        key: "all".to_owned(),
        state,
        reason: failure.as_ref().map(|failure| failure.error.clone()),
        since_ms: Some(1),
        is_here: true,
        owner: Some("process 1".to_owned()),
        epoch: 7,
        offset: Some(offset("10")),
        updated_at_ms: Some(2),
        lag_events: Some(3),
        lag_seconds: Some(0.5),
        counters: CountersView {
            read: 10,
            applied: 10,
            ..CountersView::default()
        },
        failure,
    }
}

pub(super) fn letter(id: u64, event: Option<&str>) -> DeadLetterView {
    DeadLetterView {
        id,
        projection: "orders".to_owned(),
        key: "all".to_owned(),
        offset: "4".to_owned(),
        event_type: Some("PLACED".to_owned()),
        entity: Some("o-1".to_owned()),
        tenant: None,
        sequence: Some(1),
        class: "data".to_owned(),
        error: "does not fit".to_owned(),
        field: Some("total".to_owned()),
        value: Some("four".to_owned()),
        attempts: 1,
        first_failed_at_ms: 1,
        failed_at_ms: 2,
        event: event.map(ToOwned::to_owned),
        event_hex: None,
    }
}

fn done(ids: &[u64]) -> LettersDone {
    let letters = ids.iter().map(|id| LetterDone {
        id: *id,
        outcome: "applied".to_owned(),
        detail: None,
        is_gone: true,
    });
    LettersDone {
        letters: letters.collect(),
        summary: [("applied".to_owned(), ids.len())].into(),
        has_more: false,
    }
}

fn rebuild(name: &str) -> RebuildView {
    RebuildView {
        name: name.to_owned(),
        phase: RebuildPhase::Building,
        read: 5,
        fraction: Some(0.5),
        events_per_second: Some(100.0),
        started_at_ms: Some(1),
        ended_at_ms: None,
        can_be_reverted: false,
        error: None,
    }
}

impl AdminDesk for TestDesk {
    fn lanes(&self) -> DeskAnswer<'_, Vec<LaneStatus>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let second = self.second.lock().unwrap().unwrap_or(State::Running);
        let failure = second.is_stalled().then(|| FailureView {
            error: "the table is gone".to_owned(),
            offset: Some(offset("11")),
            attempts: Some(2),
            next_after_ms: Some(500),
            can_be_skipped: true,
        });
        let lanes = vec![
            lane("orders", State::Idle, None),
            lane("with/slash and ü", second, failure),
        ];
        let answer = match self.is_away.load(Ordering::SeqCst) {
            false => Ok(lanes),
            true => Err(AdminError::conflict("the store is away", "bring it back")),
        };
        Box::pin(async { answer })
    }

    fn pause<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()> {
        let paused = self.note(format!("pause {name} {key} {scope:?}"), Ok(()));
        let slow = *self.slow.lock().unwrap();
        Box::pin(async move {
            if let Some(slow) = slow {
                slow.notified().await;
            }
            paused.await
        })
    }

    fn resume<'a>(&'a self, name: &'a str, key: &'a str, scope: PauseScope) -> DeskAnswer<'a, ()> {
        self.note(format!("resume {name} {key} {scope:?}"), Ok(()))
    }

    fn skip<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        at: Option<&'a str>,
    ) -> DeskAnswer<'a, OffsetView> {
        let answer = match at {
            Some("wrong") => Err(AdminError::conflict("another one fails", "look again")),
            at => Ok(offset(at.unwrap_or("11"))),
        };
        self.note(format!("skip {name} {key} {at:?}"), answer)
    }

    fn move_lane<'a>(
        &'a self,
        name: &'a str,
        key: &'a str,
        expected: Option<Option<&'a str>>,
        to: Option<&'a str>,
    ) -> DeskAnswer<'a, ()> {
        self.note(format!("move {name} {key} {expected:?} {to:?}"), Ok(()))
    }

    fn dead_letters<'a>(&'a self, query: &'a DeadLetterQuery) -> DeskAnswer<'a, DeadLetterPage> {
        let page = DeadLetterPage {
            dead_letters: vec![letter(17, None)],
            more_after: Some(17),
        };
        let DeadLetterQuery {
            projection,
            key,
            after,
            limit,
        } = query;
        self.note(
            format!("letters {projection:?} {key:?} {after:?} {limit:?}"),
            Ok(page),
        )
    }

    fn dead_letter(&self, id: u64) -> DeskAnswer<'_, DeadLetterView> {
        let answer = match id {
            17 => Ok(letter(17, Some("{}"))),
            _ => Err(AdminError::not_found(
                "there is no such letter",
                "list them",
            )),
        };
        self.note(format!("letter {id}"), answer)
    }

    fn replay<'a>(&'a self, request: &'a ReplayRequest) -> DeskAnswer<'a, LettersDone> {
        let ReplayRequest {
            ids,
            projection,
            key,
            force,
        } = request;
        self.note(
            format!("replay {ids:?} {projection:?} {key:?} {force}"),
            Ok(done(ids)),
        )
    }

    fn discard<'a>(&'a self, selection: &'a DeadLetterSelection) -> DeskAnswer<'a, LettersDone> {
        let DeadLetterSelection {
            ids,
            projection,
            key,
        } = selection;
        self.note(
            format!("discard {ids:?} {projection:?} {key:?}"),
            Ok(done(ids)),
        )
    }

    fn rebuilds(&self) -> bool {
        self.rebuilds.load(Ordering::SeqCst)
    }

    fn rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.note(format!("rebuild {name}"), Ok(rebuild(name)))
    }

    fn start_rebuild<'a>(
        &'a self,
        name: &'a str,
        how: &'a RebuildStart,
    ) -> DeskAnswer<'a, RebuildView> {
        self.note(format!("start {name} keep={}", how.keep), Ok(rebuild(name)))
    }

    fn abort_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.note(format!("abort {name}"), Ok(rebuild(name)))
    }

    fn revert_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.note(format!("revert {name}"), Ok(rebuild(name)))
    }
}
