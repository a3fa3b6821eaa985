//! The window against a model that knows nothing of blocks.

use std::time::Duration;

use projectionist_core::Timestamp;

use super::*;

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bound = u64::try_from(bound).unwrap();
        usize::try_from((mixed ^ (mixed >> 31)) % bound).unwrap()
    }
}

/// Every record that was ever delivered, with its bytes, and whether it is settled.
#[derive(Default)]
struct Model {
    records: Vec<(u64, usize, bool)>,
}

impl Model {
    fn front(&self) -> usize {
        let open = self.records.iter().position(|(_, _, settled)| !settled);
        open.unwrap_or(self.records.len())
    }

    fn low(&self) -> Option<u64> {
        let last = self.front().checked_sub(1)?;
        Some(self.records[last].0)
    }

    fn ranges(&self) -> Vec<(u64, u64)> {
        let above = &self.records[self.front()..];
        let stretches = above.chunk_by(|left, right| left.2 == right.2);
        stretches
            .filter(|stretch| stretch[0].2)
            .map(|stretch| (stretch[0].0, stretch[stretch.len() - 1].0))
            .collect()
    }

    fn unsettled(&self) -> (usize, usize) {
        let open = self.records.iter().filter(|(_, _, settled)| !settled);
        open.fold((0, 0), |(count, bytes), record| {
            (count + 1, bytes + record.1)
        })
    }
}

fn ranges(window: &Window<u64>) -> Vec<(u64, u64)> {
    let mut ranges = Vec::new();
    window.each_range(|first, last| ranges.push((*first, *last)));
    ranges
}

/// Checks everything that a window tells.
fn compare(window: &Window<u64>, low: Option<u64>, model: &Model) {
    assert_eq!(low, model.low());
    assert_eq!(ranges(window), model.ranges());
    assert_eq!(window.ranges, model.ranges().len());
    let (unsettled, bytes) = model.unsettled();
    assert_eq!(
        (window.unsettled, window.unsettled_bytes),
        (unsettled, bytes)
    );
    let above = model.records[model.front()..].len();
    assert_eq!(window.ahead, (above - unsettled) as u64);
    let last = model.records.last().map(|(position, _, _)| *position);
    let low = model.low();
    assert_eq!(window.last().copied(), last.filter(|_| last != low));
}

/// Delivers and settles at random; a record waits the longer, the greater `reach` is.
fn walk(seed: u64, reach: usize, steps: usize) {
    let mut random = Random(seed);
    let (mut window, mut model, mut low) = (Window::default(), Model::default(), None);
    let mut open: Vec<(usize, Ticket)> = Vec::new();
    let mut position = 0;
    for step in 0..steps {
        if open.len() < reach && random.below(2) == 0 {
            position += 1 + random.below(3) as u64;
            let bytes = random.below(100);
            open.push((model.records.len(), window.deliver(position, bytes)));
            model.records.push((position, bytes, false));
        } else if !open.is_empty() {
            let (index, ticket) = open.swap_remove(random.below(open.len()));
            model.records[index].2 = true;
            assert_eq!(window.settle(&ticket, &mut low), Settled::Now);
            assert_eq!(window.settle(&ticket, &mut low), Settled::Already);
        }
        if step % 7 == 0 {
            compare(&window, low, &model);
        }
    }
    while !open.is_empty() {
        let (index, ticket) = open.swap_remove(random.below(open.len()));
        model.records[index].2 = true;
        assert_eq!(window.settle(&ticket, &mut low), Settled::Now);
        compare(&window, low, &model);
    }
    assert_eq!(low, Some(position));
    assert!(window.blocks.len() <= 1, "what is passed is let go");
}

#[test]
fn it_is_what_a_list_of_all_records_is() {
    for seed in 0..40 {
        for reach in [1, 3, 70, 400] {
            walk(seed, reach, 1_500);
        }
    }
}

#[test]
fn a_long_settled_stretch_behind_one_record_costs_nothing() {
    let (mut window, mut low) = (Window::default(), None);
    let first = window.deliver(1_u64, 10);
    for position in 2..=100_000 {
        let ticket = window.deliver(position, 10);
        assert_eq!(window.settle(&ticket, &mut low), Settled::Now);
    }
    assert_eq!(ranges(&window), [(2, 100_000)]);
    assert!(window.blocks.len() <= 4, "{}", window.blocks.len());
    assert_eq!((window.unsettled(), window.unsettled_bytes), (1, 10));
    assert_eq!(window.settle(&first, &mut low), Settled::Now);
    assert_eq!((low, window.ahead()), (Some(100_000), 0));
}

