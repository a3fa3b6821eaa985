//! Where a lane begins, and what a source may deliver there.

use crate::common::single::{Blueprint, spawn};
use crate::common::store::Verb;
use crate::common::{SteeredStore, no_restart, numbers, stored};
use projectionist_core::contract::{Mode, StartPosition};
use projectionist_core::{Error, Offset};
use projectionist_testkit::{Recorder, RecordingHandler, TestEnvelope, TestPosition, TestSource};

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

fn after(position: u64) -> StartPosition {
    StartPosition::After(Offset::of(&TestPosition(position)))
}

#[tokio::test(start_paused = true)]
async fn a_lane_begins_where_it_is_told() {
    for (start, first) in [
        (StartPosition::Earliest, 1),
        (after(0), 1),
        (after(4), 5),
        (StartPosition::Latest, 7),
    ] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        let live = projection(&source, &store, &recorder).with_mode(Mode::Live);
        let running = spawn(live.with_start(start.clone()));
        crate::common::is_opened(&source, 1).await;
        source.push(7);
        recorder
            .has_handled(usize::try_from(8 - first).unwrap())
            .await;
        running.stop_and_wait().await.unwrap();
        let expected: Vec<u64> = (first..=7).collect();
        assert_eq!(recorder.handled(), expected, "{start:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_is_stored_before_the_first_delivery_and_holds_for_good() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(7, 1);
    source.push(7);
    let latest = projection(&source, &store, &recorder).with_start(after(6));
    spawn(latest.clone()).wait().await.unwrap_err();
    assert_eq!(store.saved(), [6]);
    // Something else is the latest now, and the lane knows better.
    source.push(8);
    spawn(latest.with_start(StartPosition::Latest))
        .wait()
        .await
        .unwrap();
    assert_eq!(recorder.handled(), [7, 8]);
}

#[tokio::test(start_paused = true)]
async fn a_start_of_another_format_is_refused_before_anything_is_opened() {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    let foreign = StartPosition::After(Offset {
        manifest: "kafka".into(),
        text: "6".into(),
    });
    let running = spawn(projection(&source, &store, &recorder).with_start(foreign));
    let error = running.wait().await.unwrap_err();
    assert!(matches!(&*error, Error::Configuration { .. }), "{error}");
    assert_eq!((source.opened(), stored(&store.inner).await), (0, None));
}

/// Fact 42.
#[tokio::test(start_paused = true)]
async fn an_inclusive_boundary_is_filtered_and_not_counted() {
    let source = TestSource::of(numbers(3)).inclusive();
    let (store, recorder) = (SteeredStore::default(), Recorder::default());
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    let commits = store.count(Verb::Commit);
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    assert_eq!(
        store.count(Verb::Commit),
        commits,
        "a boundary alone saves nothing"
    );
    source.push(4);
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    assert_eq!(recorder.handled(), numbers(4));
    let counters = crate::common::lane(&store.inner).await.counters;
    assert_eq!((counters.read, counters.applied), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn an_order_fault_names_both_positions() {
    // Back, and the same position again: only the boundary that was opened behind may come twice.
    for (at, malformed) in [(2, false), (3, false), (2, true), (3, true)] {
        let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
        let recorder = Recorder::default();
        if malformed {
            source.push_malformed_at(at, "no JSON", b"{");
        } else {
            source.push_envelope(TestEnvelope::at(at, 99));
        }
        let error = spawn(projection(&source, &store, &recorder)).wait().await;
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains(&format!("delivered {at} after 3")),
            "{error}"
        );
        assert_eq!(recorder.handled(), numbers(3));
        assert_eq!(
            stored(&store.inner).await,
            Some(3),
            "low does not move back"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_source_completes_and_stores_nothing() {
    let (source, store) = (TestSource::of([]), SteeredStore::default());
    let recorder = Recorder::default();
    spawn(projection(&source, &store, &recorder))
        .wait()
        .await
        .unwrap();
    assert_eq!(stored(&store.inner).await, None);
    assert_eq!(store.count(Verb::Commit), 0);
}
