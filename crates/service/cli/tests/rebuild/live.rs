//! A rebuild beside a run that goes on, while events arrive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::sys::signal::Signal;

use crate::common::{Place, Running, eventually, process};
use crate::scene::{
    DECLARED, State, assert_same, by_hand, events, fresh, killed, ran, rebuild, rebuilt,
    shadow_read, traces,
};

/// The events that are there, and those that arrive meanwhile.
const BEFORE: usize = 30_000;
const MEANWHILE: usize = 50_000;

/// Waits until the run has read everything that is in its file.
fn caught_up(place: &Place, total: usize) {
    eventually("the run has read all events", || {
        let lanes = place.client().lanes();
        let read = |name: &str| lanes.get(name).map_or(0, |lane| lane.counts["read"]);
        (read("baskets") == total as u64 && read("skus") == total as u64).then_some(())
    });
}

#[test]
fn fifty_thousand_events_arrive_while_it_is_killed_and_resumed_and_nothing_is_lost_or_doubled() {
    let place = Arc::new(ran(BEFORE));
    by_hand(&place, "UPDATE baskets SET lines = lines + 1000");
    let live = place.follow(&[]);
    let all_written = Arc::new(AtomicBool::new(false));
    let writer = std::thread::spawn({
        let (place, all_written) = (Arc::clone(&place), Arc::clone(&all_written));
        move || {
            // A part whenever what is built has come further, so that they arrive all along.
            let (parts, mut last) = (50, 0);
            for part in 0..parts {
                let from = BEFORE + part * MEANWHILE / parts;
                place.append(events(from..from + MEANWHILE / parts));
                let looks = 200;
                for _ in 0..looks {
                    let read = shadow_read(&place);
                    if read != last {
                        last = read;
                        break;
                    }
                    std::thread::yield_now();
                }
            }
            all_written.store(true, Ordering::SeqCst);
        }
    });
    for read in [5_000, 15_000] {
        killed(&place, &["baskets"], read);
    }
    let ended = process::ended(&mut rebuild(&place, &["baskets"]));
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stderr.contains("goes on after"), "{ended:?}");
    writer.join().unwrap();
    assert!(all_written.load(Ordering::SeqCst));
    caught_up(&place, BEFORE + MEANWHILE);
    let ended = live.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
    assert_eq!(traces(&place), [].into());
}

#[test]
fn the_owner_in_use_goes_on_in_the_new_tables() {
    let place = ran(600);
    let live = place.follow(&[]);
    eventually("the run has its lanes", || {
        let lanes = place.client().lanes();
        lanes.values().all(|lane| lane.is_held).then_some(())
    });
    let epoch = |place: &Place| place.client().lanes()["baskets"].epoch;
    let before = epoch(&place);
    rebuilt(&place, &["--keep"]);
    eventually("the owner has the lane again", || {
        let lane = &place.client().lanes()["baskets"];
        (lane.is_held && lane.epoch > before + 1).then_some(())
    });
    place.append(events(600..1_200));
    caught_up(&place, 1_200);
    let ended = live.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
}

#[test]
fn a_second_rebuild_says_who_does_it() {
    let place = ran(30_000);
    let first = Running::start(&mut rebuild(&place, &["baskets"]));
    eventually("the first one has the lane", || {
        let lanes = place.client().lanes();
        let lane = lanes.get("projectionist:rebuild:baskets")?;
        (lane.is_held && lane.counts["read"] > 0).then_some(())
    });
    first.send(Signal::SIGSTOP);
    for second in [&["baskets"][..], &["baskets", "--abort"]] {
        let second = process::ended(&mut rebuild(&place, second));
        assert_eq!(second.code, 1, "{second:?}");
        assert!(second.stderr.contains(&first.label()), "{second:?}");
    }
    first.send(Signal::SIGCONT);
    let ended = first.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
}

#[test]
fn one_that_is_stopped_can_be_resumed() {
    let place = ran(30_000);
    let running = Running::start(&mut rebuild(&place, &["baskets"]));
    eventually("it reads", || (shadow_read(&place) > 0).then_some(()));
    let ended = running.stop(Signal::SIGTERM);
    assert_eq!(ended.code, 0, "{ended:?}");
    if !ended.stdout.contains("in use") {
        assert!(ended.stdout.contains("stopped after"), "{ended:?}");
        let again = rebuilt(&place, &["baskets"]);
        assert!(again.stderr.contains("goes on after"), "{again:?}");
    }
    assert_same(&State::of(&place), &fresh(&place, DECLARED), "");
}
