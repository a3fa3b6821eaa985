//! A flow, a source or a store that fails: the run begins again, and nothing is lost.

use std::sync::{Arc, Mutex};

use futures::{StreamExt, stream};
use projectionist_core::contract::{FailureAction, FlowHandler, Mode, Stream};
use projectionist_core::{BoxError, Error, FlowContext, FlowContexts, FlowInput};
use projectionist_engine::{
    Projection, ProjectionRuntime, ProjectionStatus, SaveConfig, WhenExhausted,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestSource, eventually, pass};

use super::flows::{Event, Gate, Log, Output, gated, in_order, out, projection, spawn};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, applied, id, lane, no_restart, numbers, secs, stored};

/// How a flow fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    GivesAnError,
    Panics,
    /// On a task of its own, which drops the context before its error comes out.
    FailsInATask,
}

/// Handles events in order; fails once at event 4, before it is handled.
fn failing_at_4(
    log: &Log,
    how: How,
) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let (log, left) = (log.clone(), Arc::new(Mutex::new(1)));
    move |input| {
        let (log, left) = (log.clone(), Arc::clone(&left));
        let each = move |(envelope, context): (Event, FlowContext)| {
            let (log, left) = (log.clone(), Arc::clone(&left));
            async move {
                let fails = envelope.event == 4 && std::mem::take(&mut *left.lock().unwrap()) > 0;
                match how {
                    How::GivesAnError if fails => return Err("as planned".into()),
                    How::Panics if fails => panic!("as planned"),
                    How::FailsInATask if fails => {
                        let task = async move {
                            let _dropped = context;
                            Err::<(), BoxError>("as planned".into())
                        };
                        tokio::spawn(task).await??;
                        return Ok(FlowContexts::default());
                    }
                    _ => {}
                }
                log.handle(envelope.event);
                out(context)
            }
        };
        input.then(each).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn fact_34_a_failure_restarts_the_stream_and_each_envelope_is_reported_once_a_run() {
    for how in [How::GivesAnError, How::Panics, How::FailsInATask] {
        let (source, store, log) = (
            TestSource::of(numbers(6)),
            MemoryStore::new(),
            Log::default(),
        );
        let recorder = Recorder::<u64>::default();
        let projection = projection(&source, &store, &log, failing_at_4(&log, how))
            .with_observer(recorder.observer())
            .with_mode(Mode::Current);
        spawn(projection).wait().await.unwrap();
        assert_eq!(log.handled(), numbers(6), "{how:?}");
        assert_eq!(log.calls(), "start flow stop start flow stop");
        assert_eq!(source.opened_behind(), [None, Some(3)]);
        for position in 1..=6 {
            let times = recorder.count(&format!("observer.after {position}"));
            assert_eq!(times, 1, "{position} after {how:?}");
        }
        assert_eq!(recorder.count("observer.error 4#1"), 1, "{how:?}");
        assert_eq!(recorder.actions(), [FailureAction::Restart]);
        let calls = recorder.calls();
        let lives: Vec<_> = calls
            .iter()
            .filter(|call| ["started", "failed", "stopped"].contains(&&call[9..]))
            .map(|call| &call[9..])
            .collect();
        assert_eq!(
            lives,
            ["started", "failed", "stopped", "started", "stopped"]
        );
        assert_eq!(lane(&store).await.counters, applied(6));
    }
}

#[tokio::test(start_paused = true)]
async fn the_error_names_the_lane_and_the_first_envelope_in_flight() {
    for how in [How::GivesAnError, How::Panics, How::FailsInATask] {
        let (source, store, log) = (
            TestSource::of(numbers(6)),
            MemoryStore::new(),
            Log::default(),
        );
        let projection = projection(&source, &store, &log, failing_at_4(&log, how));
        let error = spawn(projection.with_restart(no_restart())).wait().await;
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("orders/all") && error.contains("at 4") && error.contains("as planned"),
            "{error}"
        );
        assert_eq!(stored(&store).await, Some(3), "what came out is saved");
    }
}

#[tokio::test(start_paused = true)]
async fn when_exhausted_says_whether_a_failed_flow_begins_again() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let make = failing_at_4(&log, How::GivesAnError);
    let projection = projection(&source, &store, &log, make);
    let running = spawn(projection.when_exhausted(WhenExhausted::Stop));
    running.wait().await.unwrap_err();
    assert_eq!(log.calls(), "start flow stop");
    assert_eq!(stored(&store).await, Some(3));
}

