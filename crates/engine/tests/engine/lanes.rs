//! A projection over a source whose lanes come and go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::store::Verb;
use crate::common::{SteeredStore, applied, millis, no_restart, numbers, secs, steady_restarts};
use futures::future::FutureExt;
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_core::{Epoch, LaneState, ProjectionId};
use projectionist_engine::{
    AtLeastOnce, Completion, LanePhase, LaneReport, LanedProjection, LanedProjectionHandle,
    LanedStatus, Projection, ProjectionRuntime, ProjectionStatus, RestartBackoff,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{
    Handover, Recorder, RecordingHandler, TestClock, TestLaneGroup, TestLanes, TestSource,
    eventually, pass,
};

/// One process that reads lanes, with a recorder for each lane.
struct Reader {
    store: SteeredStore,
    recorders: Arc<Mutex<BTreeMap<String, Recorder<u64>>>>,
    restart: RestartBackoff,
}

impl Reader {
    fn new() -> Self {
        let clock = TestClock::new();
        Self::over(MemoryStore::with_clock(Arc::new(clock)))
    }

    fn over(store: MemoryStore) -> Self {
        Self {
            store: SteeredStore::over(store),
            recorders: Arc::default(),
            restart: steady_restarts(),
        }
    }

    fn beside(&self) -> Self {
        Self::over(self.store.inner.clone())
    }

    fn recorder(&self, key: &str) -> Recorder<u64> {
        let mut recorders = self.recorders.lock().unwrap();
        recorders.entry(key.to_owned()).or_default().clone()
    }

    fn template(
        &self,
    ) -> impl Fn(ProjectionId, TestSource<u64>) -> Lane + Send + Sync + Clone + 'static + use<>
    {
        let (store, recorders) = (self.store.clone(), Arc::clone(&self.recorders));
        let restart = self.restart;
        move |id, provider| {
            let mut recorders = recorders.lock().unwrap();
            let recorder = recorders.entry(id.key().to_owned()).or_default().clone();
            let factory: Factory = Box::new(move || recorder.handler());
            Projection::at_least_once(id, provider, store.clone(), factory).with_restart(restart)
        }
    }

    fn spawn(&self, lanes: &TestLanes<u64>) -> LanedProjectionHandle {
        self.spawn_in(lanes, Mode::Live)
    }

    fn spawn_in(&self, lanes: &TestLanes<u64>, mode: Mode) -> LanedProjectionHandle {
        LanedProjection::new("orders", lanes.clone(), self.store.clone(), self.template())
            .with_mode(mode)
            .with_restart(steady_restarts())
            .spawn(&ProjectionRuntime::new())
            .unwrap()
    }

    async fn row(&self, key: &str) -> LaneState {
        let row = self.store.inner.lane(&id(key)).await.unwrap();
        row.unwrap_or_default()
    }

    async fn stored(&self, key: &str) -> Option<u64> {
        let offset = self.row(key).await.offset;
        offset.map(|offset| offset.text.parse().unwrap())
    }
}

type Factory = Box<dyn Fn() -> RecordingHandler<u64> + Send + Sync>;
type Lane = Projection<TestSource<u64>, SteeredStore, AtLeastOnce<Factory>>;

fn id(key: &str) -> ProjectionId {
    ProjectionId::new("orders", key).unwrap()
}

fn push(lanes: &TestLanes<u64>, key: &str, events: impl IntoIterator<Item = u64>) {
    let lane = lanes.lane(key);
    events.into_iter().for_each(|event| lane.push(event));
}

/// Waits until the handle tells of lanes in these phases.
async fn are(handle: &LanedProjectionHandle, phases: &[(&str, LanePhase)]) {
    let wanted: Vec<_> = phases.iter().map(|(key, phase)| (*key, *phase)).collect();
    let phase = |lane: &LaneReport| (lane.id.key().to_owned(), lane.phase);
    let mut receiver = handle.receiver();
    let waited = receiver.wait_for(|_, lanes| {
        let phases: Vec<_> = lanes.iter().map(phase).collect();
        let phases: Vec<_> = phases.iter().map(|(key, p)| (key.as_str(), *p)).collect();
        phases == wanted
    });
    tokio::time::timeout(secs(60), waited)
        .await
        .unwrap_or_else(|_| panic!("{:?}, not {wanted:?}", handle.lanes()));
}

#[tokio::test(start_paused = true)]
async fn every_assigned_lane_is_read_from_its_own_offset() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    let handle = reader.spawn(&lanes);
    are(&handle, &[]).await;
    push(&lanes, "a", 1..=5);
    push(&lanes, "b", 1..=3);
    lanes.assign("a");
    reader.recorder("a").has_handled(5).await;
    lanes.assign("b");
    reader.recorder("b").has_handled(3).await;
    are(
        &handle,
        &[("a", LanePhase::Assigned), ("b", LanePhase::Assigned)],
    )
    .await;
    assert_eq!(handle.instance("b").unwrap().id(), &id("b"));
    assert!(handle.instance("c").is_none());
    assert_eq!(handle.stop_and_wait().await.unwrap(), Completion::Stopped);
    for (key, last) in [("a", 5), ("b", 3)] {
        assert_eq!(reader.recorder(key).handled(), numbers(last));
        let row = reader.row(key).await;
        assert_eq!((row.counters, row.holder), (applied(last), None));
    }
    // The next run is told of them again, and goes on behind what is stored.
    push(&lanes, "b", [4]);
    let handle = reader.spawn(&lanes);
    reader.recorder("b").has_handled(4).await;
    handle.stop_and_wait().await.unwrap();
    assert_eq!(reader.recorder("b").handled(), numbers(4));
    assert_eq!(lanes.lane("a").opened_behind(), [None, Some(5)]);
}

