//! A lane with something settled ahead, read by deliveries in order.

use projectionist_core::LaneState;
use projectionist_core::contract::{Mode, OffsetStore};
use projectionist_engine::{GroupConfig, Projection, ProjectionRuntime};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{LowWaterStore, Recorder, TestSource};

use crate::common::{applied, id, lane, numbers, secs};
use crate::keyed::book::fold;
use crate::keyed::projection::recorded;

/// Handles all of `numbers(40)` but 2 and the others of its key; leaves the row.
async fn ahead_of_two<S: OffsetStore>(store: &S) -> (TestSource<u64>, Vec<u64>) {
    let (source, recorder) = (TestSource::of(numbers(40)), Recorder::default());
    recorder.hold_at(2);
    let projection = recorded(&source, store, &recorder, 8).with_stop_timeout(secs(1));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(35).await;
    handle.stop();
    handle.wait().await.unwrap();
    (source, recorder.handled())
}

/// What a delivery in order handles of that lane, and the row that it leaves.
macro_rules! handled_by {
    ($constructor:ident, $more:expr) => {{
        let store = MemoryStore::new();
        let (source, _) = ahead_of_two(&store).await;
        let recorder = Recorder::<u64>::default();
        let factory = {
            let recorder = recorder.clone();
            move || recorder.handler()
        };
        let projection = Projection::$constructor(id(), source.clone(), store.clone(), factory)
            .with_mode(Mode::Current);
        let handle = ProjectionRuntime::new().spawn($more(projection)).unwrap();
        handle.wait().await.unwrap();
        (recorder.handled(), lane(&store).await)
    }};
}

fn check((handled, row): (Vec<u64>, LaneState), what: &str) {
    assert_eq!(handled, [2, 10, 18, 26, 34], "{what}");
    assert_eq!(row.offset.unwrap().text, "40", "{what}");
    assert!(row.ahead.is_empty(), "{what}: {:?}", row.ahead);
    assert_eq!(row.counters, applied(40), "{what}");
}

#[tokio::test(start_paused = true)]
async fn a_delivery_in_order_does_not_repeat_what_is_settled_ahead() {
    check(handled_by!(at_least_once, |same| same), "at least once");
    check(handled_by!(at_most_once, |same| same), "at most once");
    check(handled_by!(exactly_once, |same| same), "exactly once");
    check(handled_by!(grouped_at_least_once, |same| same), "grouped");
    for max_envelopes in [1, 2, 5] {
        let group = GroupConfig {
            max_envelopes,
            ..GroupConfig::default()
        };
        let grouped = |projection: Projection<_, _, _>| projection.with_group(group);
        check(
            handled_by!(grouped_exactly_once, grouped),
            "in transactions",
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_group_that_fails_forgets_nothing_of_what_is_settled_ahead() {
    let store = MemoryStore::new();
    let (source, _) = ahead_of_two(&store).await;
    let recorder = Recorder::<u64>::default();
    recorder.fail_at(26, 1);
    let factory = {
        let recorder = recorder.clone();
        move || recorder.handler()
    };
    let group = GroupConfig {
        max_envelopes: 2,
        ..GroupConfig::default()
    };
    let projection = Projection::grouped_exactly_once(id(), source.clone(), store.clone(), factory)
        .with_mode(Mode::Current)
        .with_restart(crate::common::no_restart())
        .with_group(group);
    let runtime = ProjectionRuntime::new();
    let handle = runtime.spawn(projection.clone()).unwrap();
    handle.wait().await.unwrap_err();
    let row = lane(&store).await;
    assert_eq!(row.offset.unwrap().text, "10");
    assert_eq!(row.ahead.to_string(), "test 11 17 19 25 27 33 35 40");
    runtime.spawn(projection).unwrap().wait().await.unwrap();
    check(
        (recorder.handled(), lane(&store).await),
        "after the failure",
    );
}

#[tokio::test(start_paused = true)]
async fn a_keyed_run_goes_on_where_another_one_stopped() {
    let store = MemoryStore::new();
    let (source, mut handled) = ahead_of_two(&store).await;
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    handled.extend(recorder.handled());
    assert_eq!(fold(handled, 8), fold(numbers(40), 8));
    check((recorder.handled(), lane(&store).await), "keyed");
}

#[tokio::test(start_paused = true)]
async fn a_second_stop_keeps_what_the_first_left_ahead() {
    let store = MemoryStore::new();
    let (source, _) = ahead_of_two(&store).await;
    let recorder = Recorder::default();
    recorder.hold_at(2);
    recorder.hold_at(41);
    source.push(41);
    source.push(42);
    let projection = recorded(&source, &store, &recorder, 100).with_stop_timeout(secs(1));
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    // Every event has a key of its own now: 10, 18, 26, 34 and 42 are handled.
    recorder.has_handled(5).await;
    handle.stop();
    handle.wait().await.unwrap();
    let row = lane(&store).await;
    assert_eq!(row.offset.unwrap().text, "1");
    assert_eq!(row.ahead.to_string(), "test 3 40 42 42");
    assert_eq!(row.counters, applied(40));
}

#[tokio::test(start_paused = true)]
async fn a_store_without_ranges_repeats_what_was_ahead() {
    let store = LowWaterStore::over(MemoryStore::new());
    let (source, _) = ahead_of_two(&store).await;
    let row = lane(store.inner()).await;
    assert_eq!(row.offset.unwrap().text, "1");
    let recorder = Recorder::default();
    let projection = recorded(&source, &store, &recorder, 8).with_mode(Mode::Current);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    handle.wait().await.unwrap();
    let again = numbers(40).into_iter().skip(1);
    assert_eq!(fold(recorder.handled(), 8), fold(again, 8));
}
