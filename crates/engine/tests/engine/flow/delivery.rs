//! What goes into a flow, what moves the lane, and what is bounded.

use futures::StreamExt;
use projectionist_core::contract::{DeadLetterFilter, DeadLetterStore, Mode};
use projectionist_core::{Counters, FlowContext, FlowContexts, Offset};
use projectionist_engine::{Completion, FlowConfig, ProjectionStatus, SaveConfig, WindowLimits};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestPosition, TestSource, eventually, pass};

use super::flows::{Event, Gate, Log, gated, in_order, out, projection, spawn};
use crate::common::{SteeredStore, applied, lane, millis, numbers, secs, stored};

#[tokio::test(start_paused = true)]
async fn fact_33_the_model_is_complete_and_the_offset_is_that_of_what_came_out() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let recorder = Recorder::<u64>::default();
    let projection = projection(&source, &store, &log, in_order(&log))
        .with_observer(recorder.observer())
        .with_mode(Mode::Current);
    let running = spawn(projection);
    assert_eq!(running.wait().await.unwrap(), Completion::Completed);
    assert_eq!(log.handled(), numbers(6));
    assert_eq!(log.calls(), "start flow stop");
    let lane = lane(&store).await;
    assert_eq!(lane.offset, Some(Offset::of(&TestPosition(6))));
    assert_eq!(lane.counters, applied(6));
    assert!(lane.ahead.is_empty());
    for position in 1..=6 {
        assert_eq!(recorder.count(&format!("observer.before {position}")), 1);
        assert_eq!(recorder.count(&format!("observer.after {position}")), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_saved_before_its_context_comes_out() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    pass(secs(5)).await;
    assert_eq!(log.calls(), "start flow in1 in2 in3 in4 in5 in6");
    assert_eq!(stored(&store).await, None);
    gate.open(1..=3);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, Some(3));
    assert_eq!(lane(&store).await.counters, applied(3));
    gate.open(4..=6);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, Some(6));
    running.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_batch_comes_out_as_one() {
    let (source, store) = (TestSource::of(numbers(8)), SteeredStore::default());
    let log = Log::default();
    let batches = log.clone();
    let make = move |input: projectionist_core::FlowInput<Event>| {
        let log = batches.clone();
        let each = move |batch: Vec<(Event, FlowContext)>| {
            let (envelopes, contexts): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            envelopes.iter().for_each(|one| log.handle(one.event));
            let contexts: FlowContexts = contexts.into_iter().collect();
            log.say(contexts.len().to_string());
            Ok(contexts)
        };
        input.chunks(3).map(each).boxed()
    };
    let save = SaveConfig {
        after_envelopes: 1,
        ..SaveConfig::default()
    };
    let projection = projection(&source, &store, &log, make).with_save(save);
    let running = spawn(projection.with_mode(Mode::Current));
    running.wait().await.unwrap();
    assert_eq!(
        log.calls(),
        "start flow 3 3 2 stop",
        "the last one is short"
    );
    assert_eq!(log.handled(), numbers(8));
    let saved = store.saved();
    assert!(saved.iter().all(|at| [3, 6, 8].contains(at)), "{saved:?}");
    assert_eq!(lane(&store.inner).await.counters, applied(8));
}

