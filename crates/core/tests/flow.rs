//! The two ends of a flow: what is fed, what comes out, and what is told of the rest.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers included"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};

use futures::{FutureExt, StreamExt};
use projectionist_core::flow::{ForeignContexts, GivenBack, Outcome};
use projectionist_core::{FlowContext, FlowContexts, FlowFeed, FlowInput, ProjectionId};

type Feed = FlowFeed<&'static str>;
type Input = FlowInput<&'static str>;

fn ends() -> (Feed, Input) {
    FlowFeed::new(ProjectionId::new("orders", "all").unwrap())
}

/// Feeds envelopes under these numbers and takes their contexts.
fn contexts(feed: &mut Feed, input: &mut Input, numbers: &[u64]) -> Vec<FlowContext> {
    for number in numbers {
        feed.feed("event", *number, false);
    }
    let taken = numbers.iter().map(|_| next(input).unwrap().1);
    taken.collect()
}

fn next(input: &mut Input) -> Option<(&'static str, FlowContext)> {
    input.next().now_or_never().unwrap()
}

/// Everything that was told since the last time.
fn told(feed: &Feed) -> Vec<(Outcome, Vec<u64>)> {
    let mut given_back = Vec::new();
    feed.hear(&Context::from_waker(Waker::noop()), &mut given_back);
    let told = given_back.into_iter();
    told.map(|GivenBack { outcome, numbers }| (outcome, numbers.collect()))
        .collect()
}

/// What came out, as ranges.
fn came_out(feed: &Feed, contexts: FlowContexts) -> Vec<Vec<u64>> {
    let mut ranges = Vec::new();
    let taken = feed.came_out(contexts, |numbers| ranges.push(numbers.collect()));
    taken.unwrap();
    ranges
}

#[test]
fn what_is_fed_comes_in_order_and_ends_when_it_is_taken() {
    let (mut feed, mut input) = ends();
    feed.feed("a", 0, false);
    feed.feed("b", 1, true);
    feed.end();
    let (event, first) = next(&mut input).unwrap();
    assert_eq!((event, first.is_replay()), ("a", false));
    let (event, second) = next(&mut input).unwrap();
    assert_eq!((event, second.is_replay()), ("b", true));
    assert_eq!(second.lane().to_string(), "orders/all");
    assert!(next(&mut input).is_none());
    let merged: FlowContexts = [first, second].into_iter().collect();
    assert_eq!(came_out(&feed, merged), [[0, 1]]);
    assert_eq!(told(&feed), []);
}

#[test]
fn contexts_are_merged_whatever_their_order_is() {
    let (mut feed, mut input) = ends();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
        let merged: FlowContexts = contexts(&mut feed, &mut input, &order)
            .into_iter()
            .collect();
        assert_eq!((merged.len(), merged.is_empty()), (4, false));
        let mut numbers = came_out(&feed, merged).concat();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 1, 2, 3], "{order:?}");
    }
    let mut left = FlowContexts::default();
    assert!(left.is_empty());
    for pair in [[4, 5], [7, 8]] {
        let pair: FlowContexts = contexts(&mut feed, &mut input, &pair).into_iter().collect();
        left.merge(pair);
    }
    assert_eq!(came_out(&feed, left), [[4, 5], [7, 8]]);
    assert_eq!(told(&feed), []);
}

#[test]
fn what_does_not_come_out_is_told_once() {
    let (mut feed, mut input) = ends();
    let mut taken = contexts(&mut feed, &mut input, &[0, 1, 2, 3, 4, 5]).into_iter();
    taken.next().unwrap().filtered();
    taken.next().unwrap().filtered();
    drop(taken.next());
    let rest: FlowContexts = taken.collect();
    rest.filtered();
    let expected = [
        (Outcome::Filtered, vec![0, 1]),
        (Outcome::Lost, vec![2]),
        (Outcome::Filtered, vec![3, 4, 5]),
    ];
    assert_eq!(told(&feed), expected);
    assert_eq!(told(&feed), []);
    let dropped: FlowContexts = contexts(&mut feed, &mut input, &[6, 7])
        .into_iter()
        .collect();
    drop(dropped);
    assert_eq!(told(&feed), [(Outcome::Lost, vec![6, 7])]);
}

#[test]
fn a_flow_that_drops_its_input_loses_what_it_holds_and_what_comes() {
    let (mut feed, input) = ends();
    feed.feed("a", 0, false);
    drop(input);
    assert_eq!(told(&feed), [(Outcome::Lost, vec![0])]);
    feed.feed("b", 1, false);
    assert_eq!(told(&feed), [(Outcome::Lost, vec![1])]);
}

#[test]
fn what_is_withdrawn_was_never_fed() {
    let (mut feed, mut input) = ends();
    let taken = contexts(&mut feed, &mut input, &[0]);
    feed.feed("b", 1, false);
    feed.feed("c", 2, false);
    let mut withdrawn = Vec::new();
    feed.withdraw(|numbers| withdrawn.extend(numbers));
    assert_eq!(withdrawn, [1, 2]);
    assert!(next(&mut input).is_none());
    assert_eq!(told(&feed), []);
    let out: FlowContexts = taken.into_iter().collect();
    assert_eq!(came_out(&feed, out), [[0]]);
}

#[test]
fn contexts_of_another_run_are_told_apart_also_when_they_are_merged() {
    let ((mut one, mut ones), (mut two, mut twos)) = (ends(), ends());
    let own = contexts(&mut one, &mut ones, &[0, 1]);
    let foreign = contexts(&mut two, &mut twos, &[2, 3]);
    let merged: FlowContexts = own.into_iter().chain(foreign).collect();
    let mut numbers = Vec::new();
    let taken = one.came_out(merged, |range| numbers.extend(range));
    assert_eq!(taken, Err(ForeignContexts(2)));
    assert_eq!(numbers, [0, 1], "its own are taken");
    assert_eq!(told(&one), []);
    assert_eq!(told(&two), [(Outcome::Lost, vec![2, 3])]);
}

#[test]
fn a_run_that_has_ended_is_told_nothing() {
    let (mut feed, mut input) = ends();
    let mut taken = contexts(&mut feed, &mut input, &[0, 1]);
    feed.feed("c", 2, false);
    drop(feed);
    assert!(next(&mut input).is_none());
    taken.remove(0).filtered();
    drop(taken);
}

/// Counts how often it is woken.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn each_end_wakes_the_other() {
    let (mut feed, mut input) = ends();
    let (engine, flow) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    let rings = |bell: &Bell| bell.0.swap(0, Ordering::SeqCst);
    let (engines, flows) = (Waker::from(engine.clone()), Waker::from(flow.clone()));
    let wait = |input: &mut Input| {
        let mut cx = Context::from_waker(&flows);
        assert!(input.poll_next_unpin(&mut cx).is_pending());
    };
    wait(&mut input);
    feed.feed("a", 0, false);
    assert_eq!(rings(&flow), 1);
    feed.hear(&Context::from_waker(&engines), &mut Vec::new());
    let (_, context) = next(&mut input).unwrap();
    assert_eq!(rings(&engine), 0, "to take one tells nothing");
    drop(context);
    assert_eq!(rings(&engine), 1);
    wait(&mut input);
    feed.end();
    assert_eq!(rings(&flow), 1);
}