#[tokio::test(start_paused = true)]
async fn a_moved_lane_goes_on_where_it_was_committed() {
    let group = TestLaneGroup::new(2, ["a"]);
    let (here, there) = {
        let here = Reader::new();
        let there = here.beside();
        (here, there)
    };
    (1..=7).for_each(|event| group.lane("a").push(event));
    here.recorder("a").hold_at(7);
    let first = here.spawn(&group.member(0));
    let second = there.spawn(&group.member(1));
    here.recorder("a").has_called("process 7", 1).await;
    let moved = tokio::spawn(group.move_lane("a", 1, secs(5)));
    are(&first, &[("a", LanePhase::Draining)]).await;
    pass(secs(1)).await;
    assert_eq!(group.holder("a"), None, "what is in flight is waited for");
    here.recorder("a").release(7);
    assert_eq!(moved.await.unwrap(), Handover::Released);
    (8..=9).for_each(|event| group.lane("a").push(event));
    there.recorder("a").has_handled(2).await;
    assert_eq!(here.recorder("a").handled(), numbers(7));
    assert_eq!(there.recorder("a").handled(), [8, 9]);
    are(&first, &[]).await;
    // The claim was given back: the second epoch did not wait for the first to end.
    assert_eq!(there.row("a").await.epoch, Epoch(2));
    assert_eq!(group.lane("a").opened_behind(), [None, Some(7)]);
    first.stop_and_wait().await.unwrap();
    second.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_is_not_finished_at_the_deadline_is_dropped_and_commits_nothing() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    push(&lanes, "a", 1..=4);
    push(&lanes, "b", 1..=4);
    lanes.assign("a");
    lanes.assign("b");
    reader.recorder("a").hold_at(4);
    let handle = reader.spawn(&lanes);
    reader.recorder("a").has_called("process 4", 1).await;
    reader.recorder("b").has_handled(4).await;
    pass(secs(2)).await;
    assert_eq!(reader.stored("a").await, Some(3));
    let mut released = Box::pin(lanes.revoke("a", secs(3)));
    pass(secs(3) - millis(1)).await;
    assert!((&mut released).now_or_never().is_none());
    pass(millis(2)).await;
    assert!((&mut released).now_or_never().is_some(), "given up");
    are(&handle, &[("b", LanePhase::Assigned)]).await;
    reader.recorder("a").release(4);
    pass(secs(60)).await;
    assert_eq!(reader.recorder("a").handled(), numbers(3), "it was dropped");
    let row = reader.row("a").await;
    assert_eq!(row.counters, applied(3));
    assert_eq!(row.holder, None, "the claim is given up");
    push(&lanes, "b", [5]);
    reader.recorder("b").has_handled(5).await;
    handle.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_keeps_no_lane_beyond_its_deadline() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    push(&lanes, "a", 1..=4);
    lanes.assign("a");
    reader.store.hold(Verb::Commit);
    let handle = reader.spawn(&lanes);
    reader.recorder("a").has_handled(4).await;
    let mut released = Box::pin(lanes.revoke("a", secs(3)));
    pass(secs(3) + millis(1)).await;
    assert!((&mut released).now_or_never().is_some(), "given up");
    reader.store.let_go(Verb::Commit);
    pass(secs(60)).await;
    assert_eq!(reader.stored("a").await, None, "nothing was committed late");
    handle.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_a_lost_lane_nothing_more_is_committed() {
    for hangs in [false, true] {
        let (reader, lanes) = (Reader::new(), TestLanes::new());
        push(&lanes, "a", 1..=4);
        lanes.assign("a");
        if hangs {
            reader.recorder("a").hold_at(4);
        } else {
            reader.store.hold(Verb::Commit);
        }
        let handle = reader.spawn(&lanes);
        reader.recorder("a").has_called("process 4", 1).await;
        // Not saved yet: the first save follows half a second after the first event.
        assert_eq!(reader.stored("a").await, None);
        lanes.lose("a");
        are(&handle, &[]).await;
        reader.store.let_go(Verb::Commit);
        pass(secs(60)).await;
        assert_eq!(reader.stored("a").await, None);
        assert_eq!(reader.row("a").await.counters, applied(0));
        let handled = numbers(if hangs { 3 } else { 4 });
        assert_eq!(reader.recorder("a").handled(), handled);
        // Another assignment begins anew, behind what was committed.
        reader.recorder("a").release(4);
        lanes.assign("a");
        reader.recorder("a").has_handled(handled.len() + 4).await;
        handle.stop_and_wait().await.unwrap();
        assert_eq!(reader.stored("a").await, Some(4));
    }
}

#[tokio::test(start_paused = true)]
async fn an_ended_lane_is_read_to_its_end_and_let_go() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    push(&lanes, "a", 1..=4);
    push(&lanes, "b", [1]);
    lanes.assign("a");
    lanes.assign("b");
    reader.recorder("a").hold_at(2);
    let handle = reader.spawn(&lanes);
    reader.recorder("a").has_called("process 2", 1).await;
    lanes.end("a");
    are(
        &handle,
        &[("a", LanePhase::Ending), ("b", LanePhase::Assigned)],
    )
    .await;
    reader.recorder("a").release(2);
    are(&handle, &[("b", LanePhase::Assigned)]).await;
    assert_eq!(reader.recorder("a").handled(), numbers(4));
    let row = reader.row("a").await;
    assert_eq!((row.counters, row.holder), (applied(4), None));
    assert_eq!(lanes.lane("a").opened(), 1, "an end is no failure");
    // One whose stream ends before that is told counts it as a failure first.
    lanes.lane("b").complete();
    eventually("the lane restarts", async || {
        let status = handle.instance("b").map(|one| one.status());
        matches!(status, Some(ProjectionStatus::Restarting { .. }))
    })
    .await;
    let began = tokio::time::Instant::now();
    lanes.end("b");
    are(&handle, &[]).await;
    assert!(began.elapsed() < secs(1), "the backoff is not waited for");
    handle.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn to_the_present_end_it_is_done_when_all_lanes_are() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    for (key, last) in [("a", 4), ("b", 9), ("c", 0)] {
        push(&lanes, key, 1..=last);
        lanes.assign(key);
    }
    reader.recorder("b").hold_at(9);
    let handle = reader.spawn_in(&lanes, Mode::Current);
    reader.recorder("b").has_called("process 9", 1).await;
    pass(secs(5)).await;
    assert!(matches!(handle.status(), LanedStatus::Finishing));
    reader.recorder("b").release(9);
    assert_eq!(handle.wait().await.unwrap(), Completion::Completed);
    assert_eq!(reader.stored("a").await, Some(4));
    assert_eq!(reader.stored("b").await, Some(9));
    // A failed lane does not keep the others from their ends, and is told.
    let mut reader = reader.beside();
    reader.restart = no_restart();
    push(&lanes, "a", 5..=6);
    push(&lanes, "b", 10..=12);
    reader.recorder("a").refuse(6);
    let handle = reader.spawn_in(&lanes, Mode::Current);
    let failure = handle.wait().await.unwrap_err();
    assert_eq!(failure.projections[0].0, id("a"));
    assert_eq!(
        (failure.projections.len(), failure.watch.is_some()),
        (1, false)
    );
    assert_eq!(reader.stored("b").await, Some(12));
    assert_eq!(reader.stored("a").await, Some(5));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_fails_gives_up_all_lanes_and_joins_again() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    push(&lanes, "a", 1..=3);
    lanes.assign("a");
    lanes.fail_next_watch("no coordinator");
    let handle = reader.spawn(&lanes);
    let mut receiver = handle.receiver();
    let restarting = |status: &LanedStatus, _: &[LaneReport]| matches!(status, LanedStatus::Restarting { failures: 1, delay, .. } if *delay == secs(1));
    receiver.wait_for(restarting).await;
    reader.recorder("a").has_handled(3).await;
    reader.recorder("a").hold_at(4);
    push(&lanes, "a", [4]);
    reader.recorder("a").has_called("process 4", 1).await;
    lanes.fail_watch("the session is gone");
    are(&handle, &[("a", LanePhase::Draining)]).await;
    // It is assigned again while the old one drains, which is waited for.
    eventually("it joins again", async || lanes.watched() == 2).await;
    let again = |_: &LanedStatus, lanes: &[LaneReport]| lanes[0].assigned_again;
    handle.receiver().wait_for(again).await;
    reader.recorder("a").release(4);
    push(&lanes, "a", [5]);
    reader.recorder("a").has_handled(5).await;
    assert_eq!(reader.recorder("a").handled(), numbers(5));
    handle.stop_and_wait().await.unwrap();
    assert_eq!(reader.stored("a").await, Some(5));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_fails_for_good_ends_everything_in_order() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    push(&lanes, "a", 1..=3);
    lanes.assign("a");
    let handle = reader.spawn(&lanes);
    reader.recorder("a").has_handled(3).await;
    // A second watch ends the first one for good.
    let other = Reader::new();
    let second = other.spawn(&lanes);
    let failure = handle.wait().await.unwrap_err();
    assert!(failure.watch.is_some() && failure.projections.is_empty());
    assert!(failure.to_string().contains("watched anew"), "{failure}");
    let row = reader.row("a").await;
    assert_eq!((row.counters, row.holder), (applied(3), None));
    second.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_lane_that_fails_for_good_is_seen_and_leaves_the_others_running() {
    let (mut reader, lanes) = (Reader::new(), TestLanes::new());
    reader.restart = no_restart();
    for key in ["a", "b"] {
        push(&lanes, key, 1..=3);
        lanes.assign(key);
    }
    reader.recorder("a").fail_at(2, 1);
    let handle = reader.spawn(&lanes);
    reader.recorder("b").has_handled(3).await;
    let failed = |_: &LanedStatus, lanes: &[LaneReport]| {
        let statuses = lanes.iter().map(|lane| &lane.status);
        statuses.filter(|status| status.is_terminal()).count() == 1
    };
    handle.receiver().wait_for(failed).await;
    push(&lanes, "b", [4]);
    reader.recorder("b").has_handled(4).await;
    assert!(matches!(
        &handle.lanes()[0].status,
        ProjectionStatus::Failed { error } if error.to_string().contains("orders/a")
    ));
    // Taken away it is released at once, and begins anew when it comes back.
    lanes.revoke("a", secs(5)).await;
    are(&handle, &[("b", LanePhase::Assigned)]).await;
    lanes.assign("a");
    reader.recorder("a").has_handled(3).await;
    assert_eq!(handle.stop_and_wait().await.unwrap(), Completion::Stopped);
}

#[tokio::test(start_paused = true)]
async fn a_template_that_panics_or_names_another_lane_fails_that_lane() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    for key in ["a", "b", "c"] {
        push(&lanes, key, [1]);
        lanes.assign(key);
    }
    let template = reader.template();
    let faulty = move |id: ProjectionId, provider| {
        assert_ne!(id.key(), "a", "no such tenant");
        let key = if id.key() == "b" { "x" } else { id.key() };
        let id = ProjectionId::new(id.name(), key).unwrap();
        template(id, provider)
    };
    let handle = LanedProjection::new("orders", lanes.clone(), reader.store.clone(), faulty)
        .spawn(&ProjectionRuntime::new())
        .unwrap();
    reader.recorder("c").has_handled(1).await;
    let failure = handle.stop_and_wait().await.unwrap_err();
    let failed: Vec<_> = failure.projections.iter().map(|(id, _)| id.key()).collect();
    assert_eq!(failed, ["a", "b"]);
    let said = failure.to_string();
    assert!(
        said.contains("no such tenant") && said.contains("makes orders/x"),
        "{said}"
    );
    assert_eq!(reader.recorder("b").calls(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn pausing_all_holds_for_the_lanes_to_come() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    lanes.assign("a");
    let handle = reader.spawn(&lanes);
    reader.recorder("a").has_called("start", 1).await;
    handle.pause_all().await.unwrap();
    let paused = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Paused { .. });
    let both = |_: &LanedStatus, lanes: &[LaneReport]| {
        lanes.len() == 2 && lanes.iter().all(|lane| paused(&lane.status))
    };
    lanes.assign("b");
    handle.receiver().wait_for(both).await;
    push(&lanes, "a", [1]);
    push(&lanes, "b", [1]);
    pass(secs(30)).await;
    assert_eq!(reader.recorder("a").handled(), [0; 0]);
    handle.resume_all().await.unwrap();
    reader.recorder("a").has_handled(1).await;
    reader.recorder("b").has_handled(1).await;
    handle.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_stop_drains_all_lanes_and_a_dropped_handle_stops() {
    for drops in [false, true] {
        let (reader, lanes) = (Reader::new(), TestLanes::new());
        for key in ["a", "b"] {
            push(&lanes, key, 1..=3);
            lanes.assign(key);
            reader.recorder(key).hold_at(3);
        }
        let handle = reader.spawn(&lanes);
        for key in ["a", "b"] {
            reader.recorder(key).has_called("process 3", 1).await;
        }
        let mut receiver = handle.receiver();
        if drops {
            drop(handle);
        } else {
            handle.stop();
        }
        pass(Duration::from_millis(10)).await;
        reader.recorder("a").release(3);
        reader.recorder("b").release(3);
        let ended = receiver.wait_for(|_, _| false).await;
        assert!(matches!(ended, LanedStatus::Stopped), "{ended:?}");
        for key in ["a", "b"] {
            let row = reader.row(key).await;
            assert_eq!((row.counters, row.holder), (applied(3), None));
        }
    }
}

#[tokio::test]
async fn a_name_that_no_projection_can_have_is_refused() {
    let (reader, lanes) = (Reader::new(), TestLanes::new());
    let blank = LanedProjection::new(" ", lanes, reader.store.clone(), reader.template());
    assert!(blank.spawn(&ProjectionRuntime::new()).is_err());
}
