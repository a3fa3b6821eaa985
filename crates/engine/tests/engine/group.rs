//! Projections that are started and managed together, and run independently.

use std::collections::BTreeMap;

use crate::common::grouped::groups_of;
use crate::common::model::{Model, Tables};
use crate::common::{SteeredStore, no_restart, numbers, secs, steady_restarts};
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_core::{Error, ProjectionId};
use projectionist_engine::{
    AnyProjection, AtLeastOnce, Completion, Projection, ProjectionGroup, ProjectionRuntime,
    ProjectionStatus,
};
use projectionist_testkit::{Recorder, RecordingHandler, TestSource, eventually, pass};

const KEYS: [&str; 3] = ["eu", "us", "asia"];

/// Sources and recorders by key, over one store.
struct World {
    store: SteeredStore,
    parts: BTreeMap<String, (TestSource<u64>, Recorder<u64>)>,
    runtime: ProjectionRuntime,
}

impl World {
    fn new() -> Self {
        let part = |(index, key): (usize, &str)| {
            let last = 5 * (index as u64 + 1);
            let source = TestSource::of(numbers(last));
            (key.to_owned(), (source, Recorder::default()))
        };
        Self {
            store: SteeredStore::default(),
            parts: KEYS.into_iter().enumerate().map(part).collect(),
            runtime: ProjectionRuntime::new(),
        }
    }

    fn recorder(&self, key: &str) -> &Recorder<u64> {
        &self.parts[key].1
    }

    fn source(&self, key: &str) -> &TestSource<u64> {
        &self.parts[key].0
    }

    fn projection(
        &self,
        id: ProjectionId,
    ) -> Projection<
        TestSource<u64>,
        SteeredStore,
        AtLeastOnce<impl Fn() -> RecordingHandler<u64> + Send + Sync + use<>>,
    > {
        let (source, recorder) = self.parts[id.key()].clone();
        let factory = move || recorder.handler();
        Projection::at_least_once(id, source, self.store.clone(), factory)
            .with_restart(steady_restarts())
    }

    fn group<'k>(&self, keys: impl IntoIterator<Item = &'k str>) -> ProjectionGroup {
        ProjectionGroup::for_keys("orders", keys, |id| self.projection(id))
    }

    /// Nothing was started, claimed or kept.
    async fn is_untouched(&self) {
        pass(secs(60)).await;
        for key in KEYS {
            assert_eq!(self.recorder(key).calls(), [""; 0], "{key}");
            assert_eq!(self.source(key).opened(), 0, "{key}");
        }
        assert_eq!(self.store.lanes().await.unwrap(), []);
    }

    async fn all_handled(&self) {
        for (index, key) in KEYS.into_iter().enumerate() {
            self.recorder(key).has_handled(5 * (index + 1)).await;
        }
    }
}

fn id(name: &str, key: &str) -> ProjectionId {
    ProjectionId::new(name, key).unwrap()
}

#[tokio::test(start_paused = true)]
async fn every_key_has_a_lane_of_its_own() {
    let world = World::new();
    let group = world.group(KEYS).spawn(&world.runtime).unwrap();
    let ids: Vec<_> = group.instances().map(|one| one.id().clone()).collect();
    assert_eq!(ids, KEYS.map(|key| id("orders", key)));
    world.all_handled().await;
    assert_eq!(group.stop_and_wait().await.unwrap(), Completion::Stopped);
    for (index, key) in KEYS.into_iter().enumerate() {
        let last = 5 * (index as u64 + 1);
        assert_eq!(world.recorder(key).handled(), numbers(last));
        let lane = world.store.lane(&id("orders", key)).await.unwrap().unwrap();
        assert_eq!(lane.offset.unwrap().text, last.to_string());
        assert_eq!(lane.counters, crate::common::applied(last));
        assert_eq!(lane.holder, None);
    }
    assert!(
        group
            .statuses()
            .iter()
            .all(|(_, status)| matches!(status, ProjectionStatus::Stopped))
    );
    // A group that has ended can be spawned again, and resumes.
    world.source("us").push(11);
    let again = world.group(KEYS).spawn(&world.runtime).unwrap();
    world.recorder("us").has_handled(11).await;
    again.stop_and_wait().await.unwrap();
    assert_eq!(world.recorder("us").handled(), numbers(11));
}

