//! The replay flag: true while a lane has come this far before, so that a rebuild repeats no side
//! effect.

use crate::common::modes::{ALL, Guarantee, settings, spawn};
use crate::common::store::Verb;
use crate::common::{SteeredStore, lane, numbers};
use projectionist_core::Offset;
use projectionist_testkit::{Recorder, TestPosition, TestSource};

fn at(position: u64) -> Offset {
    Offset::of(&TestPosition(position))
}

/// The positions that a handler was called with, and whether it was told a replay. A group is one
/// or the other.
fn told(recorder: &Recorder<u64>) -> Vec<(u64, bool)> {
    let calls = recorder.calls();
    let calls = calls
        .iter()
        .filter_map(|call| call.strip_prefix("process "));
    calls
        .flat_map(|call| {
            let replay = call.ends_with("replay");
            let positions = call.split('#').next().unwrap().split(',');
            positions.map(move |position| (position.parse().unwrap(), replay))
        })
        .collect()
}

fn all(positions: impl IntoIterator<Item = u64>, replay: bool) -> Vec<(u64, bool)> {
    positions
        .into_iter()
        .map(|position| (position, replay))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_reached_before_is_a_replay_and_what_follows_is_none() {
    for guarantee in ALL {
        for (to, from) in [(None, 1), (Some(2), 3), (Some(4), 5)] {
            let (source, store) = (TestSource::of(numbers(5)), SteeredStore::default());
            let recorder = Recorder::default();
            let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
            recorder.has_handled(5).await;
            running.pause_and_wait().await.unwrap();
            match to {
                Some(to) => running.set_offset(at(to)).await.unwrap(),
                None => running.clear_offset().await.unwrap(),
            }
            // They stand behind the replay in one go.
            (6..=8).for_each(|event| source.push(event));
            running.resume().await.unwrap();
            let again = usize::try_from(5 - to.unwrap_or(0)).unwrap();
            recorder.has_handled(5 + again + 3).await;
            let expected = [all(1..=5, false), all(from..=5, true), all(6..=8, false)].concat();
            assert_eq!(told(&recorder), expected, "{guarantee:?} from {from}");
            running.stop_and_wait().await.unwrap();
            assert_eq!(lane(&store.inner).await.replay_until, None, "{guarantee:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_flag_holds_across_restarts_and_owners_until_it_is_passed() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(6).await;
        recorder.hold_at(3);
        running.clear_offset().await.unwrap();
        recorder.has_called("process 3", 2).await;
        running.stop();
        recorder.release(3);
        running.stop_and_wait().await.unwrap();
        let handled = recorder.handled().len();
        let (store, settings) = (store.beside(), settings(&recorder));
        source.push(7);
        source.push(8);
        let again = spawn(guarantee, &source, &store, &recorder, &settings);
        recorder.has_handled(14).await;
        assert!(handled < 14);
        let expected = [all(1..=6, false), all(1..=6, true), all(7..=8, false)].concat();
        assert_eq!(told(&recorder), expected, "{guarantee:?}");
        again.stop_and_wait().await.unwrap();
    }
}

/// The highest position that was ever reached counts, not the last one.
#[tokio::test(start_paused = true)]
async fn a_second_move_back_forgets_nothing() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(6)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(6).await;
        running.pause_and_wait().await.unwrap();
        running.set_offset(at(2)).await.unwrap();
        running.set_offset(at(4)).await.unwrap();
        running.clear_offset().await.unwrap();
        running.resume().await.unwrap();
        recorder.has_handled(12).await;
        assert_eq!(told(&recorder)[6..], all(1..=6, true), "{guarantee:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_move_ahead_is_no_replay_and_passes_what_it_leaves_out() {
    for guarantee in ALL {
        let (source, store) = (TestSource::of(numbers(2)), SteeredStore::default());
        let recorder = Recorder::default();
        let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
        recorder.has_handled(2).await;
        running.pause_and_wait().await.unwrap();
        (3..=6).for_each(|event| source.push(event));
        running.set_offset(at(4)).await.unwrap();
        running.resume().await.unwrap();
        recorder.has_handled(4).await;
        assert_eq!(told(&recorder), all([1, 2, 5, 6], false), "{guarantee:?}");
    }
}

/// The first run of a lane that begins in the middle is no replay, and neither is what a crash
/// repeats.
#[tokio::test(start_paused = true)]
async fn a_repetition_after_a_failed_save_is_no_replay() {
    let (source, store) = (TestSource::of(numbers(4)), SteeredStore::default());
    let recorder = Recorder::default();
    store.plan(Verb::Commit, crate::common::store::Fault::Refused);
    let guarantee = Guarantee::GroupedAtLeastOnce;
    let running = spawn(guarantee, &source, &store, &recorder, &settings(&recorder));
    recorder.has_handled(6).await;
    assert_eq!(told(&recorder), all([1, 2, 1, 2, 3, 4], false));
    running.stop_and_wait().await.unwrap();
}
