//! Stops, pauses and other commands: what is in flight comes out, or comes again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::{Stream, StreamExt, stream};
use projectionist_core::contract::Mode;
use projectionist_core::{FlowContext, FlowContexts, FlowInput};
use projectionist_engine::{Completion, ProjectionStatus};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{TestSource, eventually, pass};
use tokio::time::Instant;

use super::flows::{Event, Gate, Log, Output, gated, in_order, out, projection, spawn};
use crate::common::store::Verb;
use crate::common::{SteeredStore, applied, lane, numbers, secs, stored};

/// Two at a time; the rest waits in the input.
fn two_at_a_time(
    log: &Log,
    gate: &Gate,
) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let (log, gate) = (log.clone(), gate.clone());
    move |input| {
        let (log, gate) = (log.clone(), gate.clone());
        let each = move |(envelope, context): (Event, FlowContext)| {
            let (log, gate) = (log.clone(), gate.clone());
            log.say(format!("in{}", envelope.event));
            async move {
                gate.passes(envelope.event).await;
                log.handle(envelope.event);
                out(context)
            }
        };
        input.map(each).buffered(2).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_waits_for_what_the_flow_has_begun_and_for_no_more() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let projection = projection(&source, &store, &log, two_at_a_time(&log, &gate));
    let running = spawn(projection.clone());
    gate.open([1, 2]);
    pass(secs(1)).await;
    running.stop();
    pass(secs(1)).await;
    assert!(!running.status().is_terminal());
    gate.open(3..=9);
    assert_eq!(running.wait().await.unwrap(), Completion::Stopped);
    assert_eq!(log.calls(), "start flow in1 in2 in3 in4 stop");
    assert_eq!(log.sorted(), numbers(4));
    assert_eq!(stored(&store).await, Some(4));
    let rest = spawn(projection.with_mode(Mode::Current));
    rest.wait().await.unwrap();
    assert_eq!(log.sorted(), numbers(9), "each once");
    assert_eq!(lane(&store).await.counters, applied(9));
}

/// Says when it is dropped.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_drops_a_flow_that_does_not_end_and_its_envelopes_come_again() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    let (gate, dropped) = (Gate::default(), Arc::new(AtomicBool::new(false)));
    let (inner, flag) = (gated(&log, &gate), Arc::clone(&dropped));
    let make = move |input: FlowInput<Event>| {
        let guard = Dropped(Arc::clone(&flag));
        let flow = inner(input);
        flow.inspect(move |_| {
            let _kept = &guard;
        })
        .boxed()
    };
    gate.open([1, 3]);
    let projection = projection(&source, &store, &log, make).with_stop_timeout(secs(3));
    let running = spawn(projection.clone());
    pass(secs(1)).await;
    let began = Instant::now();
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(began.elapsed(), secs(3));
    assert!(dropped.load(Ordering::SeqCst));
    assert_eq!(log.calls(), "start flow in1 in2 in3 in4 stop");
    assert_eq!(stored(&store).await, Some(1));
    gate.open([2, 4]);
    spawn(projection.with_mode(Mode::Current))
        .wait()
        .await
        .unwrap();
    assert_eq!(log.sorted(), numbers(4), "3 was stored ahead");
    assert_eq!(lane(&store).await.counters, applied(4));
}

#[tokio::test(start_paused = true)]
async fn a_pause_lets_what_is_in_flight_come_out_and_a_resume_makes_a_new_flow() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    pass(secs(1)).await;
    let (paused, ()) = tokio::join!(running.pause_and_wait(), async {
        pass(secs(2)).await;
        gate.open(1..=4);
    });
    paused.unwrap();
    assert_eq!(stored(&store).await, Some(4));
    source.push(5);
    gate.open([5]);
    pass(secs(5)).await;
    assert_eq!(log.sorted(), numbers(4));
    running.resume().await.unwrap();
    eventually("resumed", async || log.handled().len() == 5).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(
        log.calls(),
        "start flow in1 in2 in3 in4 stop start flow in5 stop"
    );
}

