//! A store that is chosen at run time, under every guarantee that needs no transaction.

use std::sync::Arc;

use crate::common::modes::{WITHOUT_TRANSACTION, settings, spawn_without_transaction};
use crate::common::{SteeredStore, applied, id, lane, numbers, stored};
use projectionist_core::Offset;
use projectionist_core::contract::DynOffsetStore;
use projectionist_engine::{Completion, ProjectionManagement, ProjectionRuntime, ProjectionStatus};
use projectionist_testkit::{LowWaterStore, Recorder, TestPosition, TestSource};

type Chosen = Arc<dyn DynOffsetStore>;

/// A full store, and one that keeps the low-water mark alone.
fn stores() -> [(SteeredStore, Chosen); 2] {
    let (full, low) = (SteeredStore::default(), SteeredStore::default());
    let chosen: [Chosen; 2] = [
        Arc::new(full.clone()),
        Arc::new(LowWaterStore::over(low.inner.clone())),
    ];
    let [first, second] = chosen;
    [(full, first), (low, second)]
}

#[tokio::test(start_paused = true)]
async fn everything_works_through_the_pointer() {
    for guarantee in WITHOUT_TRANSACTION {
        for (store, chosen) in stores() {
            let (source, recorder) = (TestSource::of(numbers(6)), Recorder::default());
            let (runtime, settings) = (ProjectionRuntime::new(), settings(&recorder));
            let spawn = || {
                spawn_without_transaction(
                    &runtime, guarantee, &source, &chosen, &recorder, &settings,
                )
            };
            let running = spawn();
            recorder.has_handled(6).await;
            running.pause_and_wait().await.unwrap();
            assert!(matches!(running.status(), ProjectionStatus::Paused { .. }));
            running
                .set_offset(Offset::of(&TestPosition(4)))
                .await
                .unwrap();
            running.resume().await.unwrap();
            recorder.has_handled(8).await;
            running
                .wait_until(Offset::of(&TestPosition(6)))
                .await
                .unwrap();
            let management = ProjectionManagement::new(Arc::clone(&chosen));
            management
                .set_offset(&id(), Offset::of(&TestPosition(5)))
                .await
                .unwrap();
            recorder.has_handled(9).await;
            assert_eq!(running.stop_and_wait().await.unwrap(), Completion::Stopped);
            assert_eq!(stored(&store.inner).await, Some(6), "{guarantee:?}");
            assert_eq!(
                lane(&store.inner).await.counters,
                applied(9),
                "{guarantee:?}"
            );
            source.push(7);
            let again = spawn();
            recorder.has_handled(10).await;
            again.stop_and_wait().await.unwrap();
            assert_eq!(
                recorder.handled(),
                [1, 2, 3, 4, 5, 6, 5, 6, 6, 7],
                "{guarantee:?}"
            );
        }
    }
}
