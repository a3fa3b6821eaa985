//! A desk that can rebuild, for the buttons that command it: it notes what is asked, and a test says
//! how far the rebuild is.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper of tests fails its test"
)]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use projectionist_admin_api::view::{
    CountersView, DeadLetterPage, DeadLetterQuery, DeadLetterSelection, DeadLetterView, LaneStatus,
    LettersDone, OffsetView, PauseScope, RebuildPhase, RebuildStart, RebuildView, ReplayRequest,
    State,
};
use projectionist_admin_api::{AdminConfig, AdminDesk, AdminError, AdminServer, DeskAnswer, Page};

pub(super) struct RebuildDesk {
    pub(super) calls: Mutex<Vec<String>>,
    pub(super) rebuild: Mutex<RebuildView>,
}

impl RebuildDesk {
    /// Begins to answer; no rebuild is under way.
    pub(super) async fn serve() -> (Arc<Self>, SocketAddr) {
        let desk = Arc::new(Self {
            calls: Mutex::default(),
            rebuild: Mutex::new(RebuildView {
                name: "orders".to_owned(),
                phase: RebuildPhase::None,
                read: 0,
                fraction: None,
                events_per_second: None,
                started_at_ms: None,
                ended_at_ms: None,
                can_be_reverted: false,
                error: None,
            }),
        });
        let config = AdminConfig::at("127.0.0.1:0".parse().unwrap());
        let server = AdminServer::bind(config).await.unwrap();
        let address = server.address();
        let serving = Arc::clone(&desk);
        tokio::spawn(server.serve(serving, None, page, std::future::pending()));
        (desk, address)
    }

    /// Lets the rebuild be so far.
    pub(super) fn set(&self, phase: RebuildPhase, fraction: Option<f64>) {
        let mut rebuild = self.rebuild.lock().unwrap();
        rebuild.phase = phase;
        rebuild.fraction = fraction;
        rebuild.read = 1_234;
        rebuild.started_at_ms = Some(1);
        rebuild.can_be_reverted = phase == RebuildPhase::Done;
    }

    pub(super) fn has_called(&self, call: &str) -> bool {
        self.calls.lock().unwrap().iter().any(|one| one == call)
    }

    fn answer(&self, call: Option<String>) -> DeskAnswer<'static, RebuildView> {
        self.calls.lock().unwrap().extend(call);
        let rebuild = self.rebuild.lock().unwrap().clone();
        Box::pin(async { Ok(rebuild) })
    }
}

fn page(path: &str) -> Option<Page> {
    projectionist_dashboard::asset(path).map(|asset| Page {
        content_type: asset.content_type,
        body: asset.body,
    })
}

fn not_asked<T: Send + 'static>() -> DeskAnswer<'static, T> {
    Box::pin(async { Err(AdminError::conflict("not a part of this test", "leave it")) })
}

impl AdminDesk for RebuildDesk {
    fn lanes(&self) -> DeskAnswer<'_, Vec<LaneStatus>> {
        let lane = LaneStatus {
            name: "orders".to_owned(),
            key: "all".to_owned(),
            state: State::Idle,
            reason: None,
            since_ms: None,
            is_here: true,
            owner: None,
            epoch: 1,
            offset: None,
            updated_at_ms: None,
            lag_events: None,
            lag_seconds: None,
            counters: CountersView::default(),
            failure: None,
        };
        Box::pin(async { Ok(vec![lane]) })
    }

    fn rebuilds(&self) -> bool {
        true
    }

    fn rebuild<'a>(&'a self, _: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.answer(None)
    }

    fn start_rebuild<'a>(
        &'a self,
        name: &'a str,
        how: &'a RebuildStart,
    ) -> DeskAnswer<'a, RebuildView> {
        self.set(RebuildPhase::Building, Some(0.0));
        self.answer(Some(format!("start {name} keep={}", how.keep)))
    }

    fn abort_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.set(RebuildPhase::Aborted, None);
        self.answer(Some(format!("abort {name}")))
    }

    fn revert_rebuild<'a>(&'a self, name: &'a str) -> DeskAnswer<'a, RebuildView> {
        self.set(RebuildPhase::None, None);
        self.answer(Some(format!("revert {name}")))
    }

    fn pause<'a>(&'a self, _: &'a str, _: &'a str, _: PauseScope) -> DeskAnswer<'a, ()> {
        not_asked()
    }

    fn resume<'a>(&'a self, _: &'a str, _: &'a str, _: PauseScope) -> DeskAnswer<'a, ()> {
        not_asked()
    }

    fn skip<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: Option<&'a str>,
    ) -> DeskAnswer<'a, OffsetView> {
        not_asked()
    }

    fn move_lane<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: Option<Option<&'a str>>,
        _: Option<&'a str>,
    ) -> DeskAnswer<'a, ()> {
        not_asked()
    }

    fn dead_letters<'a>(&'a self, _: &'a DeadLetterQuery) -> DeskAnswer<'a, DeadLetterPage> {
        let none = DeadLetterPage {
            dead_letters: Vec::new(),
            more_after: None,
        };
        Box::pin(async { Ok(none) })
    }

    fn dead_letter(&self, _: u64) -> DeskAnswer<'_, DeadLetterView> {
        not_asked()
    }

    fn replay<'a>(&'a self, _: &'a ReplayRequest) -> DeskAnswer<'a, LettersDone> {
        not_asked()
    }

    fn discard<'a>(&'a self, _: &'a DeadLetterSelection) -> DeskAnswer<'a, LettersDone> {
        not_asked()
    }
}
