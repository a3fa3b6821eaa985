//! Sources that vouch for their positions: before the handler, in exactly-once also after it.

use crate::common::model::Tables;
use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::{SteeredStore, lane, millis, numbers, secs};
use bytes::Bytes;
use projectionist_core::contract::{Mode, SourceProvider};
use projectionist_core::{Counters, Error, Result};
use projectionist_engine::{Completion, ProjectionStatus, Settings};
use projectionist_testkit::{Recorder, TestEnvelope, TestPosition, TestSource, eventually, pass};

fn to_the_end(recorder: &Recorder<u64>) -> Settings {
    Settings {
        mode: Mode::Current,
        ..settings(recorder)
    }
}

fn is_transactional(guarantee: Guarantee) -> bool {
    matches!(
        guarantee,
        Guarantee::ExactlyOnce | Guarantee::GroupedExactlyOnce
    )
}

/// Fact 38; and 40 for the second time in exactly-once.
#[tokio::test(start_paused = true)]
async fn every_position_is_verified_before_its_handler() {
    for guarantee in ALL {
        let recorder = Recorder::default();
        let source = TestSource::of(numbers(6))
            .verifying()
            .recorded_by(&recorder);
        let store = SteeredStore::default();
        let running = spawn(
            guarantee,
            &source,
            &store,
            &recorder,
            &to_the_end(&recorder),
        );
        assert_eq!(running.wait().await.unwrap(), Completion::Completed);
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
        let calls = recorder.calls();
        for position in 1..=6u64 {
            let verified = calls
                .iter()
                .position(|call| *call == format!("verify {position}"));
            let handled = calls.iter().position(|call| {
                let group = call.strip_prefix("process ").unwrap_or_default();
                let group = group.split('#').next().unwrap_or_default();
                group.split(',').any(|one| one == position.to_string())
            });
            assert!(
                verified.unwrap() < handled.unwrap(),
                "{guarantee:?}: {calls:?}"
            );
            let times = if is_transactional(guarantee) { 2 } else { 1 };
            assert_eq!(source.verified(position), times, "{guarantee:?}");
        }
    }
}

/// Fact 39: one that is not vouched for is left out and counted, the others go on.
#[tokio::test(start_paused = true)]
async fn a_refused_position_is_left_out_and_the_others_go_on() {
    for guarantee in ALL {
        for keeps in [false, true] {
            let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
            let recorder = Recorder::default();
            source.refuse(3);
            let settings = Settings {
                dead_letters: keeps,
                ..to_the_end(&recorder)
            };
            let running = spawn(guarantee, &source, &store, &recorder, &settings);
            assert_eq!(running.wait().await.unwrap(), Completion::Completed);
            assert_eq!(recorder.handled(), [1, 2, 4, 5, 6], "{guarantee:?}");
            let lane = lane(&store.inner).await;
            let expected = Counters {
                read: 6,
                applied: 5,
                skipped: u64::from(!keeps),
                dead_lettered: u64::from(keeps),
                ..Counters::ZERO
            };
            assert_eq!(lane.counters, expected, "{guarantee:?}");
            assert_eq!(lane.offset.unwrap().text, "6", "{guarantee:?}");
        }
    }
}

/// Fact 40: a position that is refused only after the handler rolls its transaction back.
#[tokio::test(start_paused = true)]
async fn a_position_that_is_refused_after_the_handler_leaves_nothing_in_the_model() {
    let (source, store) = (
        TestSource::of(numbers(6)).verifying(),
        SteeredStore::default(),
    );
    let recorder = Recorder::default();
    recorder.hold_at(5);
    let running = crate::common::grouped::spawn(crate::common::grouped::projection(
        &source, &store, &recorder,
    ));
    recorder.has_called("process 4,5,6", 1).await;
    source.refuse(5);
    recorder.release(5);
    running.wait().await.unwrap();
    assert_eq!(
        Tables::of(&store.inner).await,
        Tables::fold([1, 2, 3, 4, 6])
    );
    let expected = Counters {
        read: 6,
        skipped: 1,
        ..crate::common::applied(5)
    };
    assert_eq!(lane(&store.inner).await.counters, expected);
}

