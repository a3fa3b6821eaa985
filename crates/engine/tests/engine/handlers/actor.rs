//! Handlers that ask an actor: its life, and that everything reaches it in order.

use std::time::Duration;

use projectionist_core::contract::{Mailbox, Mode};
use projectionist_engine::handlers::{ActorBacked, actor_backed};
use projectionist_engine::{
    AtLeastOnce, Completion, Projection, ProjectionHandle, ProjectionRuntime, Recovery, RetryDelay,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::TestSource;

use super::actors::{Act, Event, Found, Stage};
use crate::common::{applied, id, lane, numbers, secs, steady_restarts};

pub(crate) type Blueprint<F> = Projection<TestSource<u64>, MemoryStore, AtLeastOnce<F>>;

/// Reads six events to their end; an ask may take two seconds.
pub(crate) fn projection<M: Mailbox<Event>>(
    store: &MemoryStore,
    mailbox: impl Fn() -> M + Send + Sync + 'static,
) -> Blueprint<impl Fn() -> ActorBacked<M> + Send + Sync + 'static> {
    let factory = move || actor_backed(mailbox(), secs(2));
    Projection::at_least_once(id(), TestSource::of(numbers(6)), store.clone(), factory)
        .with_mode(Mode::Current)
        .with_restart(steady_restarts())
}

pub(crate) fn spawn<F, M>(projection: Blueprint<F>) -> ProjectionHandle
where
    F: Fn() -> ActorBacked<M> + Send + Sync + 'static,
    M: Mailbox<Event>,
{
    ProjectionRuntime::new().spawn(projection).unwrap()
}

pub(crate) fn retries(retries: u32) -> Recovery {
    let delay = RetryDelay::Fixed(Duration::from_millis(100));
    Recovery::RetryAndFail { retries, delay }
}

#[tokio::test(start_paused = true)]
async fn fact_36_an_actor_begins_before_the_first_envelope_gets_all_in_order_and_is_stopped() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    let actor = stage.clone();
    let running = spawn(projection(&store, move || actor.spawned(1)));
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
    assert_eq!(stage.calls(), "up 1#1 2#1 3#1 4#1 5#1 6#1 down");
    assert_eq!(stage.handled(), numbers(6));
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn fact_36_an_actor_that_is_found_is_kept_when_the_handler_is_made_again() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(3, Act::Fail);
    let found = Found::on(&stage);
    let running = spawn(projection(&store, found.mailbox()));
    running.wait().await.unwrap();
    assert_eq!(
        stage.calls(),
        "start up 1#1 2#1 3#1 stop start 3#1 4#1 5#1 6#1 stop"
    );
    assert_eq!(stage.handled(), numbers(6));
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_belongs_to_the_projection_is_made_anew_in_each_run() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(3, Act::Fail);
    let actor = stage.clone();
    let running = spawn(projection(&store, move || actor.spawned(1)));
    running.wait().await.unwrap();
    assert_eq!(stage.calls(), "up 1#1 2#1 3#1 down up 3#1 4#1 5#1 6#1 down");
    assert_eq!(stage.handled(), numbers(6));
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_the_answer_and_then_for_the_actor() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(3, Act::Wait);
    let actor = stage.clone();
    let running = spawn(projection(&store, move || actor.spawned(1)).with_mode(Mode::Live));
    projectionist_testkit::eventually("asked", async || stage.calls().ends_with("3#1")).await;
    running.stop();
    projectionist_testkit::pass(secs(1)).await;
    assert!(!running.status().is_terminal());
    stage.go_on();
    assert_eq!(running.wait().await.unwrap(), Completion::Stopped);
    assert_eq!(stage.calls(), "up 1#1 2#1 3#1 down");
    assert_eq!(lane(&store).await.counters, applied(3));
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_does_not_answer_is_aborted_with_the_handler_that_is_given_up() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(3, Act::Wait);
    let actor = stage.clone();
    let projection = projection(&store, move || actor.spawned(1)).with_stop_timeout(secs(1));
    let running = spawn(projection);
    projectionist_testkit::eventually("asked", async || stage.calls().ends_with("3#1")).await;
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    stage.go_on();
    projectionist_testkit::pass(secs(60)).await;
    assert_eq!(stage.calls(), "up 1#1 2#1 3#1", "it went on after its end");
    assert_eq!(stage.handled(), numbers(2));
    assert_eq!(lane(&store).await.counters, applied(2));
}
