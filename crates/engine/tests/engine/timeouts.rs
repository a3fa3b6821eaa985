//! The time that a call of a handler may take.

use crate::common::crash::lives;
use crate::common::model::Tables;
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::{SteeredStore, lane, millis, no_restart, numbers, secs, stored};
use projectionist_core::contract::{Context, Handler, HandlerResult, Mode};
use projectionist_engine::{
    Completion, FailurePolicy, Projection, ProjectionRuntime, ProjectionStatus, Recovery,
    RetryDelay, Settings,
};
use projectionist_testkit::{Recorder, TestEnvelope, TestSource, pass};
use tokio::time::Instant;

fn limited(recorder: &Recorder<u64>, recovery: Recovery) -> Settings {
    let settings = settings(recorder);
    let failures = FailurePolicy {
        recovery,
        restart: no_restart(),
        ..settings.failures
    };
    Settings {
        mode: Mode::Current,
        failures,
        handler_timeout: Some(secs(5)),
        ..settings
    }
}

fn retries(retries: u32) -> Recovery {
    let delay = RetryDelay::Fixed(secs(1));
    Recovery::RetryAndFail { retries, delay }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_a_failed_attempt_under_every_guarantee() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(4);
        let running = spawn(
            guarantee,
            &source,
            &store,
            &recorder,
            &limited(&recorder, retries(1)),
        );
        let began = Instant::now();
        let error = running.wait().await.unwrap_err().to_string();
        let attempts = if guarantee == Guarantee::AtMostOnce {
            1
        } else {
            2
        };
        let words = [
            format!("after {attempts} attempt"),
            "did not end within 5s".to_owned(),
        ];
        assert!(
            words.iter().all(|word| error.contains(word)),
            "{guarantee:?}: {error}"
        );
        let waited = secs(5) * attempts + secs(1) * (attempts - 1);
        assert_eq!(began.elapsed(), waited, "{guarantee:?}");
        assert_eq!(
            recorder.count("observer.error 4#"),
            usize::try_from(attempts).unwrap()
        );
        assert_eq!(
            recorder.count("created"),
            usize::try_from(attempts).unwrap()
        );
        assert_eq!(
            recorder.count("stop"),
            0,
            "{guarantee:?}: it was given up each time"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_attempt_after_a_timeout_has_a_fresh_handler_and_counts_once() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.hold_at(4);
        let running = spawn(
            guarantee,
            &source,
            &store,
            &recorder,
            &limited(&recorder, retries(1)),
        );
        recorder.has_called("observer.error 4#", 1).await;
        recorder.release(4);
        assert_eq!(running.wait().await.unwrap(), Completion::Completed);
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
        assert_eq!(recorder.count("created"), 2, "{guarantee:?}");
        assert_eq!(
            lane(&store.inner).await.counters,
            crate::common::applied(6),
            "{guarantee:?}"
        );
    }
}

#[test]
fn what_a_handler_wrote_before_its_time_was_over_is_rolled_back() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(4);
    let projection = crate::common::grouped::projection(&source, &store, &recorder)
        .with_handler_timeout(secs(5))
        .with_restart(no_restart());
    lives(async {
        crate::common::grouped::spawn(projection)
            .wait()
            .await
            .unwrap_err()
    });
    assert_eq!(lives(Tables::of(&store.inner)), Tables::fold(numbers(3)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_ends_in_time_is_none_of_this() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(2);
    let settings = limited(&recorder, Recovery::Fail);
    let running = spawn(
        Guarantee::AtLeastOnce,
        &source,
        &store,
        &recorder,
        &settings,
    );
    recorder.has_called("process 2", 1).await;
    pass(millis(4_990)).await;
    recorder.release(2);
    running.wait().await.unwrap();
    assert_eq!(recorder.count("observer.error"), 0);
}

/// A handler whose hooks take longer than its calls may.
struct SlowHooks;

impl Handler<TestEnvelope<u64>> for SlowHooks {
    async fn process(&mut self, _: &TestEnvelope<u64>, _: &Context<'_>) -> HandlerResult {
        Ok(())
    }
    async fn start(&mut self) -> HandlerResult {
        pass(secs(60)).await;
        Ok(())
    }
    async fn stop(&mut self) -> HandlerResult {
        pass(secs(60)).await;
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn hooks_have_no_time_limit_but_a_stop() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let projection =
        Projection::at_least_once(crate::common::id(), source, store.clone(), || SlowHooks)
            .with_handler_timeout(secs(5))
            .with_mode(Mode::Current);
    let running = ProjectionRuntime::new().spawn(projection.clone()).unwrap();
    let began = Instant::now();
    running.wait().await.unwrap();
    assert_eq!(began.elapsed(), secs(120));
    assert_eq!(stored(&store.inner).await, Some(3));
    // A stop gives a start hook up after its time-out.
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    pass(secs(1)).await;
    let began = Instant::now();
    running.stop_and_wait().await.unwrap();
    assert_eq!(began.elapsed(), secs(10));
    assert!(matches!(running.status(), ProjectionStatus::Stopped));
}
