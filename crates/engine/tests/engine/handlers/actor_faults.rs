//! Handlers that ask an actor: what goes wrong is a failed attempt, and says what it was.

use std::sync::{Arc, Mutex};

use projectionist_core::contract::{Ask, HandlerResult, Mailbox, MailboxError, Mode};
use projectionist_engine::handlers::{ActorBacked, ActorError, actor_backed};
use projectionist_engine::{LossRecovery, Projection, ProjectionRuntime, Recovery};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestEnvelope, TestSource};

use super::actor::{Blueprint, projection, retries, spawn};
use super::actors::{Act, Event, Found, Stage};
use crate::common::{applied, id, lane, no_restart, numbers, secs};

type Failures = Arc<Mutex<Vec<(u32, Option<ActorError>)>>>;

/// Keeps the attempt and the error of every failed one.
fn watched<F>(projection: Blueprint<F>) -> (Blueprint<F>, Failures) {
    let failures = Failures::default();
    let kept = Arc::clone(&failures);
    let projection = projection.on_failure(move |failed| {
        let error = failed.error.downcast_ref::<ActorError>().copied();
        kept.lock().unwrap().push((failed.attempt, error));
    });
    (projection, failures)
}

fn taken(failures: &Failures) -> Vec<(u32, Option<ActorError>)> {
    failures.lock().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_death_is_a_failed_attempt_and_the_mailbox_is_started_before_the_next() {
    for (act, error, calls) in [
        (
            Act::Die,
            ActorError::NoAnswer,
            "start up 1#1 2#1 start up 2#2 3#1 4#1 5#1 6#1 stop",
        ),
        (
            Act::Panic,
            ActorError::NoAnswer,
            "start up 1#1 2#1 start up 2#2 3#1 4#1 5#1 6#1 stop",
        ),
        (
            Act::AnswerAndEnd,
            ActorError::Stopped,
            "start up 1#1 2#1 start up 3#2 4#1 5#1 6#1 stop",
        ),
    ] {
        let (stage, store) = (Stage::default(), MemoryStore::new());
        stage.plan(2, act);
        let found = Found::on(&stage);
        let projection = projection(&store, found.mailbox());
        let (projection, failures) = watched(projection.with_recovery(retries(1)));
        spawn(projection).wait().await.unwrap();
        assert_eq!(taken(&failures), [(1, Some(error))], "{act:?}");
        assert_eq!(stage.calls(), calls, "{act:?}");
        assert_eq!(stage.handled(), numbers(6), "{act:?}");
        assert_eq!(lane(&store).await.counters, applied(6));
    }
}

#[tokio::test(start_paused = true)]
async fn a_spawned_actor_that_died_is_spawned_again() {
    for act in [Act::Die, Act::Panic, Act::AnswerAndEnd] {
        let (stage, store) = (Stage::default(), MemoryStore::new());
        stage.plan(4, act);
        let actor = stage.clone();
        let projection = projection(&store, move || actor.spawned(1));
        spawn(projection.with_recovery(retries(1)))
            .wait()
            .await
            .unwrap();
        assert_eq!(stage.handled(), numbers(6), "{act:?}");
        assert_eq!(stage.calls().matches("up").count(), 2, "{act:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_says_no_is_no_death() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(2, Act::Fail);
    let found = Found::on(&stage);
    let projection = projection(&store, found.mailbox());
    let (projection, failures) = watched(projection.with_recovery(retries(1)));
    spawn(projection).wait().await.unwrap();
    assert_eq!(taken(&failures), [(1, None)], "the actor's own error");
    assert_eq!(stage.calls(), "start up 1#1 2#1 2#2 3#1 4#1 5#1 6#1 stop");
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_is_late_is_asked_again_and_a_full_mailbox_is_told() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(2, Act::Wait);
    let actor = stage.clone();
    let projection = projection(&store, move || actor.spawned(1));
    let (projection, failures) = watched(projection.with_recovery(retries(9)));
    let running = spawn(projection);
    // The first ask is with the actor, the second one fills the mailbox, the third finds it full.
    projectionist_testkit::eventually("full", async || taken(&failures).len() == 3).await;
    let late = Some(ActorError::TimedOut(secs(2)));
    assert_eq!(
        taken(&failures),
        [(1, late), (2, late), (3, Some(ActorError::MailboxFull))]
    );
    stage.go_on();
    running.wait().await.unwrap();
    // The asks that were given up were handled too: an actor must be idempotent.
    let mut handled = stage.handled();
    handled.dedup();
    assert_eq!(handled, numbers(6));
    assert_eq!(stage.calls().matches("up").count(), 1, "it never died");
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn an_error_of_an_actor_names_the_lane_and_the_position() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(2, Act::Die);
    let found = Found::on(&stage);
    let projection = projection(&store, found.mailbox()).with_restart(no_restart());
    let error = spawn(projection).wait().await.unwrap_err().to_string();
    assert!(
        error.contains("orders/all") && error.contains("at 2") && error.contains("actor"),
        "{error}"
    );
    assert_eq!(lane(&store).await.counters, applied(1));
}

#[tokio::test(start_paused = true)]
async fn at_most_once_loses_what_the_actor_died_at_and_no_more() {
    for act in [Act::Die, Act::Panic, Act::AnswerAndEnd, Act::Fail] {
        let (stage, store) = (Stage::default(), MemoryStore::new());
        stage.plan(3, act);
        let found = Found::on(&stage);
        let source = TestSource::of(numbers(6));
        let mailbox = found.mailbox();
        let projection = Projection::at_most_once(id(), source, store.clone(), move || {
            actor_backed(mailbox(), secs(2))
        });
        let projection = projection
            .with_mode(Mode::Current)
            .with_recovery(LossRecovery::Skip);
        let running = ProjectionRuntime::new().spawn(projection).unwrap();
        running.wait().await.unwrap();
        // One that ends after its answer is found dead by the next envelope.
        let lost = if act == Act::AnswerAndEnd { 4 } else { 3 };
        let expected: Vec<_> = numbers(6).into_iter().filter(|one| *one != lost).collect();
        assert_eq!(stage.handled(), expected, "{act:?}");
        let counters = lane(&store).await.counters;
        assert_eq!((counters.applied, counters.skipped), (5, 1), "{act:?}");
    }
}

/// A mailbox that cannot be started at first, and never answers.
struct Broken {
    starts_to_fail: Arc<Mutex<u32>>,
    stage: Stage,
}

impl Mailbox<Event> for Broken {
    fn tell(&mut self, ask: Ask<TestEnvelope<u64>>) -> Result<(), MailboxError> {
        self.stage.say(ask.envelope.position.0.to_string());
        Err(MailboxError::Closed)
    }

    async fn start(&mut self) -> HandlerResult {
        self.stage.say("start");
        let mut left = self.starts_to_fail.lock().unwrap();
        if *left > 0 {
            *left -= 1;
            return Err("no actor can be made".into());
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_cannot_be_started_again_is_a_failed_attempt_like_its_death() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    let left = Arc::new(Mutex::new(0));
    let (starts, said) = (Arc::clone(&left), stage.clone());
    let mailbox = move || Broken {
        starts_to_fail: Arc::clone(&starts),
        stage: said.clone(),
    };
    let projection = projection(&store, mailbox).with_restart(no_restart());
    let (projection, failures) = watched(projection.with_recovery(retries(3)));
    let projection = projection.on_failure({
        let failures = Arc::clone(&failures);
        move |failed| {
            let error = failed.error.downcast_ref::<ActorError>().copied();
            failures.lock().unwrap().push((failed.attempt, error));
            // Only the start before the second attempt fails.
            *left.lock().unwrap() = u32::from(failed.attempt == 1);
        }
    });
    spawn(projection).wait().await.unwrap_err();
    let dead = Some(ActorError::Stopped);
    assert_eq!(
        taken(&failures),
        [(1, dead), (2, None), (3, dead), (4, dead)]
    );
    assert_eq!(stage.calls(), "start 1 start start 1 start 1");
}

#[tokio::test(start_paused = true)]
async fn a_skipped_envelope_leaves_the_actor_to_be_started_before_the_next_one() {
    let (stage, store) = (Stage::default(), MemoryStore::new());
    stage.plan(2, Act::Die);
    let found = Found::on(&stage);
    let projection = projection(&store, found.mailbox());
    spawn(projection.with_recovery(Recovery::Skip))
        .wait()
        .await
        .unwrap();
    assert_eq!(
        stage.calls(),
        "start up 1#1 2#1 start up 3#1 4#1 5#1 6#1 stop"
    );
    assert_eq!(stage.handled(), [1, 3, 4, 5, 6]);
}

/// Only so that the type can be named in a bound.
#[test]
fn an_actor_backed_handler_can_be_shown() {
    let handler: ActorBacked<u8> = actor_backed(1, secs(2));
    assert!(format!("{handler:?}").contains("ask_timeout: 2s"));
}
