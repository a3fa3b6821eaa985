//! Contexts that are lost, foreign or left behind fail the run, and settle nothing.

use std::sync::{Arc, Mutex};

use futures::{StreamExt, stream};
use projectionist_core::contract::Mode;
use projectionist_core::{Error, FlowContext, FlowContexts, FlowInput};
use projectionist_engine::FlowFault;
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::TestSource;

use super::flows::{Event, Log, Output, out, projection, spawn};
use crate::common::{applied, lane, no_restart, numbers, secs, stored};

/// The fault of a run that is not restarted, and the position that it names.
async fn fault_of<M>(log: &Log, store: &MemoryStore, make: M, mode: Mode) -> (FlowFault, String)
where
    M: FnMut(FlowInput<Event>) -> Output + Clone + Send + Sync + 'static,
{
    let source = TestSource::of(numbers(6));
    let projection = projection(&source, store, log, make)
        .with_mode(mode)
        .with_restart(no_restart());
    let running = spawn(projection);
    let ended = tokio::time::timeout(secs(3600), running.wait()).await;
    let error = ended.expect("the fault is met").unwrap_err();
    match &*error {
        Error::Handler {
            lane,
            offset,
            source,
            ..
        } => {
            assert_eq!(lane.to_string(), "orders/all");
            (*source.downcast_ref().unwrap(), offset.clone())
        }
        other => panic!("{other}"),
    }
}

