//! The envelopes that are with a flow.

use std::collections::VecDeque;

use crate::progress::window::Ticket;

/// The envelopes that are with a flow, each under the number that its context carries.
///
/// Numbers are used again, the one first that was given up first: a flow that keeps the order gets
/// numbers that follow each other, and memory follows what is in flight.
#[derive(Debug)]
pub(super) struct InFlight<P> {
    slots: Vec<Option<Delivered<P>>>,
    free: VecDeque<u64>,
    /// How many were put in so far.
    delivered: u64,
}

/// An envelope that is with a flow.
#[derive(Debug)]
pub(super) struct Delivered<P> {
    pub(super) ticket: Ticket,
    pub(super) position: P,
    /// Its place in the order of delivery.
    order: u64,
}

/// Names an envelope that was in flight, also when it is not any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Watched {
    number: u64,
    order: u64,
}

impl<P> InFlight<P> {
    pub(super) fn new() -> Self {
        Self {
            slots: Vec::new(),
            free: VecDeque::new(),
            delivered: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts an envelope in; gives its number.
    pub(super) fn put(&mut self, ticket: Ticket, position: P) -> u64 {
        let delivered = Delivered {
            ticket,
            position,
            order: self.delivered,
        };
        self.delivered += 1;
        if let Some(number) = self.free.pop_front()
            && let Some(slot) = self.slot(number)
        {
            *slot = Some(delivered);
            return number;
        }
        self.slots.push(Some(delivered));
        self.slots.len() as u64 - 1
    }

    /// Takes the envelope of that number out.
    pub(super) fn take(&mut self, number: u64) -> Option<Delivered<P>> {
        let delivered = self.slot(number)?.take()?;
        self.free.push_back(number);
        Some(delivered)
    }

    /// The envelope that was delivered first of those in flight. Looks at all of them.
    pub(super) fn first(&self) -> Option<(Watched, &P)> {
        let slots = (0_u64..).zip(&self.slots);
        let present = slots.filter_map(|(number, slot)| Some((number, slot.as_ref()?)));
        let first = present.min_by_key(|(_, delivered)| delivered.order)?;
        let (
            number,
            Delivered {
                position, order, ..
            },
        ) = first;
        let order = *order;
        Some((Watched { number, order }, position))
    }

    /// Whether that envelope is still in flight.
    pub(super) fn holds(&self, watched: Watched) -> bool {
        let slot = usize::try_from(watched.number).ok();
        let slot = slot.and_then(|number| self.slots.get(number));
        slot.is_some_and(|slot| {
            slot.as_ref()
                .is_some_and(|delivered| delivered.order == watched.order)
        })
    }

    fn slot(&mut self, number: u64) -> Option<&mut Option<Delivered<P>>> {
        self.slots.get_mut(usize::try_from(number).ok()?)
    }
}
