//! Contexts that come out in another order than they went in.

use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_engine::{FlowConfig, ProjectionRuntime, SaveConfig, WindowLimits};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{LowWaterStore, TestSource, pass};

use super::flows::{Gate, Log, gated, in_order, projection, spawn};
use crate::common::crash::{dies_after, lives};
use crate::common::random::{Random, seed};
use crate::common::{applied, lane, numbers, secs, stored};

async fn ahead(store: &MemoryStore) -> Vec<(String, String)> {
    let ranges = lane(store).await.ahead.ranges.into_iter();
    ranges.map(|range| (range.first, range.last)).collect()
}

fn range(first: u64, last: u64) -> (String, String) {
    (first.to_string(), last.to_string())
}

#[tokio::test(start_paused = true)]
async fn the_lane_waits_for_the_first_one_and_what_is_ahead_of_it_is_stored() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let running = spawn(projection(&source, &store, &log, gated(&log, &gate)));
    gate.open([1, 3, 4, 6, 9]);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, Some(1));
    assert_eq!(ahead(&store).await, [range(3, 4), range(6, 6), range(9, 9)]);
    assert_eq!(lane(&store).await.counters, applied(5));
    gate.open([2, 5]);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, Some(6));
    assert_eq!(ahead(&store).await, [range(9, 9)]);
    gate.open([7, 8]);
    pass(secs(1)).await;
    assert_eq!(stored(&store).await, Some(9));
    assert_eq!(ahead(&store).await, []);
    running.stop_and_wait().await.unwrap();
    assert_eq!(lane(&store).await.counters, applied(9));
}

#[test]
fn what_is_stored_ahead_does_not_come_again_after_a_crash() {
    let (source, store, log) = (
        TestSource::of(numbers(9)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let first = projection(&source, &store, &log, gated(&log, &gate));
    let runtime = ProjectionRuntime::new();
    gate.open([1, 3, 4, 6, 9]);
    dies_after(async {
        let handle = runtime.spawn(first).unwrap();
        pass(secs(1)).await;
        std::mem::forget(handle);
    });
    let second = Log::default();
    let rest = projection(&source, &store, &second, in_order(&second));
    let rest = rest.with_mode(Mode::Current);
    lives(async { runtime.spawn(rest).unwrap().wait().await.unwrap() });
    assert_eq!(second.handled(), [2, 5, 7, 8]);
    let lane = lives(lane(&store));
    assert_eq!(lane.offset.unwrap().text, "9");
    assert!(lane.ahead.is_empty());
    assert_eq!(lane.counters, applied(9));
}

#[test]
fn a_store_that_keeps_no_more_than_the_low_water_mark_repeats_no_more_than_is_promised() {
    let save = SaveConfig {
        max_unsaved: 6,
        ..SaveConfig::default()
    };
    let memory = MemoryStore::new();
    let store = LowWaterStore::over(memory.clone());
    let (source, log, gate) = (TestSource::of(numbers(30)), Log::default(), Gate::default());
    let first = projection(&source, &store, &log, gated(&log, &gate)).with_save(save);
    let runtime = ProjectionRuntime::new();
    // All but one may pass: the flow gets no more than what a crash may repeat.
    gate.open((1..=30).filter(|event| *event != 4));
    dies_after(async {
        let handle = runtime.spawn(first).unwrap();
        pass(secs(5)).await;
        std::mem::forget(handle);
    });
    assert_eq!(lives(stored(&store)), Some(3));
    assert_eq!(log.sorted(), [1, 2, 3, 5, 6, 7, 8, 9], "4 is in flight");
    let rest = projection(&source, &store, &log, in_order(&log));
    let rest = rest.with_mode(Mode::Current);
    lives(async { runtime.spawn(rest).unwrap().wait().await.unwrap() });
    let mut handled = log.sorted();
    assert_eq!(handled.len(), 35, "five are repeated");
    handled.dedup();
    assert_eq!(handled, numbers(30));
    assert_eq!(lives(stored(&store)), Some(30));
}

#[tokio::test(start_paused = true)]
async fn the_ranges_that_are_settled_ahead_are_bounded() {
    let (source, store, log) = (
        TestSource::of(numbers(60)),
        MemoryStore::new(),
        Log::default(),
    );
    let gate = Gate::default();
    let limits = WindowLimits {
        max_ranges: 4,
        ..WindowLimits::default()
    };
    let flow = FlowConfig {
        limits,
        ..FlowConfig::default()
    };
    gate.open((1..=60).filter(|event| event % 2 == 0));
    let projection = projection(&source, &store, &log, gated(&log, &gate)).with_flow(flow);
    // The whole fill is with the flow before any of it comes out; so the bound is felt behind it.
    let running = spawn(projection.with_save(SaveConfig {
        max_unsaved: 10,
        ..SaveConfig::default()
    }));
    pass(secs(3)).await;
    let ranges = ahead(&store).await.len();
    assert!((4..=5 + 4).contains(&ranges), "{ranges} ranges");
    let taken = log.calls().matches("in").count();
    assert!(taken < 25, "{taken} taken");
    gate.open((1..=60).filter(|event| event % 2 == 1));
    pass(secs(3)).await;
    running.stop_and_wait().await.unwrap();
    assert_eq!(log.sorted(), numbers(60));
    assert_eq!(lane(&store).await.counters, applied(60));
}

/// Whatever the order is in which contexts come out, everything is handled once.
#[tokio::test(start_paused = true)]
async fn any_order_settles_everything_once() {
    let seed = seed();
    println!("PROJECTIONIST_SEED={seed}");
    let mut random = Random::seeded(seed);
    for _ in 0..20 {
        let (store, log, gate) = (MemoryStore::new(), Log::default(), Gate::default());
        let source = TestSource::of(numbers(300));
        let projection = projection(&source, &store, &log, gated(&log, &gate));
        let running = spawn(projection.with_mode(Mode::Current));
        let mut closed = numbers(300);
        while !closed.is_empty() {
            // Never the first twenty for long, so that those behind come out before.
            let reach = closed.len().min(80) as u64;
            let index = usize::try_from(random.within(0..=reach - 1)).unwrap();
            gate.open([closed.remove(index)]);
            if random.once_in(10) {
                pass(secs(1)).await;
                let low = stored(&store).await.unwrap_or_default();
                let first = closed.first().copied().unwrap_or(301);
                assert!(low < first, "the lane passed {first}, which is in flight");
            }
        }
        running.wait().await.unwrap();
        assert_eq!(log.sorted(), numbers(300));
        let lane = store.lane(&crate::common::id()).await.unwrap().unwrap();
        assert_eq!(lane.counters, applied(300));
        assert_eq!(lane.offset.unwrap().text, "300");
        assert!(lane.ahead.is_empty());
    }
}