/// Makes batches of three, and of what there is when the input ends.
fn batches(log: &Log) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let log = log.clone();
    move |input| {
        let log = log.clone();
        let each = move |batch: Vec<(Event, FlowContext)>| {
            batch.iter().for_each(|(one, _)| log.handle(one.event));
            let contexts: FlowContexts = batch.into_iter().map(|(_, context)| context).collect();
            Ok(contexts)
        };
        input.chunks(3).map(each).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn the_input_ends_with_a_stop_so_that_a_short_batch_comes_out() {
    let (source, store, log) = (
        TestSource::of(numbers(5)),
        MemoryStore::new(),
        Log::default(),
    );
    let running = spawn(projection(&source, &store, &log, batches(&log)));
    pass(secs(1)).await;
    assert_eq!(log.handled(), numbers(3));
    let began = Instant::now();
    running.stop_and_wait().await.unwrap();
    assert_eq!(began.elapsed(), secs(0));
    assert_eq!(log.handled(), numbers(5));
    assert_eq!(stored(&store).await, Some(5));
}

/// As [`batches`], but a short batch is thrown away.
fn whole_batches(log: &Log) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let log = log.clone();
    move |input| {
        let log = log.clone();
        let each = move |batch: Vec<(Event, FlowContext)>| {
            if batch.len() < 3 {
                return std::future::ready(None);
            }
            batch.iter().for_each(|(one, _)| log.handle(one.event));
            let contexts: FlowContexts = batch.into_iter().map(|(_, context)| context).collect();
            std::future::ready(Some(Ok(contexts)))
        };
        input.chunks(3).filter_map(each).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_flow_throws_away_at_a_stop_is_no_fault_and_comes_again() {
    let (source, store, log) = (
        TestSource::of(numbers(5)),
        MemoryStore::new(),
        Log::default(),
    );
    let projection = projection(&source, &store, &log, whole_batches(&log));
    let running = spawn(projection.clone());
    pass(secs(1)).await;
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(stored(&store).await, Some(3));
    source.push(6);
    spawn(projection.with_mode(Mode::Current))
        .wait()
        .await
        .unwrap();
    assert_eq!(log.handled(), numbers(6));
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_met_while_the_source_is_quiet() {
    let (source, store, log) = (
        TestSource::of(numbers(2)),
        MemoryStore::new(),
        Log::default(),
    );
    let running = spawn(projection(&source, &store, &log, in_order(&log)));
    pass(secs(5)).await;
    let began = Instant::now();
    running.stop_and_wait().await.unwrap();
    assert_eq!(began.elapsed(), secs(0));
    assert_eq!(log.calls(), "start flow stop");
}

#[tokio::test(start_paused = true)]
async fn a_stop_is_met_while_a_completed_source_waits_for_the_flow() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    gate.open([1]);
    let projection = projection(&source, &store, &log, gated(&log, &gate));
    let projection = projection.with_mode(Mode::Current);
    let running = spawn(projection.with_stop_timeout(secs(2)));
    pass(secs(60)).await;
    assert!(matches!(running.status(), ProjectionStatus::Blocked { .. }));
    let began = Instant::now();
    assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
    assert_eq!(began.elapsed(), secs(2));
    assert_eq!(stored(&store).await, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_completed_source_waits_for_the_end_of_the_output() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let (inner, said) = (in_order(&log), log.clone());
    let make = move |input: FlowInput<Event>| {
        let log = said.clone();
        let last = stream::once(async move {
            tokio::time::sleep(secs(7)).await; // a workload, not a wait
            log.say("last");
            Ok(FlowContexts::default())
        });
        inner(input).chain(last).boxed()
    };
    let began = Instant::now();
    let projection = projection(&source, &store, &log, make).with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    assert_eq!(began.elapsed(), secs(7));
    assert_eq!(log.calls(), "start flow last stop");
}

#[tokio::test(start_paused = true)]
async fn a_stop_does_not_wait_for_a_store_that_hangs() {
    let (source, store) = (TestSource::of(numbers(50)), SteeredStore::default());
    let log = Log::default();
    store.hold(Verb::Commit);
    let save = projectionist_engine::SaveConfig {
        max_unsaved: 10,
        ..projectionist_engine::SaveConfig::default()
    };
    let projection = projection(&source, &store, &log, in_order(&log)).with_save(save);
    let running = spawn(projection.with_stop_timeout(secs(3)));
    pass(secs(1)).await;
    assert_eq!(
        log.handled(),
        numbers(10),
        "no more than a crash may repeat"
    );
    let began = Instant::now();
    let error = running.stop_and_wait().await.unwrap_err().to_string();
    assert!(error.contains("save"), "says what is lost: {error}");
    assert!(began.elapsed() <= secs(6));
}

/// A stream that says when it is polled.
fn polled<O: Stream + Send + 'static>(
    flow: O,
    polls: &Arc<std::sync::atomic::AtomicUsize>,
) -> impl Stream<Item = O::Item> + Send + 'static {
    let (polls, mut flow) = (Arc::clone(polls), Box::pin(flow));
    stream::poll_fn(move |cx| {
        polls.fetch_add(1, Ordering::SeqCst);
        flow.as_mut().poll_next(cx)
    })
}

#[tokio::test(start_paused = true)]
async fn a_quiet_flow_is_not_polled() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let (gate, polls) = (Gate::default(), Arc::default());
    gate.open([1, 2]);
    let (inner, counted) = (gated(&log, &gate), Arc::clone(&polls));
    let make = move |input: FlowInput<Event>| polled(inner(input), &counted).boxed();
    let running = spawn(projection(&source, &store, &log, make));
    pass(secs(30)).await;
    let before = polls.load(Ordering::SeqCst);
    pass(secs(3600)).await;
    let after = polls.load(Ordering::SeqCst);
    // The owner's own rounds wake the task that the flow runs in, at most twice a second.
    assert!(after - before <= 2 * 3600 + 10, "{} polls", after - before);
    gate.open([3]);
    pass(secs(1)).await;
    running.stop_and_wait().await.unwrap();
}