#[test]
fn a_settle_of_another_run_changes_nothing() {
    let (mut old, mut new) = (Window::default(), Window::default());
    let stray = old.deliver(7_u64, 0);
    let mut low = None;
    new.deliver(7, 0);
    assert_eq!(new.settle(&stray, &mut low), Settled::OtherRun);
    assert_eq!((low, new.unsettled()), (None, 1));
}

#[test]
fn a_settle_that_comes_back_after_its_block_was_used_again_changes_nothing() {
    let (mut window, mut low) = (Window::default(), None);
    let first = window.deliver(0_u64, 0);
    window.settle(&first, &mut low);
    for position in 1..1_000 {
        let ticket = window.deliver(position, 0);
        assert_eq!(window.settle(&first, &mut low), Settled::Already);
        assert_eq!(window.settle(&ticket, &mut low), Settled::Now);
    }
    assert_eq!(low, Some(999));
}

fn failed(position: u64, attempts: u32) -> Held<u64> {
    Held {
        position,
        key: None,
        attempts,
        first_error: format!("failed {attempts}"),
        since: Timestamp::from_unix_millis(i64::from(attempts)),
        error: format!("failed {attempts}"),
        delay: Duration::from_secs(1),
    }
}

#[test]
fn what_is_held_keeps_its_first_error_until_it_is_settled() {
    let (mut window, mut low) = (Window::default(), None);
    let tickets = [1_u64, 2, 3].map(|position| window.deliver(position, 0));
    window.hold(&tickets[1], failed(2, 1));
    window.hold(&tickets[1], failed(2, 2));
    window.hold(&tickets[2], failed(3, 1));
    let held = window.first_held().unwrap();
    assert_eq!((held.position, held.attempts), (2, 2));
    assert_eq!(
        (held.first_error.as_str(), held.error.as_str()),
        ("failed 1", "failed 2")
    );
    assert_eq!(held.since, Timestamp::from_unix_millis(1));
    assert_eq!(window.last_held().unwrap().position, 3);
    window.settle(&tickets[1], &mut low);
    assert_eq!(window.first_held().unwrap().position, 3);
    window.settle(&tickets[2], &mut low);
    assert!(window.first_held().is_none());
}

#[test]
fn each_limit_is_reached_by_what_it_counts() {
    let none = WindowLimits {
        max_unsettled: usize::MAX,
        max_unsettled_bytes: usize::MAX,
        max_ranges: usize::MAX,
        max_held: usize::MAX,
    };
    let (mut window, mut low) = (Window::default(), None);
    let tickets = [1_u64, 2, 3, 4, 5].map(|position| window.deliver(position, 10));
    window.settle(&tickets[1], &mut low);
    window.settle(&tickets[3], &mut low);
    window.hold(&tickets[0], failed(1, 1));
    assert_eq!(window.reached(&none), None);
    let of = |limits: WindowLimits| window.reached(&limits);
    let unsettled = |max_unsettled| WindowLimits {
        max_unsettled,
        ..none
    };
    assert_eq!(of(unsettled(3)), Some(Limit::Unsettled(3)));
    assert_eq!(of(unsettled(4)), None);
    let bytes = |max_unsettled_bytes| WindowLimits {
        max_unsettled_bytes,
        ..none
    };
    assert_eq!(of(bytes(30)), Some(Limit::UnsettledBytes(30)));
    assert_eq!(of(bytes(31)), None);
    let ranges = |max_ranges| WindowLimits { max_ranges, ..none };
    assert_eq!(of(ranges(2)), Some(Limit::Ranges(2)));
    assert_eq!(of(ranges(3)), None);
    let held = |max_held| WindowLimits { max_held, ..none };
    assert_eq!(of(held(1)), Some(Limit::Held(1)));
    assert_eq!(of(held(2)), None);
}

#[test]
fn an_empty_window_has_reached_no_limit_of_bytes() {
    let window = Window::<u64>::default();
    let limits = WindowLimits {
        max_unsettled_bytes: 0,
        ..WindowLimits::default()
    };
    assert_eq!(window.reached(&limits), None);
}
