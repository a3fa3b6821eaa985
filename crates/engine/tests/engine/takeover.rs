//! Takeovers: a former owner changes nothing, whether it was robbed, frozen or failing.

use crate::common::claims::{clocked_store, grouped, held, runs_under, single, stands_by};
use crate::common::model::Tables;
use crate::common::store::{Fault, Verb};
use crate::common::{millis, numbers, secs, steady_restarts, stored};
use projectionist_core::{Epoch, Error};
use projectionist_engine::{ProjectionRuntime, ProjectionStatus, SaveConfig, WhenHeld};
use projectionist_testkit::{Recorder, TestSource, pass};

#[tokio::test(start_paused = true)]
async fn after_a_steal_nothing_of_the_first_owner_is_saved() {
    for first_policy in [WhenHeld::Wait, WhenHeld::Fail, WhenHeld::Steal] {
        let (source, (store, _)) = (TestSource::of(numbers(9)), clocked_store());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        store.hold(Verb::Commit);
        let first = single(&source, &store, &recorder).with_claim(held(first_policy));
        let first = runtime.spawn(first).unwrap();
        recorder.has_handled(9).await;
        let (theirs, others) = (store.beside(), Recorder::default());
        let steal = single(&source, &theirs, &others).with_claim(held(WhenHeld::Steal));
        let thief = ProjectionRuntime::new();
        let second = thief.spawn(steal).unwrap();
        others.has_handled(9).await;
        pass(millis(600)).await;
        assert_eq!(stored(&store.inner).await, Some(9));
        store.let_go(Verb::Commit);
        pass(secs(60)).await;
        assert_eq!(store.history(), [], "the first one saved nothing");
        assert_eq!(stored(&store.inner).await, Some(9));
        assert!(second.status().epoch() == Some(Epoch(2)));
        if first_policy == WhenHeld::Wait {
            assert_eq!(stands_by(&first).await, thief.owner().label());
        } else {
            let error = first.wait().await.unwrap_err();
            assert!(matches!(&*error, Error::Held { .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_steal_no_event_is_in_the_model_twice() {
    let (source, (store, _)) = (TestSource::of(numbers(4)), clocked_store());
    let (recorder, others) = (Recorder::default(), Recorder::default());
    let first = ProjectionRuntime::new().spawn(grouped(&source, &store, &recorder));
    let first = first.unwrap();
    recorder.has_handled(4).await;
    pass(secs(1)).await;
    // The next group of the first one is complete and stands before its transaction.
    store.hold(Verb::Begin);
    (5..=7).for_each(|event| source.push(event));
    projectionist_testkit::eventually("begins", async || store.count(Verb::Begin) == 3).await;
    let theirs = store.beside();
    let steal = grouped(&source, &theirs, &others).with_claim(held(WhenHeld::Steal));
    let _second = ProjectionRuntime::new().spawn(steal).unwrap();
    others.has_handled(3).await;
    store.let_go(Verb::Begin);
    stands_by(&first).await;
    (8..=20).for_each(|event| source.push(event));
    others.has_handled(16).await;
    pass(secs(60)).await;
    assert_eq!(recorder.handled(), numbers(4));
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(20)));
    assert_eq!(crate::common::lane(&store.inner).await.counters.applied, 20);
}

#[tokio::test(start_paused = true)]
async fn a_thief_that_is_robbed_does_not_steal_back() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let mut handles = Vec::new();
    for epoch in 1..=4 {
        let recorder = Recorder::default();
        let steal = single(&source, &store.beside(), &recorder);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let handle = ProjectionRuntime::new().spawn(steal).unwrap();
        runs_under(&handle, epoch).await;
        handles.push(handle);
        pass(secs(30)).await;
    }
    let last = handles.pop().unwrap();
    for robbed in handles {
        let error = robbed.wait().await.unwrap_err();
        assert!(matches!(&*error, Error::Held { .. }), "{error}");
    }
    assert!(last.status().epoch() == Some(Epoch(4)));
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_is_stolen_during_a_backoff_is_respected() {
    for policy in [WhenHeld::Wait, WhenHeld::Steal] {
        let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
        let recorder = Recorder::default();
        recorder.fail_at(2, usize::MAX);
        let slow = projectionist_engine::RestartBackoff {
            min_backoff: secs(3600),
            max_backoff: secs(3600),
            ..steady_restarts()
        };
        let first = single(&source, &store, &recorder).with_claim(held(policy));
        let first = ProjectionRuntime::new()
            .spawn(first.with_restart(slow))
            .unwrap();
        recorder.has_called("observer.stopped", 1).await;
        let others = Recorder::default();
        let steal = single(&source, &store.beside(), &others);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let second = ProjectionRuntime::new().spawn(steal).unwrap();
        others.has_handled(2).await;
        pass(secs(60)).await;
        assert!(second.status().epoch().is_some());
        if policy == WhenHeld::Wait {
            stands_by(&first).await;
        } else {
            let error = first.wait().await.unwrap_err();
            assert!(matches!(&*error, Error::Held { .. }), "{error}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_failed_is_not_repeated_under_a_claim_that_was_stolen() {
    // Told by the save of the tail, or, where nothing is to be saved, by the row.
    for fails_at in [3, 1] {
        let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
        let recorder = Recorder::default();
        recorder.hold_at(fails_at);
        recorder.fail_at(fails_at, 1);
        let slow = SaveConfig {
            after: secs(3600),
            ..SaveConfig::default()
        };
        let first = single(&source, &store, &recorder).with_save(slow);
        let first = ProjectionRuntime::new().spawn(first).unwrap();
        let called = format!("process {fails_at}#");
        recorder.has_called(&called, 1).await;
        let others = Recorder::default();
        let steal = single(&source, &store.beside(), &others).with_save(slow);
        let steal = steal.with_claim(held(WhenHeld::Steal));
        let _second = ProjectionRuntime::new().spawn(steal).unwrap();
        others.has_handled(3).await;
        recorder.release(fails_at);
        stands_by(&first).await;
        assert_eq!(recorder.count(&called), 1);
        assert_eq!(recorder.handled(), numbers(fails_at - 1));
    }
}

/// Datum's row 15: it takes over again when the other one has ended.
#[tokio::test(start_paused = true)]
async fn a_frozen_owner_that_wakes_saves_nothing_and_stands_by() {
    let (source, (store, clock)) = (TestSource::of(numbers(9)), clocked_store());
    let recorder = Recorder::default();
    store.hold(Verb::Commit);
    store.hold(Verb::Renew);
    let first = single(&source, &store, &recorder);
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    recorder.has_handled(9).await;
    clock.jump(secs(11));
    let (theirs, others) = (store.beside(), Recorder::default());
    let thief = ProjectionRuntime::new();
    let second = thief.spawn(single(&source, &theirs, &others)).unwrap();
    others.has_handled(9).await;
    pass(millis(600)).await;
    store.let_go(Verb::Commit);
    store.let_go(Verb::Renew);
    assert_eq!(stands_by(&first).await, thief.owner().label());
    assert_eq!(store.history(), []);
    // It looks again now and then, and not in a loop.
    let asked = store.count(Verb::Claim);
    pass(secs(10)).await;
    assert!((10..=50).contains(&(store.count(Verb::Claim) - asked)));
    second.stop_and_wait().await.unwrap();
    source.push(10);
    recorder.has_handled(10).await;
    assert_eq!(
        stored(&store.inner).await.max(Some(9)),
        stored(&store.inner).await
    );
}

#[tokio::test(start_paused = true)]
async fn a_frozen_owner_that_wakes_applies_nothing() {
    let (source, (store, clock)) = (TestSource::of(numbers(9)), clocked_store());
    let (recorder, others) = (Recorder::default(), Recorder::default());
    store.hold(Verb::Begin);
    store.hold(Verb::Renew);
    let first = grouped(&source, &store, &recorder);
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    projectionist_testkit::eventually("begins", async || store.count(Verb::Begin) == 1).await;
    clock.jump(secs(11));
    let second = grouped(&source, &store.beside(), &others);
    let _second = ProjectionRuntime::new().spawn(second).unwrap();
    others.has_handled(9).await;
    store.let_go(Verb::Begin);
    store.let_go(Verb::Renew);
    stands_by(&first).await;
    assert_eq!(recorder.handled(), Vec::<u64>::new());
    assert_eq!(Tables::of(&store.inner).await, Tables::fold(numbers(9)));
}

#[tokio::test(start_paused = true)]
async fn an_idle_owner_hears_of_a_steal_from_its_next_renewal() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let first = single(&source, &store, &recorder);
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    recorder.has_handled(3).await;
    let steal = single(&source, &store.beside(), &Recorder::default());
    let steal = steal.with_claim(held(WhenHeld::Steal));
    let _second = ProjectionRuntime::new().spawn(steal).unwrap();
    pass(millis(3_400)).await;
    let status = first.status();
    assert!(
        matches!(status, ProjectionStatus::StandingBy { .. }),
        "{status:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_robbed_thief_that_cannot_read_who_robbed_it_does_not_steal_back() {
    let (source, (store, _)) = (TestSource::of(numbers(3)), clocked_store());
    let recorder = Recorder::default();
    let first = single(&source, &store, &recorder).with_claim(held(WhenHeld::Steal));
    let first = ProjectionRuntime::new().spawn(first).unwrap();
    recorder.has_handled(3).await;
    let steal = single(&source, &store.beside(), &Recorder::default());
    let steal = steal.with_claim(held(WhenHeld::Steal));
    let second = ProjectionRuntime::new().spawn(steal).unwrap();
    runs_under(&second, 2).await;
    store.plan(Verb::Load, Fault::Refused);
    let error = first.wait().await.unwrap_err();
    assert!(matches!(&*error, Error::Held { .. }), "{error}");
    assert!(second.status().epoch() == Some(Epoch(2)));
}
