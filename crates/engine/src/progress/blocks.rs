//! The blocks of a window, in the order of delivery.

use super::block::{Block, NONE, RECORDS, Records};

/// The blocks of a window, in the order of delivery: a list whose places are used again.
///
/// Every block but the last has a record that is not settled, or stands between two that have one.
#[derive(Debug)]
pub(super) struct Blocks<P> {
    places: Vec<Block<P>>,
    free: Vec<u32>,
    /// Buffers of blocks that are settled.
    spare: Vec<Vec<P>>,
    head: u32,
    tail: u32,
    /// How many records of the first block are below the low-water mark.
    passed: usize,
}

impl<P> Default for Blocks<P> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            spare: Vec::new(),
            head: NONE,
            tail: NONE,
            passed: 0,
        }
    }
}

impl<P: Clone> Blocks<P> {
    /// Appends a record; gives its block.
    pub(super) fn push(&mut self, index: u64, position: P) -> u32 {
        if let Some(block) = self.places.get_mut(self.tail as usize)
            && let Records::Each { positions, .. } = &mut block.records
            && positions.len() < RECORDS
        {
            positions.push(position);
            return self.tail;
        }
        let mut positions = self.spare.pop().unwrap_or_default();
        positions.reserve_exact(RECORDS);
        positions.push(position);
        self.append(index, positions)
    }

    /// The place of a record in its block, while it is not settled.
    pub(super) fn unsettled_place(&self, at: u32, index: u64) -> Option<usize> {
        let block = self.places.get(at as usize)?;
        let place = block.place(index)?;
        match &block.records {
            Records::Each { settled, .. } if settled >> place & 1 == 0 => Some(place),
            _ => None,
        }
    }

    /// The record is settled. Gives whether the records before and behind it were.
    pub(super) fn settle(&mut self, at: u32, place: usize) -> [bool; 2] {
        let touches = [
            self.settled_before(at, place),
            self.settled_behind(at, place),
        ];
        if let Some(block) = self.places.get_mut(at as usize)
            && let Records::Each { settled, .. } = &mut block.records
        {
            *settled |= 1 << place;
            if *settled == u64::MAX && at != self.head {
                self.close(at);
            }
        }
        touches
    }

    /// Moves `low` over what is settled at the front, and lets go of the blocks below it. Gives over
    /// how many records.
    pub(super) fn advance(&mut self, low: &mut Option<P>) -> u64 {
        let mut over = 0;
        while let Some(block) = self.places.get_mut(self.head as usize) {
            match &mut block.records {
                Records::Each { positions, settled } => {
                    let passed = settled.trailing_ones() as usize;
                    if passed == self.passed {
                        return over;
                    }
                    if let Some(last) = positions.get_mut(passed - 1) {
                        reach(low, last);
                    }
                    over += (passed - self.passed) as u64;
                    self.passed = passed;
                    if passed < RECORDS {
                        return over;
                    }
                }
                Records::All { count, last, .. } => {
                    reach(low, last);
                    over += *count;
                }
                Records::Free => return over,
            }
            self.passed = 0;
            self.remove(self.head);
        }
        over
    }

    /// The last position.
    pub(super) fn last(&self) -> Option<&P> {
        match &self.places.get(self.tail as usize)?.records {
            Records::Each { positions, .. } => positions.last(),
            Records::All { last, .. } => Some(last),
            Records::Free => None,
        }
    }