#[tokio::test(start_paused = true)]
async fn a_verification_that_fails_is_a_source_failure_and_loses_nothing() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        source.fail_next_verification("cannot tell");
        let running = spawn(
            guarantee,
            &source,
            &store,
            &recorder,
            &to_the_end(&recorder),
        );
        assert_eq!(running.wait().await.unwrap(), Completion::Completed);
        assert_eq!(recorder.handled(), numbers(6), "{guarantee:?}");
        assert_eq!(recorder.count("observer.failed"), 1, "{guarantee:?}");
    }
}

/// Facts 42, 43 and 44: a gap is nothing, a repetition of anything but the boundary is an error,
/// and records that no handler sees obey the same rule.
#[tokio::test(start_paused = true)]
async fn gaps_pass_and_repetitions_never_reach_the_handler() {
    for guarantee in ALL {
        for malformed in [false, true] {
            let (source, store) = (TestSource::of([]), SteeredStore::default());
            let recorder = Recorder::default();
            for position in [1, 2, 7, 40] {
                source.push_envelope(TestEnvelope::at(position, position));
            }
            if malformed {
                source.push_malformed_at(7, "no JSON", b"{");
            } else {
                source.push_envelope(TestEnvelope::at(7, 99));
            }
            let running = spawn(
                guarantee,
                &source,
                &store,
                &recorder,
                &to_the_end(&recorder),
            );
            let error = running.wait().await.unwrap_err();
            assert!(
                matches!(&*error, Error::PositionRegressed { .. }),
                "{error}"
            );
            assert!(
                error.to_string().contains("delivered 7 after 40"),
                "{error}"
            );
            let expected = [1, 2, 7, 40];
            assert_eq!(recorder.handled(), expected, "{guarantee:?}");
        }
    }
}

/// A source whose verification never ends.
#[derive(Clone)]
struct Undecided(TestSource<u64>);

impl SourceProvider for Undecided {
    type Envelope = TestEnvelope<u64>;
    type Position = TestPosition;
    type Stream = <TestSource<u64> as SourceProvider>::Stream;

    async fn open(&self, from: Option<TestPosition>, mode: Mode) -> Result<Self::Stream> {
        self.0.open(from, mode).await
    }
    fn position(&self, envelope: &TestEnvelope<u64>) -> TestPosition {
        self.0.position(envelope)
    }
    fn encode(&self, envelope: &TestEnvelope<u64>, out: &mut Vec<u8>) {
        self.0.encode(envelope, out);
    }
    fn decode(&self, at: TestPosition, event: &Bytes) -> Result<TestEnvelope<u64>, String> {
        self.0.decode(at, event)
    }
    fn verifies(&self) -> bool {
        true
    }
    async fn verify(&self, position: &TestPosition) -> Result<bool> {
        self.0.verify(position).await?;
        std::future::pending().await
    }
}

/// A stop and a pause used to wait for it for good.
#[tokio::test(start_paused = true)]
async fn a_stop_and_a_pause_give_up_a_verification_that_does_not_end() {
    for guarantee in ALL {
        let (source, store) = (
            Undecided(TestSource::of(numbers(2))),
            SteeredStore::default(),
        );
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        eventually("verifies", async || source.0.verified(1) == 1).await;
        running.pause().await.unwrap();
        pass(secs(11)).await;
        assert!(
            matches!(running.status(), ProjectionStatus::Paused { .. }),
            "{guarantee:?}"
        );
        running.resume().await.unwrap();
        eventually("verifies", async || source.0.verified(1) == 2).await;
        running.stop();
        pass(secs(10) + millis(10)).await;
        assert!(
            matches!(running.status(), ProjectionStatus::Stopped),
            "{guarantee:?}"
        );
        assert_eq!(recorder.count("process"), 0);
    }
}