/// Handles everything, and does `instead` with the context of event 3.
fn but_at_3<I>(
    log: &Log,
    instead: I,
) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<I>
where
    I: Fn(FlowContext) + Clone + Send + Sync + 'static,
{
    let log = log.clone();
    move |input| {
        let (log, instead) = (log.clone(), instead.clone());
        let each = move |(envelope, context): (Event, FlowContext)| {
            log.handle(envelope.event);
            if envelope.event == 3 {
                instead(context);
                return std::future::ready(None);
            }
            std::future::ready(Some(out(context)))
        };
        input.filter_map(each).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn a_context_that_is_dropped_fails_the_run_at_its_envelope() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let make = but_at_3(&log, drop);
    let fault = fault_of(&log, &store, make, Mode::Live).await;
    assert_eq!(fault, (FlowFault::ContextLost, "3".to_owned()));
    // What came out ahead of it is settled, and 3 is not.
    assert_eq!(stored(&store).await, Some(2));
    assert_eq!(lane(&store).await.counters.applied, 5);
}

#[tokio::test(start_paused = true)]
async fn a_context_that_is_dropped_elsewhere_wakes_the_run() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let elsewhere = |context: FlowContext| {
        tokio::spawn(async move {
            tokio::time::sleep(secs(1)).await; // a workload, not a wait
            drop(context);
        });
    };
    let make = but_at_3(&log, elsewhere);
    let fault = fault_of(&log, &store, make, Mode::Live).await;
    assert_eq!(fault, (FlowFault::ContextLost, "3".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_context_that_is_filtered_elsewhere_settles_its_envelope() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let elsewhere = |context: FlowContext| {
        tokio::spawn(async move {
            tokio::time::sleep(secs(1)).await; // a workload, not a wait
            context.filtered();
        });
    };
    let (source, make) = (TestSource::of(numbers(6)), but_at_3(&log, elsewhere));
    let running = spawn(projection(&source, &store, &log, make));
    projectionist_testkit::pass(secs(2)).await;
    assert_eq!(stored(&store).await, Some(6));
    running.stop_and_wait().await.unwrap();
    assert_eq!(lane(&store).await.counters.filtered, 1);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_dropped_names_the_first_of_it() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let make = |input: FlowInput<Event>| {
        let each = |batch: Vec<(Event, FlowContext)>| {
            let is_first = batch[0].0.event == 1;
            let contexts: FlowContexts = batch.into_iter().map(|(_, context)| context).collect();
            Ok(if is_first {
                contexts
            } else {
                FlowContexts::default()
            })
        };
        input.chunks(3).map(each).boxed()
    };
    let fault = fault_of(&log, &store, make, Mode::Live).await;
    assert_eq!(fault, (FlowFault::ContextLost, "4".to_owned()));
    assert_eq!(stored(&store).await, Some(3));
    assert_eq!(lane(&store).await.counters, applied(3));
}

#[tokio::test(start_paused = true)]
async fn a_run_begins_again_with_what_was_lost() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let losses = Arc::new(Mutex::new(1));
    let handled = log.clone();
    let make = move |input: FlowInput<Event>| {
        let (losses, log) = (Arc::clone(&losses), handled.clone());
        let each = move |(envelope, context): (Event, FlowContext)| {
            let mut left = losses.lock().unwrap();
            if envelope.event == 3 && *left > 0 {
                *left -= 1;
                return std::future::ready(None);
            }
            log.handle(envelope.event);
            std::future::ready(Some(out(context)))
        };
        input.filter_map(each).boxed()
    };
    let projection = projection(&source, &store, &log, make).with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    assert_eq!(log.handled(), [1, 2, 4, 5, 6, 3], "nothing comes twice");
    assert_eq!(log.calls(), "start flow stop start flow stop");
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn a_context_that_comes_out_of_another_run_fails_that_run_and_settles_nothing() {
    let (source, store, log) = (
        TestSource::of(numbers(6)),
        MemoryStore::new(),
        Log::default(),
    );
    let kept: Arc<Mutex<Vec<FlowContext>>> = Arc::default();
    let errors: Arc<Mutex<Vec<(String, FlowFault)>>> = Arc::default();
    let (runs, keeps) = (log.clone(), Arc::clone(&kept));
    let make = move |input: FlowInput<Event>| {
        let (log, kept) = (runs.clone(), Arc::clone(&keeps));
        let run = log.calls().matches("flow").count();
        let foreign: Vec<_> = kept.lock().unwrap().drain(..).collect();
        let first = stream::iter(foreign).map(out);
        let each = move |(envelope, context): (Event, FlowContext)| {
            if run == 1 && envelope.event == 2 {
                kept.lock().unwrap().push(context);
                return Err("the first run fails, and 2 is kept".into());
            }
            log.handle(envelope.event);
            out(context)
        };
        // The context of the first run comes out behind the first one of the second.
        if run == 2 {
            let mut input = input.map(each);
            let both = async move {
                let own = input.next().await.unwrap();
                stream::iter([own]).chain(first).chain(input)
            };
            return stream::once(both).flatten().boxed();
        }
        input.map(each).boxed()
    };
    let told = Arc::clone(&errors);
    let projection = projection(&source, &store, &log, make)
        .with_mode(Mode::Current)
        .on_failure(move |failed| {
            if let Some(fault) = failed.error.downcast_ref() {
                let at = failed.position.offset().text;
                told.lock().unwrap().push((at, *fault));
            }
        });
    spawn(projection).wait().await.unwrap();
    let foreign = FlowFault::ForeignContexts { envelopes: 1 };
    assert_eq!(*errors.lock().unwrap(), [("3".to_owned(), foreign)]);
    // The second run handled 2 before; the third began behind it.
    assert_eq!(log.handled(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(log.calls().matches("flow").count(), 3);
    assert_eq!(lane(&store).await.counters, applied(6));
}

#[tokio::test(start_paused = true)]
async fn contexts_that_outlive_their_run_can_be_dropped_and_filtered_without_an_effect() {
    let (source, store, log) = (
        TestSource::of(numbers(4)),
        MemoryStore::new(),
        Log::default(),
    );
    let kept: Arc<Mutex<Vec<FlowContext>>> = Arc::default();
    let (runs, keeps) = (log.clone(), Arc::clone(&kept));
    let make = move |input: FlowInput<Event>| {
        let (log, kept) = (runs.clone(), Arc::clone(&keeps));
        let is_first = log.calls().matches("flow").count() == 1;
        let each = move |(envelope, context): (Event, FlowContext)| {
            if is_first && envelope.event > 1 {
                kept.lock().unwrap().push(context);
                if envelope.event == 3 {
                    return Err("fails".into());
                }
                return Ok(FlowContexts::default());
            }
            if envelope.event == 3 {
                let mut kept = kept.lock().unwrap();
                kept.pop().unwrap().filtered();
                kept.clear();
            }
            log.handle(envelope.event);
            out(context)
        };
        input.map(each).boxed()
    };
    let projection = projection(&source, &store, &log, make).with_mode(Mode::Current);
    spawn(projection).wait().await.unwrap();
    assert_eq!(log.handled(), numbers(4));
    assert_eq!(lane(&store).await.counters, applied(4), "none is filtered");
    assert_eq!(log.calls().matches("flow").count(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_ends_with_contexts_elsewhere_has_left_them_behind() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let kept: Arc<Mutex<Vec<FlowContext>>> = Arc::default();
    let keeps = Arc::clone(&kept);
    let make = but_at_3(&log, move |context| keeps.lock().unwrap().push(context));
    let fault = fault_of(&log, &store, make, Mode::Current).await;
    let left = FlowFault::LeftBehind { envelopes: 1 };
    assert_eq!(fault, (left, "3".to_owned()));
    assert_eq!(stored(&store).await, Some(2));
    drop(kept);
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_ends_before_its_input_fails_the_run() {
    for (taken, at) in [(2, "3"), (6, "6")] {
        let (store, log) = (MemoryStore::new(), Log::default());
        let make = move |input: FlowInput<Event>| {
            let each = |(_, context): (Event, FlowContext)| out(context);
            input.map(each).take(taken).boxed()
        };
        let fault = fault_of(&log, &store, make, Mode::Live).await;
        // Nothing in flight is named where everything came out, but how far the lane is.
        let at = if taken == 6 { "the beginning" } else { at };
        assert_eq!(fault.0, FlowFault::EndedEarly);
        assert!(fault.1 == at || taken == 6, "{fault:?}");
        assert_eq!(stored(&store).await, Some(taken as u64));
    }
}

#[tokio::test(start_paused = true)]
async fn a_flow_that_drops_its_input_fails_the_run_with_what_comes_next() {
    let (store, log) = (MemoryStore::new(), Log::default());
    let make = |input: FlowInput<Event>| {
        drop(input);
        stream::pending().boxed()
    };
    let fault = fault_of(&log, &store, make, Mode::Live).await;
    assert_eq!(fault, (FlowFault::ContextLost, "1".to_owned()));
}