#[tokio::test(start_paused = true)]
async fn a_group_that_cannot_start_as_a_whole_does_not_start_at_all() {
    let world = World::new();
    for (keys, reason) in [
        (["eu", "us", "eu"], "twice"),
        (["eu", " ", "us"], "is blank"),
    ] {
        let error = world.group(keys).spawn(&world.runtime).unwrap_err();
        assert!(matches!(error, Error::Configuration { .. }), "{error:?}");
        assert!(error.to_string().contains(reason), "{error}");
    }
    let other = ProjectionGroup::for_keys("orders", KEYS, |id| {
        let swapped = if id.key() == "us" { "eu" } else { id.key() };
        world.projection(ProjectionId::new(id.name(), swapped).unwrap())
    });
    let error = other.spawn(&world.runtime).unwrap_err();
    assert!(error.to_string().contains("makes orders/eu"), "{error}");
    world.is_untouched().await;

    let alone = world.runtime.spawn(world.projection(id("orders", "asia")));
    let alone = alone.unwrap();
    world.recorder("asia").has_handled(15).await;
    let error = world.group(KEYS).spawn(&world.runtime).unwrap_err();
    assert!(
        matches!(&error, Error::AlreadyRunning(id) if id.key() == "asia"),
        "{error:?}"
    );
    alone.stop_and_wait().await.unwrap();
    assert_eq!(world.source("eu").opened(), 0);
    // Nothing stayed reserved.
    let group = world.group(KEYS).spawn(&world.runtime).unwrap();
    world.all_handled().await;
    let error = world.runtime.spawn(world.projection(id("orders", "eu")));
    assert!(matches!(error, Err(Error::AlreadyRunning(_))));
    group.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_happens_to_one_leaves_its_siblings_running() {
    let world = World::new();
    world.recorder("eu").fail_at(3, 2);
    world.recorder("us").refuse(4);
    let group = ProjectionGroup::for_keys("orders", KEYS, |id| {
        let restarts = match id.key() {
            "us" => no_restart(),
            _ => steady_restarts(),
        };
        world.projection(id).with_restart(restarts)
    });
    let group = group.spawn(&world.runtime).unwrap();
    world.recorder("asia").has_handled(15).await;
    world.recorder("eu").has_handled(5).await;
    let failed = group.instance("us").unwrap();
    assert!(failed.wait().await.is_err());
    world.source("asia").push(16);
    world.source("eu").push(6);
    world.recorder("asia").has_handled(16).await;
    world.recorder("eu").has_handled(6).await;
    assert_eq!(world.source("asia").opened(), 1, "no restart");
    assert_eq!(world.source("eu").opened(), 3, "two restarts");
    assert_eq!(world.recorder("us").handled(), numbers(3));

    let reports = group.reports().await;
    let told: Vec<bool> = reports.iter().map(|(_, report)| report.is_ok()).collect();
    assert_eq!(told, [true, false, true]);
    let failure = group.pause_all().await.unwrap_err();
    let failed: Vec<_> = failure.projections.iter().map(|(id, _)| id.key()).collect();
    assert_eq!(failed, ["us"]);
    let failure = group.stop_and_wait().await.unwrap_err();
    assert_eq!(failure.projections.len(), 1);
    let said = failure.to_string();
    assert!(said.contains("orders/us") && said.contains("4"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn all_are_paused_by_their_own_flags_and_resumed() {
    let world = World::new();
    let group = world.group(KEYS).spawn(&world.runtime).unwrap();
    world.all_handled().await;
    group.pause_all().await.unwrap();
    for instance in group.instances() {
        instance.pause_and_wait().await.unwrap();
    }
    for key in KEYS {
        world.source(key).push(100);
    }
    pass(secs(60)).await;
    assert_eq!(world.recorder("eu").handled(), numbers(5));
    let whole =
        projectionist_core::contract::ManagementStore::pause_flag(&world.store, "orders", None);
    assert_eq!(whole.await.unwrap(), None, "the name is left alone");
    group.resume_all().await.unwrap();
    world.recorder("eu").has_handled(6).await;
    world.recorder("us").has_handled(11).await;
    world.recorder("asia").has_handled(16).await;
    group.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_dropped_group_stops() {
    let world = World::new();
    let group = world.group(KEYS).spawn(&world.runtime).unwrap();
    let mut statuses: Vec<_> = group.instances().map(|one| one.status_receiver()).collect();
    world.all_handled().await;
    drop(group);
    for status in &mut statuses {
        let ended = status.wait_for(|_| false).await;
        assert!(matches!(ended, ProjectionStatus::Stopped), "{ended:?}");
    }
    eventually("the lanes are given back", async || {
        let lanes = world.store.lanes().await.unwrap();
        lanes.iter().all(|(_, lane)| lane.holder.is_none())
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn unlike_projections_are_managed_together() {
    let world = World::new();
    let recorder = Recorder::default();
    let model = {
        let recorder = recorder.clone();
        move || Model::of(&recorder)
    };
    let (words, numbered) = (TestSource::of(["a", "b"]), TestSource::of(numbers(7)));
    let heard = Recorder::default();
    let hear = {
        let heard = heard.clone();
        move || heard.handler()
    };
    let exactly =
        Projection::grouped_exactly_once(id("sums", "all"), numbered, world.store.clone(), model)
            .with_group(groups_of(3))
            .with_mode(Mode::Current);
    let least = Projection::at_least_once(id("words", "all"), words, world.store.clone(), hear)
        .with_mode(Mode::Current);
    let most = Projection::at_most_once(
        id("orders", "eu"),
        world.source("eu").clone(),
        world.store.inner.clone(),
        {
            let recorder = world.recorder("eu").clone();
            move || recorder.handler()
        },
    )
    .with_mode(Mode::Current);
    let group = ProjectionGroup::of([AnyProjection::from(exactly), least.into()]).with(most);
    let group = group.spawn(&world.runtime).unwrap();
    assert_eq!(group.wait().await.unwrap(), Completion::Completed);
    assert_eq!(
        Tables::of(&world.store.inner).await,
        Tables::fold(numbers(7))
    );
    assert_eq!(heard.handled(), ["a", "b"]);
    assert_eq!(world.recorder("eu").handled(), numbers(5));
    assert_eq!(group.find(&id("sums", "all")).unwrap().id().name(), "sums");
}
