//! Recovery: how often, how long apart, what is told, and in which order.

use crate::common::single::{Blueprint, spawn};
use crate::common::{SteeredStore, id, millis, no_restart, numbers, secs, steady_restarts, stored};
use projectionist_core::contract::{Context, Handler, HandlerResult, Mode};
use projectionist_engine::{
    Completion, Projection, ProjectionRuntime, ProjectionStatus, Recovery, RetryDelay,
};
use projectionist_testkit::{Recorder, RecordingHandler, TestEnvelope, TestSource, pass};
use tokio::time::Instant;

/// Reads the source to its end and is not restarted.
fn projection(
    source: &TestSource<u64>,
    store: &SteeredStore,
    recorder: &Recorder<u64>,
) -> Blueprint<impl Fn() -> RecordingHandler<u64> + Clone + Send + Sync + use<>> {
    crate::common::single::projection(source, store, recorder)
        .with_mode(Mode::Current)
        .with_restart(no_restart())
}

fn retries(retries: u32, delay: RetryDelay) -> Recovery {
    Recovery::RetryAndFail { retries, delay }
}

const NOW: RetryDelay = RetryDelay::Fixed(std::time::Duration::ZERO);

/// Fact 8.
#[tokio::test(start_paused = true)]
async fn retries_follow_the_first_attempt_and_then_the_run_fails() {
    for (allowed, recovery) in [
        (0, Recovery::Fail),
        (0, retries(0, NOW)),
        (1, retries(1, NOW)),
        (3, retries(3, NOW)),
    ] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let running = spawn(projection(&source, &store, &recorder).with_recovery(recovery));
        let error = running.wait().await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("at 4 after {} attempt", allowed + 1)),
            "{error}"
        );
        let attempts: Vec<String> = (1..=allowed + 1)
            .map(|n| format!("process 4#{n}"))
            .collect();
        let calls = recorder.calls();
        let seen: Vec<_> = calls
            .iter()
            .filter(|call| call.starts_with("process 4"))
            .collect();
        assert_eq!(seen, attempts.iter().collect::<Vec<_>>());
        assert_eq!(recorder.count("observer.error 4#"), allowed + 1);
        assert_eq!(recorder.count("observer.failed"), 1);
        assert_eq!(recorder.handled(), numbers(3));
        assert_eq!(stored(&store.inner).await, Some(3));
    }
}

/// Fact 54.
#[tokio::test(start_paused = true)]
async fn an_attempt_that_succeeds_goes_on_in_order_and_counts_once() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(4, 3);
    let projection = projection(&source, &store, &recorder).with_recovery(retries(3, NOW));
    assert_eq!(
        spawn(projection).wait().await.unwrap(),
        Completion::Completed
    );
    assert_eq!(recorder.handled(), numbers(6));
    assert_eq!(recorder.count("observer.after 4"), 1);
    assert_eq!(recorder.count("observer.failed"), 0);
    assert_eq!(crate::common::lane(&store.inner).await.counters.read, 6);
}

/// When the attempts at 2 were made, in milliseconds after the first.
async fn moments(delay: RetryDelay, attempts: usize) -> Vec<u128> {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, usize::MAX);
    let retries = retries(u32::try_from(attempts).unwrap(), delay);
    let _running = spawn(projection(&source, &store, &recorder).with_recovery(retries));
    recorder.has_called("process 2#", 1).await;
    let began = Instant::now();
    let mut moments = Vec::new();
    for attempt in 1..=attempts {
        recorder.has_called("process 2#", attempt).await;
        moments.push(began.elapsed().as_millis());
    }
    moments
}

#[tokio::test(start_paused = true)]
async fn retries_are_as_far_apart_as_told() {
    assert_eq!(
        moments(RetryDelay::Fixed(secs(1)), 4).await,
        [0, 1000, 2000, 3000]
    );
    let doubling = RetryDelay::Doubling {
        first: millis(500),
        cap: secs(3),
    };
    assert_eq!(moments(doubling, 6).await, [0, 500, 1500, 3500, 6500, 9500]);
}

