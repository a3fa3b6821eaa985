//! Management through the store: with a live owner, a dead one, and none; flags of a lane and of
//! all lanes; requests that are answered once.

use crate::common::crash::{dies_after, lives};
use crate::common::modes::{ALL, Guarantee, settings, spawn, spawn_in};
use crate::common::store::{Fault, Verb};
use crate::common::{SteeredStore, id, lane, millis, numbers, secs, stored};
use projectionist_core::contract::{ManagementStore, OffsetStore};
use projectionist_core::{
    ClaimOutcome, ClaimRequest, Error, ManagementCommand, Offset, Owner, PauseScope, ProjectionId,
    Take,
};
use projectionist_engine::{
    FailurePolicy, Projection, ProjectionHandle, ProjectionManagement, ProjectionRuntime,
    ProjectionStatus, Recovery, RetryDelay, Settings,
};
use projectionist_store_memory::MemoryStore;
use projectionist_testkit::{Recorder, TestPosition, TestSource, eventually, pass};
use tokio::time::Instant;

fn at(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

fn back_to(position: u64) -> ManagementCommand {
    ManagementCommand::SetOffset {
        expected: None,
        to: Some(at(position)),
    }
}

fn management(store: &SteeredStore) -> ProjectionManagement<MemoryStore> {
    ProjectionManagement::new(store.inner.clone())
}

/// Handled six numbers under this guarantee.
async fn caught_up(
    guarantee: Guarantee,
) -> (
    ProjectionHandle,
    TestSource<u64>,
    SteeredStore,
    Recorder<u64>,
) {
    let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
    let recorder = Recorder::default();
    let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    recorder.has_handled(6).await;
    (running, source, store, recorder)
}

#[tokio::test(start_paused = true)]
async fn a_live_owner_obeys_within_a_second() {
    for guarantee in ALL {
        let (_running, _, store, recorder) = caught_up(guarantee).await;
        let began = Instant::now();
        management(&store).set_offset(&id(), at(4)).await.unwrap();
        assert!(began.elapsed() <= secs(1), "{guarantee:?}");
        recorder.has_handled(8).await;
        assert_eq!(
            recorder.handled(),
            [1, 2, 3, 4, 5, 6, 5, 6],
            "{guarantee:?}"
        );
        management(&store).clear_offset(&id()).await.unwrap();
        recorder.has_handled(14).await;
        let (management, lane) = (management(&store), id());
        let refused = management.compare_and_set_offset(&lane, Some(at(9)), at(1));
        let error = refused.await.unwrap_err();
        assert!(matches!(&error, Error::Refused { .. }), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lane_without_an_owner_is_moved_directly() {
    let (running, source, store, recorder) = caught_up(Guarantee::GroupedAtLeastOnce).await;
    running.stop_and_wait().await.unwrap();
    let management = management(&store);
    let foreign = Offset {
        manifest: "kafka".into(),
        text: "2".into(),
    };
    let error = management.set_offset(&id(), foreign).await.unwrap_err();
    assert!(error.to_string().contains("format `kafka`"), "{error}");
    let error = management
        .compare_and_set_offset(&id(), None, at(2))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("the lane holds `6`"), "{error}");
    management
        .compare_and_set_offset(&id(), Some(at(6)), at(4))
        .await
        .unwrap();
    assert_eq!(stored(&store.inner).await, Some(4));
    assert_eq!(
        lane(&store.inner).await.holder,
        None,
        "it holds nothing back"
    );
    let settings = settings(&recorder);
    let _again = spawn(
        Guarantee::GroupedAtLeastOnce,
        &source,
        &store,
        &recorder,
        &settings,
    );
    recorder.has_handled(8).await;
    assert_eq!(recorder.handled(), [1, 2, 3, 4, 5, 6, 5, 6]);
    let error = management.skip(&id(), at(6)).await.unwrap_err();
    assert!(matches!(&error, Error::Refused { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_skip_that_nobody_can_do_is_taken_back() {
    let store = SteeredStore::default();
    let management = management(&store).with_patience(secs(5));
    let began = Instant::now();
    let error = management.skip(&id(), at(6)).await.unwrap_err().to_string();
    assert!(error.contains("nobody runs"), "{error}");
    assert!(began.elapsed() >= secs(5));
    assert!(
        store
            .inner
            .management(&id())
            .await
            .unwrap()
            .requests
            .is_empty()
    );
}

/// An owner that is dead as far as the store can tell only when its time is over.
#[tokio::test(start_paused = true)]
async fn a_dead_owner_is_named_until_its_time_is_over() {
    let (store, _clock) = crate::common::claims::clocked_store();
    let owner = Owner {
        instance: "elsewhere".into(),
        process: None,
    };
    let request = ClaimRequest {
        lane: id(),
        owner,
        ttl: secs(10),
        take: Take::Free,
    };
    let granted = store.inner.claim(&request).await.unwrap();
    assert!(matches!(granted, ClaimOutcome::Granted { .. }));
    let management = management(&store).with_patience(secs(5));
    let error = management.set_offset(&id(), at(3)).await.unwrap_err();
    let Error::Held { holder, .. } = &error else {
        panic!("{error}");
    };
    assert!(
        holder.contains("instance elsewhere, which does not answer"),
        "{holder}"
    );
    pass(secs(6)).await;
    management.set_offset(&id(), at(3)).await.unwrap();
    assert_eq!(stored(&store.inner).await, Some(3));
}

/// Datum has no flag for all lanes.
#[tokio::test(start_paused = true)]
async fn a_lane_is_paused_when_either_flag_says_so() {
    let (running, _, store, recorder) = caught_up(Guarantee::AtLeastOnce).await;
    let management = management(&store);
    let paused_by = async |scope| {
        let is_so = |status: &ProjectionStatus| matches!(status, ProjectionStatus::Paused { scope: by, .. } if *by == scope);
        running.status_receiver().wait_for(is_so).await
    };
    management.pause("orders", None).await.unwrap();
    paused_by(PauseScope::AllLanes).await;
    let error = running.resume().await.unwrap_err().to_string();
    assert!(
        error.contains("all lanes of `orders` are paused"),
        "{error}"
    );
    management.pause("orders", Some("all")).await.unwrap();
    paused_by(PauseScope::Lane).await;
    management.resume("orders", None).await.unwrap();
    pass(secs(60)).await;
    paused_by(PauseScope::Lane).await;
    management.resume("orders", Some("all")).await.unwrap();
    eventually("runs", async || running.status().epoch().is_some()).await;
    assert_eq!(
        (
            recorder.count("observer.paused"),
            recorder.count("observer.resumed")
        ),
        (1, 1)
    );
}

/// Fact 77: commands for another key of the name, and such that come before there is an owner.
#[tokio::test(start_paused = true)]
async fn commands_are_for_their_lane_and_wait_for_its_owner() {
    let (running, _, store, recorder) = caught_up(Guarantee::AtLeastOnce).await;
    let other = ProjectionId::new("orders", "other").unwrap();
    let management = management(&store);
    management.pause("orders", Some("other")).await.unwrap();
    management.clear_offset(&other).await.unwrap();
    let early = store.inner.request(&other, &back_to(2)).await.unwrap();
    pass(secs(5)).await;
    assert!(running.status().epoch().is_some());
    assert_eq!(recorder.handled(), numbers(6));
    assert_eq!(store.inner.answer(early).await.unwrap(), None);
    let (source, later) = (TestSource::of(numbers(3)), Recorder::default());
    let factory = {
        let later = later.clone();
        move || later.handler()
    };
    let projection = Projection::at_least_once(other, source, store.clone(), factory);
    let others = ProjectionRuntime::new().spawn(projection).unwrap();
    eventually("answers", async || {
        store.inner.answer(early).await.unwrap().is_some()
    })
    .await;
    others.resume().await.unwrap();
    later.has_handled(1).await;
    assert_eq!(later.handled(), [3], "moved before it ever ran");
}

#[tokio::test(start_paused = true)]
async fn requests_are_carried_out_in_their_order() {
    for guarantee in ALL {
        let (running, _, store, recorder) = caught_up(guarantee).await;
        for position in [5, 3, 1, 4] {
            store
                .inner
                .request(&id(), &back_to(position))
                .await
                .unwrap();
        }
        recorder.has_handled(8).await;
        assert_eq!(recorder.handled()[6..], [5, 6], "{guarantee:?}");
        let moved: Vec<u64> = store.saved().into_iter().filter(|low| *low < 6).collect();
        let in_order = moved.windows(4).any(|moves| moves == [5, 3, 1, 4]);
        assert!(in_order, "{guarantee:?}: {moved:?}");
        assert!(
            store
                .inner
                .management(&id())
                .await
                .unwrap()
                .requests
                .is_empty()
        );
        running.stop_and_wait().await.unwrap();
    }
}

/// The commit that carries a request out also answers it: a kill between the two is none.
#[test]
fn a_request_whose_owner_is_killed_is_carried_out_and_answered_once() {
    for fault in [Some(Fault::AnswerLost), Some(Fault::Refused), None] {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let (recorder, runtime) = (Recorder::default(), ProjectionRuntime::new());
        let guarantee = Guarantee::GroupedAtLeastOnce;
        let request = dies_after(async {
            let settings = settings(&recorder);
            let owner = spawn_in(&runtime, guarantee, &source, &store, &recorder, &settings);
            recorder.has_handled(6).await;
            pass(millis(1)).await;
            match fault {
                Some(fault) => store.plan(Verb::Commit, fault),
                None => store.hold(Verb::Commit),
            }
            let committed = store.count(Verb::Commit);
            let request = store.inner.request(&id(), &back_to(4)).await.unwrap();
            eventually("is met", async || store.count(Verb::Commit) > committed).await;
            std::mem::forget(owner);
            request
        });
        store.let_go(Verb::Commit);
        lives(async {
            let others = Recorder::default();
            let (store, settings) = (store.beside(), settings(&others));
            // The dead process's runtime once more: it need not wait for its own claim to end.
            let next = spawn_in(&runtime, guarantee, &source, &store, &others, &settings);
            eventually("answers", async || {
                store.inner.answer(request).await.unwrap().is_some()
            })
            .await;
            pass(secs(5)).await;
            let answer = store.inner.answer(request).await.unwrap().unwrap();
            assert_eq!(answer.refusal, None, "{fault:?}");
            let again = [recorder.handled()[6..].to_vec(), others.handled()].concat();
            assert_eq!(again, [5, 6], "once, by whoever it was: {fault:?}");
            next.stop_and_wait().await.unwrap();
        });
    }
}

/// A standby that was asked something used to carry out later what the owner had done by then.
#[tokio::test(start_paused = true)]
async fn a_standby_does_not_repeat_what_the_owner_was_asked() {
    let (store, _) = crate::common::claims::clocked_store();
    let (source, recorder) = (TestSource::of(numbers(6)), Recorder::default());
    let guarantee = Guarantee::AtLeastOnce;
    let first = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    recorder.has_handled(6).await;
    let others = Recorder::default();
    let second = spawn(
        guarantee,
        &source,
        &store.beside(),
        &others,
        &settings(&others),
    );
    crate::common::claims::stands_by(&second).await;
    store.inner.request(&id(), &back_to(4)).await.unwrap();
    // The standby reads what is asked of the lane when it stores a flag.
    second.resume().await.unwrap();
    recorder.has_handled(8).await;
    first.stop_and_wait().await.unwrap();
    source.push(7);
    others.has_handled(1).await;
    assert_eq!(others.handled(), [7]);
}

fn far_apart(recorder: &Recorder<u64>) -> Settings {
    let settings = settings(recorder);
    let (retries, delay) = (9, RetryDelay::Fixed(secs(3600)));
    let failures = FailurePolicy {
        recovery: Recovery::RetryAndFail { retries, delay },
        ..settings.failures
    };
    Settings {
        failures,
        ..settings
    }
}

/// Fails at four, which another process has skipped.
#[tokio::test(start_paused = true)]
async fn a_skip_through_the_store_is_done_once() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let _running = spawn(guarantee, &source, &store, &recorder, &far_apart(&recorder));
        recorder.has_called("observer.error 4#", 1).await;
        management(&store).skip(&id(), at(4)).await.unwrap();
        assert_eq!(
            lane(&store.inner).await.counters.skipped,
            1,
            "{guarantee:?}"
        );
        recorder.has_handled(5).await;
        assert_eq!(recorder.handled(), [1, 2, 3, 5, 6], "{guarantee:?}");
        assert_eq!(recorder.count("observer.done skip"), 1, "{guarantee:?}");
    }
}

/// A skip that waits for the envelope used to be read of the store again, and refused.
#[tokio::test(start_paused = true)]
async fn a_skip_waits_for_its_envelope_as_long_as_the_source_takes() {
    for guarantee in ALL.into_iter().filter(|one| *one != Guarantee::AtMostOnce) {
        let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
        let recorder = Recorder::default();
        recorder.fail_at(4, usize::MAX);
        let pace = source.manual_pace();
        pace.request(4);
        let _running = spawn(guarantee, &source, &store, &recorder, &far_apart(&recorder));
        recorder.has_called("observer.error 4#", 1).await;
        let (management, lane_id) = (management(&store), id());
        let deliver = async {
            recorder.has_called("observer.done skip", 1).await;
            pass(secs(10)).await;
            pace.request(9);
        };
        let (skipped, ()) = tokio::join!(management.skip(&lane_id, at(4)), deliver);
        skipped.unwrap();
        assert_eq!(recorder.count("observer.done skip"), 1, "{guarantee:?}");
        assert_eq!(recorder.count("observer.refused"), 0, "{guarantee:?}");
        assert_eq!(
            lane(&store.inner).await.counters.skipped,
            1,
            "{guarantee:?}"
        );
        assert_eq!(recorder.handled(), [1, 2, 3], "{guarantee:?}");
    }
}