#[tokio::test(start_paused = true)]
async fn an_error_with_nothing_in_flight_fails_the_run_too() {
    let (source, store, log) = (
        TestSource::of(numbers(2)),
        MemoryStore::new(),
        Log::default(),
    );
    let (runs, handled) = (log.clone(), log.clone());
    let make = move |input: FlowInput<Event>| {
        let own = in_order(&handled)(input);
        if runs.calls().matches("flow").count() > 1 {
            return own;
        }
        let late = stream::once(async {
            tokio::time::sleep(secs(1)).await; // a workload, not a wait
            Err("its connection is gone".into())
        });
        stream::select(own, late).boxed()
    };
    let running = spawn(projection(&source, &store, &log, make));
    let mut status = running.status_receiver();
    let restarting = status
        .wait_for(|status| matches!(status, ProjectionStatus::Restarting { .. }))
        .await;
    let ProjectionStatus::Restarting { offset, error, .. } = restarting else {
        panic!("{restarting:?}");
    };
    assert_eq!(offset, None, "no envelope is to blame");
    assert!(error.to_string().contains("its connection is gone"));
    pass(secs(2)).await;
    source.push(3);
    eventually("goes on", async || log.handled() == numbers(3)).await;
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_envelope_that_a_flow_fails_at_can_be_skipped_by_command() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let handled = log.clone();
    let make = move |input: FlowInput<Event>| {
        let log = handled.clone();
        let each = move |(envelope, context): (Event, FlowContext)| {
            if envelope.event == 4 {
                return Err("never".into());
            }
            log.handle(envelope.event);
            out(context)
        };
        input.map(each).boxed()
    };
    let running = spawn(projection(&source, &store, &log, make).keeping_dead_letters());
    let mut status = running.status_receiver();
    status
        .wait_for(|status| matches!(status, ProjectionStatus::Restarting { .. }))
        .await;
    assert_eq!(running.skip_current().await.unwrap().text, "4");
    eventually("goes on", async || log.handled() == [1, 2, 3, 5, 6]).await;
    running.stop_and_wait().await.unwrap();
    let counters = lane(&store).await.counters;
    assert_eq!((counters.applied, counters.dead_lettered), (5, 1));
    assert_eq!(stored(&store).await, Some(6));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_fails_lets_what_is_in_flight_come_out() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    source.fail_behind(4, "away");
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    pass(secs(2)).await;
    assert_eq!(log.calls(), "start flow in1 in2 in3 in4");
    gate.open(1..=5);
    source.push(5);
    eventually("all", async || log.handled().len() == 5).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(log.sorted(), numbers(5), "none twice");
    assert_eq!(source.opened_behind(), [None, Some(4)]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_fails_waits_no_longer_than_a_stop_does() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    source.fail_behind(4, "away");
    let gate = Gate::default();
    gate.open([1]);
    let projection = projection(&source, &store, &log, gated(&log, &gate));
    let running = spawn(projection.with_stop_timeout(secs(3)));
    pass(secs(2)).await;
    assert_eq!(source.opened(), 1);
    pass(secs(3)).await;
    assert_eq!(source.opened_behind(), [None, Some(1)]);
    gate.open(2..=4);
    pass(secs(1)).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(log.sorted(), numbers(4));
}

#[tokio::test(start_paused = true)]
async fn a_failed_save_fails_the_run_and_loses_nothing() {
    for fault in [Fault::Refused, Fault::Panics, Fault::AnswerLost] {
        let (source, store, log) = (
            TestSource::of(numbers(6)),
            SteeredStore::default(),
            Log::default(),
        );
        store.plan(Verb::Commit, fault);
        let save = SaveConfig {
            after_envelopes: 2,
            ..SaveConfig::default()
        };
        let projection = projection(&source, &store, &log, in_order(&log)).with_save(save);
        spawn(projection.with_mode(Mode::Current))
            .wait()
            .await
            .unwrap();
        let mut handled = log.sorted();
        handled.dedup();
        assert_eq!(handled, numbers(6), "after {fault:?}");
        assert_eq!(stored(&store.inner).await, Some(6), "after {fault:?}");
        assert_eq!(
            lane(&store.inner).await.counters,
            applied(6),
            "after {fault:?}"
        );
    }
}

/// A handler that panics when its flow is made, as long as it is told to.
struct PanicsFirst(Arc<Mutex<u32>>, Log);

impl FlowHandler<Event> for PanicsFirst {
    fn flow(
        &mut self,
        envelopes: FlowInput<Event>,
    ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
        let left = std::mem::take(&mut *self.0.lock().unwrap());
        assert_eq!(left, 0, "as planned");
        in_order(&self.1)(envelopes)
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_where_the_flow_is_made_fails_the_run() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let (left, handled) = (Arc::new(Mutex::new(1)), log.clone());
    let projection = Projection::flow(id(), source.clone(), store.clone(), move || {
        PanicsFirst(Arc::clone(&left), handled.clone())
    });
    let projection = projection.with_mode(Mode::Current);
    let running = ProjectionRuntime::new().spawn(projection.clone()).unwrap();
    running.wait().await.unwrap();
    assert_eq!(log.handled(), numbers(3));
    assert_eq!(source.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_committed_under_a_claim_that_another_owner_took() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        SteeredStore::default(),
        Log::default(),
    );
    let gate = Gate::default();
    let first = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    gate.open([1]);
    pass(secs(1)).await;
    let other = store.beside();
    let rest = Log::default();
    let steals = projectionist_engine::ClaimConfig {
        when_held: projectionist_engine::WhenHeld::Steal,
        ..projectionist_engine::ClaimConfig::default()
    };
    let second = spawn(projection(&source, &other, &rest, in_order(&rest)).with_claim(steals));
    eventually("taken over", async || rest.handled().len() == 5).await;
    eventually("saved", async || stored(&store.inner).await == Some(6)).await;
    let before = store.saved();
    gate.open(2..=6);
    pass(secs(30)).await;
    assert_eq!(store.saved(), before, "nothing of the first owner");
    assert_eq!(rest.handled(), [2, 3, 4, 5, 6]);
    second.stop_and_wait().await.unwrap();
    first.stop_and_wait().await.unwrap();
    assert_eq!(lane(&store.inner).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_delivers_out_of_order_is_refused_also_while_others_are_in_flight() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    source.push_envelope(projectionist_testkit::TestEnvelope::at(2, 2));
    let gate = Gate::default();
    gate.open(1..=3);
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    let error = running.wait().await.unwrap_err();
    assert!(matches!(*error, Error::PositionRegressed { .. }), "{error}");
}
