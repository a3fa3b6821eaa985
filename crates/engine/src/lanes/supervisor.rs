//! The task that owns the lanes: starts a projection for each, and gives it up when it must.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use projectionist_core::contract::{LaneEvent, LaneSource, OffsetStore, Released};
use projectionist_core::{Error, ProjectionId, Result};
use projectionist_telemetry::{LaneAssigned, LaneEnded, LaneLost, LaneRevoked, ProjectionFailed};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::handle::SetPaused;
use super::instance::{Ended, Instance, Life, follow};
use super::status::{LanePhase, LanedStatus, Published};
use super::watch::{Told, Watch};
use super::{LanedProjection, LanedProjectionHandle};
use crate::delivery::Delivery;
use crate::group::check_identity;
use crate::recovery::drive::panic_message;
use crate::restart::ladder::{Failure, RestartLadder};
use crate::{GroupFailure, Projection, ProjectionRuntime};

/// Owns the lanes of one projection from its spawn to its end.
pub(super) struct Supervisor<L: LaneSource, S, T> {
    projection: LanedProjection<L, S, T>,
    runtime: ProjectionRuntime,
    published: watch::Sender<Published>,
    stop: CancellationToken,
    watch: Watch<L>,
    watch_began: Instant,
    ladder: RestartLadder<()>,
    lanes: BTreeMap<String, Lane<L::Provider>>,
    /// How many instances were made.
    made: u64,
    /// Each ends with its instance.
    running: FuturesUnordered<BoxFuture<'static, Ended>>,
    /// Each ends at a deadline of its instance.
    deadlines: FuturesUnordered<BoxFuture<'static, Ended>>,
    is_stopping: bool,
    /// Why the source cannot be watched any more.
    failed: Option<Arc<Error>>,
}

/// A lane: what runs for it, and what is to run next.
struct Lane<P> {
    id: ProjectionId,
    instance: Instance,
    /// It was assigned again while the instance drains.
    next: Option<Next<P>>,
}

struct Next<P> {
    provider: P,
    has_ended: bool,
}

/// What the owner of the lanes meets.
enum Happened<P> {
    Stop,
    Ended(Ended),
    Deadline(Ended),
    Told(Told<P>),
}