/// Fact 10.
#[tokio::test(start_paused = true)]
async fn a_stop_ends_a_retry_delay_at_once_and_no_attempt_follows() {
    for delay in [
        NOW,
        RetryDelay::Fixed(millis(100)),
        RetryDelay::Fixed(secs(3600)),
    ] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let recovery = retries(u32::MAX, delay);
        let running = spawn(projection(&source, &store, &recorder).with_recovery(recovery));
        recorder.has_called("process 4#", 1).await;
        let (asked, made) = (Instant::now(), recorder.count("process 4#"));
        let ended = running.stop_and_wait().await;
        assert_eq!(ended.unwrap(), Completion::Stopped);
        assert_eq!(asked.elapsed(), millis(0), "{delay:?}");
        // With no delay another attempt may have begun before the stop was asked for.
        assert!(recorder.count("process 4#") <= made + 1, "{delay:?}");
        let all = recorder.count("process 4#");
        pass(secs(7200)).await;
        assert_eq!(recorder.count("process 4#"), all);
        assert_eq!(stored(&store.inner).await, Some(3));
        assert_eq!(recorder.count("stop"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_a_failed_attempt_and_the_retry_has_a_fresh_handler() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_at(2);
    let projection = projection(&source, &store, &recorder).with_recovery(retries(1, NOW));
    spawn(projection).wait().await.unwrap();
    let expected = [
        "created",
        "start",
        "observer.started",
        "observer.before 1",
        "process 1#1",
        "observer.after 1",
        "observer.before 2",
        "process 2#1",
        "observer.error 2#1",
        "created",
        "start",
        "observer.before 2",
        "process 2#2",
        "observer.after 2",
        "observer.progress 2",
        "stop",
        "observer.stopped",
    ];
    assert_eq!(recorder.calls(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_panicked_handler_is_not_called_again_also_when_no_retry_follows() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_at(2);
    let error = spawn(projection(&source, &store, &recorder)).wait().await;
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("at 2") && text.contains("panicked: panic 2"),
        "{text}"
    );
    assert_eq!(recorder.count("stop"), 0);
}

/// A handler whose call panics before there is a future.
struct PanicsInCall(u32);

impl Handler<TestEnvelope<u64>> for PanicsInCall {
    fn process(
        &mut self,
        _: &TestEnvelope<u64>,
        context: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        assert!(context.attempt > self.0, "attempt {}", context.attempt);
        std::future::ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_call_itself_is_a_failed_attempt() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let projection = Projection::at_least_once(id(), source, store, || PanicsInCall(2))
        .with_mode(Mode::Current)
        .with_restart(no_restart())
        .with_recovery(retries(2, NOW));
    let running = ProjectionRuntime::new().spawn(projection).unwrap();
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_panicking_observer_changes_nothing() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.panic_in_observers();
    recorder.fail_at(4, 1);
    recorder.fail_at(5, 1);
    let projection = projection(&source, &store, &recorder)
        .with_recovery(retries(1, NOW))
        .with_restart(steady_restarts());
    assert_eq!(
        spawn(projection).wait().await.unwrap(),
        Completion::Completed
    );
    assert_eq!(recorder.handled(), numbers(6));
    assert_eq!(stored(&store.inner).await, Some(6));
    assert_eq!(recorder.count("observer.after"), 6);
}

#[tokio::test(start_paused = true)]
async fn a_failing_start_fails_the_run_before_anything_is_handled() {
    for plan in [Recorder::fail_at_start, Recorder::panic_at_start] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        plan(&recorder);
        let projection = projection(&source, &store, &recorder).with_restart(steady_restarts());
        let running = spawn(projection);
        recorder.has_called("observer.failed", 1).await;
        assert_eq!(recorder.handled(), Vec::<u64>::new());
        assert_eq!(running.wait().await.unwrap(), Completion::Completed);
        assert_eq!(recorder.handled(), numbers(2));
        assert_eq!(recorder.count("created"), 2);
        assert_eq!(
            recorder.count("stop"),
            1,
            "what did not start is not stopped"
        );
        assert_eq!(recorder.count("observer.started"), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_stop_hook_loses_no_progress_and_is_told() {
    for plan in [Recorder::fail_at_stop, Recorder::panic_at_stop] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        plan(&recorder);
        let running = spawn(projection(&source, &store, &recorder));
        let error = running.wait().await.unwrap_err().to_string();
        assert!(error.contains("stop"), "{error}");
        assert_eq!(stored(&store.inner).await, Some(2));
    }
}

#[tokio::test(start_paused = true)]
async fn the_failure_of_the_run_hides_that_of_its_stop_hook() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 1);
    recorder.fail_at_stop();
    let error = spawn(projection(&source, &store, &recorder)).wait().await;
    let text = error.unwrap_err().to_string();
    assert!(text.contains("at 2") && text.ends_with("no 2"), "{text}");
}

/// Fact 67.
#[tokio::test(start_paused = true)]
async fn the_calls_of_a_run_come_in_their_order() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    let handler_calls: Vec<_> = recorder
        .calls()
        .into_iter()
        .filter(|call| !call.starts_with("observer"))
        .collect();
    assert_eq!(
        handler_calls,
        ["created", "start", "process 1#1", "process 2#1", "stop"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_calls_around_a_failure_come_in_their_order() {
    let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 1);
    let projection = projection(&source, &store, &recorder).with_restart(steady_restarts());
    spawn(projection).wait().await.unwrap();
    let calls = recorder.calls();
    let from = calls.iter().position(|call| call == "process 2#1").unwrap();
    let expected = [
        "process 2#1",
        "observer.error 2#1",
        "observer.progress 1",
        "stop",
        "observer.failed",
        "observer.stopped",
        "created",
        "start",
        "observer.started",
        "observer.before 2",
        "process 2#1",
        "observer.after 2",
        "observer.progress 2",
        "stop",
        "observer.stopped",
    ];
    assert_eq!(&calls[from..], expected);
}

/// A handler whose hooks never end.
#[derive(Clone, Copy)]
struct Hangs {
    in_start: bool,
}

impl Handler<TestEnvelope<u64>> for Hangs {
    async fn process(&mut self, _: &TestEnvelope<u64>, _: &Context<'_>) -> HandlerResult {
        Ok(())
    }

    async fn start(&mut self) -> HandlerResult {
        if self.in_start {
            std::future::pending::<()>().await;
        }
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_gives_up_hooks_that_do_not_end() {
    for in_start in [true, false] {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let projection = Projection::at_least_once(id(), source, store, move || Hangs { in_start })
            .with_stop_timeout(secs(2));
        let running = ProjectionRuntime::new().spawn(projection).unwrap();
        pass(secs(60)).await;
        running.stop();
        pass(millis(1_990)).await;
        assert!(!running.status().is_terminal());
        // `start` is given up and then `stop` is not called, or `stop` is given up.
        pass(millis(20)).await;
        assert!(
            matches!(running.status(), ProjectionStatus::Stopped),
            "{in_start}"
        );
    }
}