#[tokio::test(start_paused = true)]
async fn fact_35_every_envelope_reaches_the_flow_and_what_it_filters_is_passed_and_counted() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let filter = log.clone();
    let make = move |input: projectionist_core::FlowInput<Event>| {
        let log = filter.clone();
        let each = move |(envelope, context): (Event, FlowContext)| {
            let log = log.clone();
            async move {
                log.say(envelope.event.to_string());
                if envelope.event % 3 == 0 {
                    context.filtered();
                    return None;
                }
                log.handle(envelope.event);
                Some(out(context))
            }
        };
        input.filter_map(each).boxed()
    };
    let projection = projection(&source, &store, &log, make).with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    assert_eq!(log.calls(), "start flow 1 2 3 4 5 6 7 8 9 stop");
    let kept: Vec<_> = numbers(9).into_iter().filter(|one| one % 3 != 0).collect();
    assert_eq!(log.handled(), kept);
    let expected = Counters {
        read: 9,
        applied: 6,
        filtered: 3,
        ..Counters::ZERO
    };
    let lane = lane(&store).await;
    assert_eq!(
        (lane.counters, lane.offset.unwrap().text),
        (expected, "9".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_batch_can_be_filtered_as_a_whole() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    let make = |input: projectionist_core::FlowInput<Event>| {
        let each = |batch: Vec<(Event, FlowContext)>| {
            let contexts: FlowContexts = batch.into_iter().map(|(_, context)| context).collect();
            contexts.filtered();
            // What comes out empty changes nothing.
            Ok(FlowContexts::default())
        };
        input.chunks(2).map(each).boxed()
    };
    let projection = projection(&source, &store, &log, make).with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    let counters = lane(&store).await.counters;
    assert_eq!((counters.filtered, counters.applied), (4, 0));
    assert_eq!(stored(&store).await, Some(4));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_vouched_for_never_reaches_the_flow() {
    let (source, store, log) = (
        TestSource::of(numbers(5)),
        MemoryStore::new(),
        Log::default(),
    );
    source.refuse(3);
    let projection = projection(&source, &store, &log, in_order(&log))
        .keeping_dead_letters()
        .with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    assert_eq!(log.handled(), [1, 2, 4, 5]);
    let expected = Counters {
        read: 5,
        applied: 4,
        dead_lettered: 1,
        ..Counters::ZERO
    };
    assert_eq!(lane(&store).await.counters, expected);
    assert_eq!(letters(&store, "orders").await, ["3"]);
}

#[tokio::test(start_paused = true)]
async fn a_verification_that_fails_fails_the_run_and_what_is_in_flight_comes_again() {
    let (source, store, log) = (
        TestSource::of(numbers(5)),
        MemoryStore::new(),
        Log::default(),
    );
    source.fail_next_verification("away");
    let projection = projection(&source, &store, &log, in_order(&log));
    spawn(projection.with_mode(Mode::Current))
        .wait()
        .await
        .unwrap();
    assert_eq!(log.handled(), numbers(5));
    assert_eq!(source.opened(), 2);
}

async fn letters(store: &MemoryStore, projection: &str) -> Vec<String> {
    let filter = DeadLetterFilter {
        projection: Some(projection.to_owned()),
        limit: 10,
        ..DeadLetterFilter::default()
    };
    let letters = store.dead_letters(&filter).await.unwrap();
    let offsets = letters.into_iter().map(|stored| stored.letter.offset.text);
    offsets.collect()
}

#[tokio::test(start_paused = true)]
async fn a_malformed_record_becomes_a_letter_also_while_others_are_in_flight() {
    let (source, store, log) = (
        TestSource::of(numbers(2)),
        MemoryStore::new(),
        Log::default(),
    );
    source.push_malformed("no JSON", b"{");
    source.push(4);
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    gate.open([2, 4]);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, None, "1 is in flight");
    assert_eq!(letters(&store, "").await, ["3"], "it waits for nobody");
    gate.open([1]);
    pass(secs(1)).await;
    running.stop_and_wait().await.unwrap();
    let expected = Counters {
        malformed: 1,
        ..applied(3)
    };
    let lane = lane(&store).await;
    assert_eq!(
        (lane.counters, lane.offset.unwrap().text),
        (expected, "4".to_owned())
    );
}

/// How many envelopes a flow gets that gives nothing back.
async fn taken(source: TestSource<u64>, save: SaveConfig, limits: WindowLimits) -> usize {
    let (store, log, gate) = (MemoryStore::new(), Log::default(), Gate::default());
    let flow = FlowConfig {
        limits,
        ..FlowConfig::default()
    };
    let projection = projection(&source, &store, &log, gated(&log, &gate));
    let running = spawn(
        projection
            .with_save(save)
            .with_flow(flow)
            .with_stop_timeout(secs(0)),
    );
    pass(secs(1)).await;
    let taken = log.calls().matches("in").count();
    gate.open([1]);
    pass(secs(1)).await;
    let more = log.calls().matches("in").count();
    assert_eq!(
        more,
        taken + 1,
        "one came out and is saved: one more goes in"
    );
    running.stop_and_wait().await.unwrap();
    taken
}

#[tokio::test(start_paused = true)]
async fn what_is_in_flight_is_bounded_by_number_by_bytes_and_by_what_a_crash_repeats() {
    let (save, limits) = (SaveConfig::default(), WindowLimits::default());
    let source = || TestSource::of(numbers(50));
    let by_number = WindowLimits {
        max_unsettled: 7,
        ..limits
    };
    assert_eq!(taken(source(), save, by_number).await, 7);
    let by_bytes = WindowLimits {
        max_unsettled_bytes: 1_000,
        ..limits
    };
    let heavy = source().with_envelope_bytes(100);
    assert_eq!(taken(heavy, save, by_bytes).await, 10);
    let by_repeats = SaveConfig {
        max_unsaved: 12,
        ..save
    };
    assert_eq!(taken(source(), by_repeats, limits).await, 12);
}

#[tokio::test(start_paused = true)]
async fn it_is_idle_when_nothing_is_in_flight_and_waiters_hear_what_came_out() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    pass(secs(1)).await;
    assert!(matches!(running.status(), ProjectionStatus::Running { .. }));
    let until = running.wait_until(Offset::of(&TestPosition(2)));
    let mut until = std::pin::pin!(until);
    gate.open([2]);
    let early = tokio::time::timeout(secs(2), until.as_mut()).await;
    assert!(early.is_err(), "1 is in flight");
    gate.open([1]);
    let told = tokio::time::timeout(millis(10), until).await;
    told.unwrap().unwrap();
    gate.open([3]);
    pass(secs(1)).await;
    assert!(matches!(running.status(), ProjectionStatus::Idle { .. }));
    source.push(4);
    pass(millis(1)).await;
    assert!(matches!(running.status(), ProjectionStatus::Running { .. }));
    running.with_stop().await;
}

trait WithStop {
    async fn with_stop(&self);
}

impl WithStop for projectionist_engine::ProjectionHandle {
    /// Ends the projection although its flow gives nothing back.
    async fn with_stop(&self) {
        self.stop_and_wait().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_reached_before_is_a_replay() {
    let (source, store, log) = (
        TestSource::of(numbers(3)),
        MemoryStore::new(),
        Log::default(),
    );
    let said = log.clone();
    let make = move |input: projectionist_core::FlowInput<Event>| {
        let log = said.clone();
        let each = move |(envelope, context): (Event, FlowContext)| {
            let replay = if context.is_replay() { "r" } else { "" };
            assert_eq!(context.lane().to_string(), "orders/all");
            log.say(format!("{}{replay}", envelope.event));
            log.handle(envelope.event);
            out(context)
        };
        input.map(each).boxed()
    };
    let running = spawn(projection(&source, &store, &log, make));
    eventually("saved", async || stored(&store).await == Some(3)).await;
    running.clear_offset().await.unwrap();
    eventually("again", async || log.handled().len() == 6).await;
    source.push(4);
    eventually("more", async || log.handled().len() == 7).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(
        log.calls(),
        "start flow 1 2 3 stop start flow 1r 2r 3r 4 stop"
    );
}
