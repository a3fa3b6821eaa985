//! Management that meets other things under way: each of these was found by the random scripts of
//! `model/`, and is written down plainly here.

use std::time::Duration;

use crate::common::claims::{clocked_store, held, runs_under, single, stands_by};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, id, millis, numbers, secs, stored};
use projectionist_core::contract::OffsetStore;
use projectionist_core::{Error, Offset};
use projectionist_engine::{
    ProjectionManagement, ProjectionRuntime, ProjectionStatus, SaveConfig, WhenHeld,
};
use projectionist_testkit::{Recorder, TestSource, pass};
use tokio::time::timeout;

fn offset(position: u64) -> Offset {
    Offset {
        manifest: "test".into(),
        text: position.to_string(),
    }
}

/// Longer than anything here may take.
const SOON: Duration = Duration::from_secs(20);

/// How often the lane was cleared through this connection.
fn clears(store: &SteeredStore) -> usize {
    let history = store.history();
    history.iter().filter(|(_, to)| to.is_none()).count()
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_commit_is_slow_is_carried_out_once() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let projection = single(&source, &store, &recorder);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    recorder.has_handled(3).await;
    pass(secs(1)).await;
    // Longer than the owner waits between two looks at what is asked.
    store.slow_down(Verb::Commit, millis(700));
    let management = ProjectionManagement::new(store.beside());
    management.clear_offset(&id()).await.unwrap();
    recorder.has_handled(6).await;
    pass(secs(10)).await;
    assert_eq!(clears(&store), 1);
    assert_eq!(recorder.handled().len(), 6, "read again once");
    handle.stop_and_wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn what_another_owner_has_answered_is_not_carried_out_again() {
    let (source, (store, clock)) = (TestSource::of(numbers(3)), clocked_store());
    let (recorder, others) = (Recorder::default(), Recorder::default());
    let owner = single(&source, &store, &recorder);
    let owner = ProjectionRuntime::new().spawn(owner).unwrap();
    recorder.has_handled(3).await;
    let theirs = store.beside();
    let standby = single(&source, &theirs, &others);
    let standby = ProjectionRuntime::new().spawn(standby).unwrap();
    stands_by(&standby).await;
    // The one who stands by hears of the request, and the owner answers it.
    let management = ProjectionManagement::new(store.beside());
    let asked = tokio::spawn(async move { management.clear_offset(&id()).await });
    tokio::task::yield_now().await;
    standby.resume().await.unwrap();
    asked.await.unwrap().unwrap();
    recorder.has_handled(6).await;
    pass(secs(1)).await;
    clock.jump(secs(11));
    runs_under(&standby, 2).await;
    pass(secs(2)).await;
    assert_eq!((clears(&store), clears(&theirs)), (1, 0));
    assert_eq!(stored(&store.inner).await, Some(3));
    drop((owner, standby));
}

#[tokio::test(start_paused = true)]
async fn to_pause_one_that_stands_by_does_not_stop_it() {
    let (source, (store, _)) = (TestSource::of(numbers(1)), clocked_store());
    let recorder = Recorder::default();
    let owner = single(&source, &store, &recorder);
    let owner = ProjectionRuntime::new().spawn(owner).unwrap();
    recorder.has_handled(1).await;
    let standby = single(&source, &store.beside(), &Recorder::default());
    let standby = ProjectionRuntime::new().spawn(standby).unwrap();
    stands_by(&standby).await;
    standby.pause().await.unwrap();
    pass(secs(2)).await;
    let status = standby.status();
    assert!(
        matches!(status, ProjectionStatus::StandingBy { .. }),
        "{status:?}"
    );
    drop(owner);
}

#[tokio::test(start_paused = true)]
async fn one_that_stands_by_tells_how_far_the_owner_is() {
    let (source, (store, _)) = (TestSource::of(numbers(1)), clocked_store());
    let recorder = Recorder::default();
    let owner = single(&source, &store, &recorder);
    let owner = ProjectionRuntime::new().spawn(owner).unwrap();
    recorder.has_handled(1).await;
    let standby = single(&source, &store.beside(), &Recorder::default());
    let standby = ProjectionRuntime::new().spawn(standby).unwrap();
    stands_by(&standby).await;
    let (waited, ()) = tokio::join!(timeout(SOON, standby.wait_until(offset(2))), async {
        pass(secs(2)).await;
        source.push(2);
    });
    waited.expect("it is told").unwrap();
    assert_eq!(recorder.handled(), [1, 2]);
    drop(owner);
}

#[tokio::test(start_paused = true)]
async fn what_is_handled_and_saved_later_is_told_although_nothing_follows() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    let projection = crate::common::single::projection(&source, &store, &recorder);
    let handle = crate::common::single::spawn(projection.with_save(SaveConfig::default()));
    recorder.has_handled(3).await;
    let waited = timeout(SOON, handle.wait_until(offset(3))).await;
    waited.expect("it is told").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_skip_that_waits_for_the_end_of_a_pause_holds_up_no_resume() {
    let (source, store) = (TestSource::of(numbers(3)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.fail_at(2, 1_000);
    let handle = crate::common::single::spawn(crate::common::single::projection(
        &source, &store, &recorder,
    ));
    let failing = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Restarting { .. });
    handle.status_receiver().wait_for(failing).await;
    handle.pause_and_wait().await.unwrap();
    let skipped = async { handle.skip(offset(2)).await };
    let resumed = async {
        pass(secs(1)).await;
        handle.resume().await
    };
    let both = timeout(SOON, async { tokio::join!(skipped, resumed) }).await;
    let (skipped, resumed) = both.expect("both are answered");
    skipped.unwrap();
    resumed.unwrap();
    recorder.has_handled(2).await;
    assert_eq!(recorder.handled(), [1, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_pause_that_is_lifted_before_it_is_reached_is_not_waited_for() {
    let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
    let recorder = Recorder::default();
    recorder.hold_at(1);
    let handle = crate::common::single::spawn(crate::common::single::projection(
        &source, &store, &recorder,
    ));
    recorder.has_called("process 1", 1).await;
    let both = timeout(SOON, async {
        tokio::join!(handle.pause_and_wait(), async {
            pass(millis(100)).await;
            handle.resume().await.unwrap();
            recorder.release(1);
        })
    });
    let (paused, ()) = both.await.expect("it is told");
    let error = paused.unwrap_err();
    assert!(matches!(&*error, Error::Refused { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_when_it_is_asked_what_others_want_ends_nothing() {
    let (source, store) = (TestSource::of(numbers(1)), SteeredStore::default());
    let recorder = Recorder::default();
    let handle = crate::common::single::spawn(crate::common::single::projection(
        &source, &store, &recorder,
    ));
    recorder.has_handled(1).await;
    store.plan(Verb::Manage, Fault::Panics);
    pass(secs(2)).await;
    source.push(2);
    let goes_on = timeout(SOON, recorder.has_handled(2)).await;
    goes_on.expect("it goes on");
    store.plan(Verb::Load, Fault::Panics);
    let error = handle.report().await.unwrap_err();
    assert!(matches!(&*error, Error::Store { .. }), "{error}");
    assert_eq!(handle.report().await.unwrap().counters.applied, 2);
    let stopped = timeout(SOON, handle.stop_and_wait()).await;
    stopped.expect("it ends").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_lost_while_the_store_does_not_answer_is_asked_for_again() {
    let (source, (store, _)) = (TestSource::of(numbers(1)), clocked_store());
    let recorder = Recorder::default();
    let projection = single(&source, &store, &recorder).with_claim(held(WhenHeld::Wait));
    // Before its first run it asks what others want, and hears nothing until its claim is lost.
    store.hold(Verb::Manage);
    store.hold(Verb::Renew);
    let handle = ProjectionRuntime::new().spawn(projection).unwrap();
    pass(secs(40)).await;
    assert!(!handle.status().is_terminal(), "{:?}", handle.status());
    store.let_go(Verb::Manage);
    store.let_go(Verb::Renew);
    recorder.has_handled(1).await;
    let lane = store.lane(&id()).await.unwrap().unwrap();
    assert!(lane.epoch.0 > 1, "{lane:?}");
}
