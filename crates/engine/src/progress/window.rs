//! What is delivered and not yet below the low-water mark, settled in any order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::blocks::Blocks;
use super::held::Held;
use super::window_limits::{Limit, WindowLimits};

/// What is delivered and not yet below the low-water mark of a lane.
///
/// Every delivered record has an index, one more than the record before it. What is settled is a
/// bit in a block of 64 records; blocks stand in the order of delivery. A record is delivered and
/// settled in constant time and without an allocation. The low-water mark moves over the settled
/// records at the front. A block whose records are all settled keeps its two ends, and grows
/// together with settled neighbours: the memory follows what is **not** settled, never the distance
/// to it.
///
/// A [`Ticket`] names the window that gave it. A window lives for one run, so a ticket that comes
/// back late, in another run, settles nothing there, and neither does one that comes back twice.
#[derive(Debug)]
pub(crate) struct Window<P> {
    /// Which window this is among all of this process.
    run: u64,
    /// The index of the next delivered record.
    next: u64,
    blocks: Blocks<P>,
    unsettled: usize,
    unsettled_bytes: usize,
    /// Settled records above the low-water mark.
    ahead: u64,
    /// The stretches that they form.
    ranges: usize,
    held: BTreeMap<u64, Held<P>>,
}

/// The right to settle one delivered record, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ticket {
    run: u64,
    index: u64,
    block: u32,
    bytes: usize,
}

/// What settling a record changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// It is settled now.
    Now,
    /// It was settled before; nothing changed.
    Already,
    /// It was delivered by another run; nothing changed.
    OtherRun,
}

/// The windows of this process so far.
static WINDOWS: AtomicU64 = AtomicU64::new(0);

impl<P> Default for Window<P> {
    /// An empty window, which has no heap.
    fn default() -> Self {
        Self {
            run: WINDOWS.fetch_add(1, Ordering::Relaxed),
            next: 0,
            blocks: Blocks::default(),
            unsettled: 0,
            unsettled_bytes: 0,
            ahead: 0,
            ranges: 0,
            held: BTreeMap::new(),
        }
    }
}

impl<P: Clone> Window<P> {
    /// A record was delivered, behind all before it; `bytes` is what it keeps in memory until it is
    /// settled.
    pub(crate) fn deliver(&mut self, position: P, bytes: usize) -> Ticket {
        let index = self.next;
        self.next += 1;
        self.unsettled += 1;
        self.unsettled_bytes += bytes;
        Ticket {
            run: self.run,
            index,
            block: self.blocks.push(index, position),
            bytes,
        }
    }

    /// The record of `ticket` is settled. `low` moves over the settled records at the front.
    pub(crate) fn settle(&mut self, ticket: &Ticket, low: &mut Option<P>) -> Settled {
        if ticket.run != self.run {
            return Settled::OtherRun;
        }
        let Some(place) = self.blocks.unsettled_place(ticket.block, ticket.index) else {
            return Settled::Already;
        };
        match self.blocks.settle(ticket.block, place) {
            [false, false] => self.ranges += 1,
            [true, true] => self.ranges -= 1,
            _ => {}
        }
        self.unsettled -= 1;
        self.unsettled_bytes -= ticket.bytes;
        self.ahead += 1;
        self.ahead -= self.blocks.advance(low);
        if !self.held.is_empty() {
            self.held.remove(&ticket.index);
        }
        Settled::Now
    }

    /// The record of `ticket` failed and is to be tried again. The first error and its time stay
    /// those of the first call.
    pub(crate) fn hold(&mut self, ticket: &Ticket, held: Held<P>) {
        let place = self.blocks.unsettled_place(ticket.block, ticket.index);
        if ticket.run != self.run || place.is_none() {
            return;
        }
        match self.held.get_mut(&ticket.index) {
            Some(present) => {
                present.attempts = held.attempts;
                present.error = held.error;
                present.delay = held.delay;
            }
            None => {
                self.held.insert(ticket.index, held);
            }
        }
    }

    /// The record that was delivered first of those that are to be tried again.
    pub(crate) fn first_held(&self) -> Option<&Held<P>> {
        self.held.first_key_value().map(|(_, held)| held)
    }

    /// The record that was delivered last of those that are to be tried again.
    pub(crate) fn last_held(&self) -> Option<&Held<P>> {
        self.held.last_key_value().map(|(_, held)| held)
    }

    /// How many records are delivered and not settled.
    pub(crate) fn unsettled(&self) -> usize {
        self.unsettled
    }

    /// How many records are settled above the low-water mark.
    pub(crate) fn ahead(&self) -> u64 {
        self.ahead
    }

    /// The limit that is reached, where one is.
    pub(crate) fn reached(&self, limits: &WindowLimits) -> Option<Limit> {
        let held = self.held.len();
        if self.unsettled >= limits.max_unsettled.max(1) {
            Some(Limit::Unsettled(self.unsettled))
        } else if self.unsettled > 0 && self.unsettled_bytes >= limits.max_unsettled_bytes {
            Some(Limit::UnsettledBytes(self.unsettled_bytes))
        } else if self.ranges >= limits.max_ranges.max(1) {
            Some(Limit::Ranges(self.ranges))
        } else if held >= limits.max_held.max(1) {
            Some(Limit::Held(held))
        } else {
            None
        }
    }

    /// The last delivered position, when it is above the low-water mark.
    pub(crate) fn last(&self) -> Option<&P> {
        if self.unsettled == 0 && self.ahead == 0 {
            return None;
        }
        self.blocks.last()
    }

    /// Gives the first and the last position of each stretch of settled records above the
    /// low-water mark, in their order.
    pub(crate) fn each_range<'a>(&'a self, give: impl FnMut(&'a P, &'a P)) {
        self.blocks.each_range(give);
    }
}

#[cfg(test)]
mod tests;