impl<L, S, T, D> Supervisor<L, S, T>
where
    L: LaneSource,
    S: OffsetStore,
    T: Fn(ProjectionId, L::Provider) -> Projection<L::Provider, S, D> + Send + 'static,
    D: Delivery<L::Provider, S>,
{
    pub(super) fn new(projection: LanedProjection<L, S, T>, runtime: ProjectionRuntime) -> Self {
        let first = Published {
            status: LanedStatus::Joining,
            lanes: Vec::new(),
        };
        Self {
            watch: Watch::open(&projection.source, projection.mode),
            watch_began: Instant::now(),
            ladder: RestartLadder::new(projection.restart),
            projection,
            runtime,
            published: watch::Sender::new(first),
            stop: CancellationToken::new(),
            lanes: BTreeMap::new(),
            made: 0,
            running: FuturesUnordered::new(),
            deadlines: FuturesUnordered::new(),
            is_stopping: false,
            failed: None,
        }
    }

    pub(super) fn handle(&self) -> LanedProjectionHandle {
        let (name, store) = (self.projection.name.clone(), self.projection.store.clone());
        let set_paused: SetPaused = {
            let name = name.clone();
            Arc::new(move |paused| {
                let (store, name) = (store.clone(), name.clone());
                Box::pin(async move { store.set_paused(&name, None, paused).await })
            })
        };
        let (published, stop) = (self.published.subscribe(), self.stop.clone());
        LanedProjectionHandle::new(name, published, stop, set_paused)
    }

    /// Runs to the end, and publishes how it ended.
    pub(super) async fn supervise(mut self) {
        while !self.is_done() {
            let happened = self.next().await;
            self.meet(happened);
            self.publish(|_| ());
        }
        let failed = self.lanes.values().filter_map(|lane| {
            let error = lane.instance.life.failure()?;
            Some((lane.id.clone(), Err::<(), _>(error)))
        });
        let status = match GroupFailure::check(self.failed.take(), failed) {
            Err(failure) => LanedStatus::Failed {
                failure: Arc::new(failure),
            },
            Ok(_) if self.is_stopping => LanedStatus::Stopped,
            Ok(_) => LanedStatus::Completed,
        };
        let Self {
            projection,
            published,
            watch,
            ..
        } = self;
        // The source is left before the end is told, so that whoever hears of it can join again.
        drop((watch, projection));
        published.send_modify(|published| published.status = status);
    }

    /// Whether nothing runs and nothing will.
    fn is_done(&self) -> bool {
        let is_over = self.is_stopping || self.failed.is_some() || self.watch.is_over();
        is_over && self.running.is_empty()
    }

    async fn next(&mut self) -> Happened<L::Provider> {
        tokio::select! {
            biased;
            () = self.stop.cancelled(), if !self.is_stopping => Happened::Stop,
            Some(ended) = self.running.next() => Happened::Ended(ended),
            Some(due) = self.deadlines.next() => Happened::Deadline(due),
            told = self.watch.next() => Happened::Told(told),
        }
    }

    fn meet(&mut self, happened: Happened<L::Provider>) {
        match happened {
            Happened::Stop => {
                self.is_stopping = true;
                if !self.watch.is_open() {
                    self.watch.end();
                }
                self.give_up_all();
            }
            Happened::Ended((key, number)) => self.instance_ended(&key, number),
            Happened::Deadline((key, number)) => {
                let overdue = self.lanes.get(&key).map(|lane| &lane.instance);
                if let Some(instance) = overdue.filter(|instance| instance.number == number) {
                    instance.abandon();
                }
            }
            Happened::Told(Told::Opened) => self.tell(LanedStatus::Watching),
            Happened::Told(Told::End) => self.tell(LanedStatus::Finishing),
            Happened::Told(Told::Event(event)) => self.lane_event(event),
            Happened::Told(Told::Failed(error)) => self.watch_failed(error),
            Happened::Told(Told::Due) => {
                self.ladder.restarted(Instant::now());
                self.join();
            }
        }
    }

    fn join(&mut self) {
        self.watch_began = Instant::now();
        self.watch = Watch::open(&self.projection.source, self.projection.mode);
        self.tell(LanedStatus::Joining);
    }

    fn watch_failed(&mut self, error: Error) {
        self.give_up_all();
        if self.is_stopping {
            return;
        }
        let failure = Failure::of(error, self.watch_began);
        let delay = if failure.error.is_retryable() {
            self.ladder.next(&failure, Instant::now())
        } else {
            None
        };
        let error = Arc::new(failure.error);
        let Some(delay) = delay else {
            self.failed = Some(error);
            return self.tell(LanedStatus::Stopping);
        };
        self.watch.wait(delay);
        let failures = self.ladder.failures();
        self.tell(LanedStatus::Restarting {
            failures,
            delay,
            error,
        });
    }

    fn lane_event(&mut self, event: LaneEvent<L::Provider>) {
        match event {
            LaneEvent::Assigned { key, provider } => self.assigned(key, provider),
            LaneEvent::Revoked {
                key,
                deadline,
                released,
            } => self.revoked(key, deadline, released),
            LaneEvent::Lost { key } => self.lost(&key),
            LaneEvent::Ended { key } => self.ended(&key),
        }
    }

    fn assigned(&mut self, key: String, provider: L::Provider) {
        if self.is_stopping || self.failed.is_some() {
            return;
        }
        let id = match ProjectionId::new(&self.projection.name, &key) {
            Ok(id) => id,
            // No lane can be of that key: the source is not one that can be read.
            Err(error) => {
                self.watch.end();
                return self.watch_failed(error);
            }
        };
        LaneAssigned { lane: &id }.emit();
        let next = Next {
            provider,
            has_ended: false,
        };
        match self.lanes.get_mut(&key) {
            Some(lane) if !lane.instance.has_ended() => {
                lane.instance.drain();
                lane.next = Some(next);
            }
            _ => self.start(key, id, next),
        }
    }

    /// Starts the projection of a lane that has none.
    fn start(&mut self, key: String, id: ProjectionId, next: Next<L::Provider>) {
        self.made += 1;
        let made = catch_unwind(AssertUnwindSafe(|| self.make(&id, next.provider)));
        let made = made.unwrap_or_else(|payload| {
            Err(Error::Configuration {
                subject: format!("template of {id}"),
                reason: panic_message("it", payload.as_ref()),
            })
        });
        let launched = made.and_then(|projection| self.runtime.spawn(projection));
        let life = match launched {
            Ok(handle) => {
                let ended = (key.clone(), self.made);
                let following = follow(ended, &handle, self.published.clone());
                self.running.push(following);
                Life::Projection(Arc::new(handle))
            }
            Err(error) => {
                let (lane, error) = (&id, Arc::new(error));
                ProjectionFailed {
                    lane,
                    error: &error,
                }
                .emit();
                Life::Stillborn(error)
            }
        };
        let mut instance = Instance::new(self.made, life);
        if next.has_ended {
            instance.end();
        }
        let lane = Lane {
            id,
            instance,
            next: None,
        };
        self.lanes.insert(key, lane);
    }

    fn make(
        &self,
        id: &ProjectionId,
        provider: L::Provider,
    ) -> Result<Projection<L::Provider, S, D>> {
        let projection = (self.projection.template)(id.clone(), provider);
        check_identity(id, &projection.id)?;
        Ok(projection.with_mode(self.projection.mode))
    }

    fn revoked(&mut self, key: String, deadline: Duration, released: Released) {
        let Some(lane) = self.lanes.get_mut(&key) else {
            return;
        };
        LaneRevoked {
            lane: &lane.id,
            deadline,
        }
        .emit();
        lane.next = None;
        if lane.instance.has_ended() {
            self.lanes.remove(&key);
            return;
        }
        lane.instance.released.push(released);
        lane.instance.drain();
        let due = (key, lane.instance.number);
        self.deadlines.push(Box::pin(async move {
            tokio::time::sleep(deadline).await;
            due
        }));
    }

    fn lost(&mut self, key: &str) {
        let Some(lane) = self.lanes.get_mut(key) else {
            return;
        };
        LaneLost { lane: &lane.id }.emit();
        lane.next = None;
        if lane.instance.has_ended() {
            self.lanes.remove(key);
            return;
        }
        lane.instance.phase = LanePhase::Lost;
        lane.instance.abandon();
    }

    fn ended(&mut self, key: &str) {
        let Some(lane) = self.lanes.get_mut(key) else {
            return;
        };
        LaneEnded { lane: &lane.id }.emit();
        if let Some(next) = &mut lane.next {
            next.has_ended = true;
        } else if lane.instance.phase == LanePhase::Assigned {
            lane.instance.end();
            self.forget_ended(key);
        }
    }

    fn instance_ended(&mut self, key: &str, number: u64) {
        let is_it = |lane: &&mut Lane<_>| lane.instance.number == number;
        let Some(lane) = self.lanes.get_mut(key).filter(is_it) else {
            return;
        };
        if let Some(next) = lane.next.take() {
            let id = lane.id.clone();
            return self.start(key.to_owned(), id, next);
        }
        self.forget_ended(key);
    }

    /// Lets a lane go that has ended and is not ours any more. One that failed stays, so that it is
    /// seen, unless it was taken away.
    fn forget_ended(&mut self, key: &str) {
        let Some(lane) = self.lanes.get(key) else {
            return;
        };
        let instance = &lane.instance;
        let failed = instance.life.failure().is_some();
        let goes = match instance.phase {
            LanePhase::Assigned => false,
            LanePhase::Ending => !failed,
            LanePhase::Draining => !(failed && self.is_stopping),
            LanePhase::Lost => true,
        };
        if goes && instance.has_ended() {
            self.lanes.remove(key);
        }
    }

    /// Gives up all lanes in order.
    fn give_up_all(&mut self) {
        let is_stopping = self.is_stopping;
        if is_stopping {
            self.tell(LanedStatus::Stopping);
        }
        // Those that have failed are told at the end of a stop; after a new watch they begin anew.
        self.lanes
            .retain(|_, lane| !lane.instance.has_ended() || is_stopping);
        for lane in self.lanes.values_mut() {
            lane.next = None;
            lane.instance.drain();
        }
    }

    fn tell(&self, status: LanedStatus) {
        self.publish(|published| published.status = status);
    }

    fn publish(&self, change: impl FnOnce(&mut Published)) {
        let lanes = self.lanes.values();
        let lanes = lanes.map(|lane| lane.instance.view(lane.id.clone(), lane.next.is_some()));
        let lanes = lanes.collect();
        self.published.send_modify(|published| {
            published.lanes = lanes;
            change(published);
        });
    }
}
