//! The process dies at every commit: no more is repeated than is promised, and nothing is lost.

use futures::StreamExt;
use projectionist_core::contract::Mode;
use projectionist_core::{FlowContext, FlowContexts, FlowInput};
use projectionist_engine::{ProjectionRuntime, SaveConfig};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{CrashPoint, CrashStore, TestSource};

use super::flows::{Event, Log, Output, in_order, out, projection};
use crate::common::crash::{dies_after, lives};
use crate::common::{applied, lane, millis, numbers};

const EVENTS: u64 = 24;

/// Handles four at a time, each for another while, so that they come out in another order.
fn jumbled(log: &Log) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let log = log.clone();
    move |input| {
        let log = log.clone();
        let each = move |(envelope, context): (Event, FlowContext)| {
            let log = log.clone();
            async move {
                let takes = (envelope.event * 7) % 5 + 1;
                tokio::time::sleep(millis(10 * takes)).await; // a workload, not a wait
                log.handle(envelope.event);
                out(context)
            }
        };
        input.map(each).buffer_unordered(4).boxed()
    }
}

/// Handles batches of three.
fn batched(log: &Log) -> impl Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + use<> {
    let log = log.clone();
    move |input| {
        let log = log.clone();
        let each = move |batch: Vec<(Event, FlowContext)>| {
            let log = log.clone();
            async move {
                tokio::time::sleep(millis(10)).await; // a workload, not a wait
                batch.iter().for_each(|(one, _)| log.handle(one.event));
                let contexts = batch.into_iter().map(|(_, context)| context);
                Ok(contexts.collect::<FlowContexts>())
            }
        };
        input.chunks(3).then(each).boxed()
    }
}

/// Runs the flow until its process dies at `point`, and then to the end; whether it died.
fn dies_once<M>(log: &Log, make: M, (point, count): (CrashPoint, u64), save: SaveConfig) -> bool
where
    M: Fn(FlowInput<Event>) -> Output + Clone + Send + Sync + 'static,
{
    let what = format!("{point:?} {count} {save:?}");
    let (source, store) = (TestSource::of(numbers(EVENTS)), MemoryStore::new());
    let dying = CrashStore::over(store.clone());
    dying.crash_at(point, count);
    let runtime = ProjectionRuntime::new();
    let first = projection(&source, &dying, log, make.clone()).with_save(save);
    let first = first.with_mode(Mode::Current);
    let died = dies_after(async {
        let handle = runtime.spawn(first).unwrap();
        let died = tokio::select! {
            () = dying.crashed() => true,
            ended = handle.wait() => ended.is_err(),
        };
        std::mem::forget(handle);
        died
    });
    let second = projection(&source, &store, log, make).with_save(save);
    let second = second.with_mode(Mode::Current);
    lives(async { runtime.spawn(second).unwrap().wait().await.unwrap() });
    let mut handled = log.sorted();
    let repeated = handled.len() as u64 - EVENTS;
    assert!(repeated <= save.max_unsaved, "{what}: {repeated} repeated");
    handled.dedup();
    assert_eq!(handled, numbers(EVENTS), "{what}: nothing is lost");
    let lane = lives(lane(&store));
    assert_eq!(lane.counters, applied(EVENTS), "{what}");
    assert_eq!(lane.offset.unwrap().text, EVENTS.to_string(), "{what}");
    assert!(lane.ahead.is_empty(), "{what}");
    died
}

#[test]
fn a_crash_at_every_commit_repeats_no_more_than_is_promised_and_loses_nothing() {
    let mut crashes = 0;
    for max_unsaved in [4, 6, 1_000] {
        let save = SaveConfig {
            after_envelopes: 2,
            max_unsaved,
            ..SaveConfig::default()
        };
        for point in [CrashPoint::BeforeSave, CrashPoint::AfterSave] {
            for count in 1..=9 {
                let log = Log::default();
                crashes += u32::from(dies_once(&log, jumbled(&log), (point, count), save));
                let log = Log::default();
                crashes += u32::from(dies_once(&log, batched(&log), (point, count), save));
                let log = Log::default();
                crashes += u32::from(dies_once(&log, in_order(&log), (point, count), save));
            }
        }
    }
    assert!(crashes >= 60, "{crashes} crashes");
}