    /// Gives the first and the last position of each stretch of settled records above the
    /// low-water mark, in their order.
    pub(super) fn each_range<'a>(&'a self, mut give: impl FnMut(&'a P, &'a P)) {
        let mut open: Option<(&P, &P)> = None;
        let (mut at, mut passed) = (self.head, self.passed);
        while let Some(block) = self.places.get(at as usize) {
            match &block.records {
                Records::All { first, last, .. } => {
                    open = Some((open.map_or(first, |(first, _)| first), last));
                }
                Records::Each { positions, settled } => {
                    for (place, position) in positions.iter().enumerate().skip(passed) {
                        if settled >> place & 1 == 1 {
                            open = Some((open.map_or(position, |(first, _)| first), position));
                        } else if let Some((first, last)) = open.take() {
                            give(first, last);
                        }
                    }
                }
                Records::Free => {}
            }
            (at, passed) = (block.next, 0);
        }
        if let Some((first, last)) = open {
            give(first, last);
        }
    }

    /// How many blocks there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Whether the record before that one is settled, below the low-water mark or above it.
    fn settled_before(&self, at: u32, place: usize) -> bool {
        let Some(block) = self.places.get(at as usize) else {
            return false;
        };
        match (&block.records, place) {
            (_, 0) => {
                let previous = self.places.get(block.previous as usize);
                previous.is_none_or(Block::ends_settled)
            }
            (Records::Each { settled, .. }, place) => settled >> (place - 1) & 1 == 1,
            _ => true,
        }
    }

    /// Whether the record behind that one is delivered and settled.
    fn settled_behind(&self, at: u32, place: usize) -> bool {
        let Some(block) = self.places.get(at as usize) else {
            return false;
        };
        match &block.records {
            Records::Each { settled, .. } if place + 1 < RECORDS => settled >> (place + 1) & 1 == 1,
            _ => {
                let next = self.places.get(block.next as usize);
                next.is_some_and(Block::starts_settled)
            }
        }
    }

    /// Keeps only the ends of a block that is settled as a whole, and joins it with its neighbours.
    fn close(&mut self, at: u32) {
        let Some(block) = self.places.get_mut(at as usize) else {
            return;
        };
        if let Records::Each { positions, .. } = &mut block.records {
            let mut positions = std::mem::take(positions);
            let count = positions.len() as u64;
            let last = positions.pop();
            let first = (!positions.is_empty()).then(|| positions.swap_remove(0));
            positions.clear();
            self.spare.push(positions);
            if let (Some(first), Some(last)) = (first, last) {
                block.records = Records::All { count, first, last };
            }
        }
        let (previous, next) = (block.previous, block.next);
        self.join(at, next);
        self.join(previous, at);
    }

    /// Makes one block of two that stand beside each other, when both are settled as a whole.
    fn join(&mut self, left: u32, right: u32) {
        let is_whole = |at: u32| {
            let block = self.places.get(at as usize);
            block.is_some_and(|block| matches!(block.records, Records::All { .. }))
        };
        if !is_whole(left) || !is_whole(right) {
            return;
        }
        let taken = self.remove(right);
        if let Some(block) = self.places.get_mut(left as usize)
            && let Records::All { count, last, .. } = &mut block.records
            && let Records::All {
                count: more,
                last: end,
                ..
            } = taken
        {
            *count += more;
            *last = end;
        }
    }

    /// Appends a block that begins with the record `start`.
    fn append(&mut self, start: u64, positions: Vec<P>) -> u32 {
        let settled = 0;
        let block = Block {
            start,
            records: Records::Each { positions, settled },
            previous: self.tail,
            next: NONE,
        };
        let at = match self.free.pop() {
            Some(at) => {
                self.places[at as usize] = block;
                at
            }
            None => {
                self.places.push(block);
                // There are no more blocks than unsettled records, and one.
                u32::try_from(self.places.len() - 1).unwrap_or(NONE)
            }
        };
        match self.places.get_mut(self.tail as usize) {
            Some(tail) => tail.next = at,
            None => self.head = at,
        }
        self.tail = at;
        at
    }

    /// Takes a block out, and gives what it held if it was settled as a whole.
    fn remove(&mut self, at: u32) -> Records<P> {
        let Some(block) = self.places.get_mut(at as usize) else {
            return Records::Free;
        };
        let (previous, next) = (block.previous, block.next);
        let mut records = std::mem::replace(&mut block.records, Records::Free);
        if let Records::Each { positions, .. } = &mut records {
            let mut positions = std::mem::take(positions);
            positions.clear();
            self.spare.push(positions);
        }
        match self.places.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => self.head = next,
        }
        match self.places.get_mut(next as usize) {
            Some(next) => next.previous = previous,
            None => self.tail = previous,
        }
        self.free.push(at);
        records
    }
}

/// Moves `low` to a position that is not needed in its place any more.
fn reach<P: Clone>(low: &mut Option<P>, position: &mut P) {
    match low {
        Some(low) => std::mem::swap(low, position),
        None => *low = Some(position.clone()),
    }
}
