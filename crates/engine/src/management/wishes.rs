//! What is wanted of the owner of a lane, in the order in which it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::{LaneManagement, ManagementRequest, Pause, RequestId};

use super::order::{Asker, Order};
use crate::signals::Signals;

/// What is wanted of the owner of a lane. Changing it interrupts the owner's run.
#[derive(Debug)]
pub(crate) struct Wishes {
    signals: Arc<Signals>,
    wanted: Mutex<Wanted>,
}

#[derive(Debug, Default)]
struct Wanted {
    pause: Option<Pause>,
    orders: VecDeque<Order>,
    /// The reads of the store that were begun, and the latest of them that was taken over.
    begun: u64,
    taken_over: u64,
    /// Requests that were taken out and may have no answer yet: the store lists them still.
    under_way: Vec<RequestId>,
}

/// A read of what the store holds of a lane's management, by the time of its beginning.
#[derive(Debug)]
pub(crate) struct Read(u64);

impl Wishes {
    pub(crate) fn new(signals: Arc<Signals>) -> Self {
        Self {
            signals,
            wanted: Mutex::default(),
        }
    }

    /// A read of the store begins, which [`stored`](Self::stored) takes over.
    pub(crate) fn begin_read(&self) -> Read {
        let mut wanted = self.lock();
        wanted.begun += 1;
        Read(wanted.begun)
    }

    /// Takes over what the store held at a read, unless a later one was taken over already: reads
    /// may overtake each other, and what is newer holds.
    pub(crate) fn stored(&self, read: Read, management: LaneManagement) {
        let mut wanted = self.lock();
        if read.0 < wanted.taken_over {
            return;
        }
        wanted.taken_over = read.0;
        let mut changed = wanted.pause != management.pause;
        wanted.pause = management.pause;
        wanted.forget_answered(&management.requests);
        for request in management.requests {
            if !wanted.knows(request.id) {
                let (command, asker) = (request.command, Asker::Store(request.id));
                wanted.orders.push_back(Order { command, asker });
                changed = true;
            }
        }
        drop(wanted);
        if changed {
            self.signals.ask_attention();
        }
    }

    /// Adds a command.
    pub(crate) fn add(&self, order: Order) {
        self.lock().orders.push_back(order);
        self.signals.ask_attention();
    }

    /// Whether the lane is to be paused.
    pub(crate) fn pause(&self) -> Option<Pause> {
        self.lock().pause
    }

    /// The next command.
    pub(crate) fn next(&self) -> Option<Order> {
        let mut wanted = self.lock();
        let order = wanted.orders.pop_front()?;
        if let Asker::Store(request) = order.asker {
            wanted.under_way.push(request);
        }
        Some(order)
    }

    /// Only these of the requests that were taken out are still under way: the others are taken
    /// over again where the store lists them.
    pub(crate) fn under_way(&self, requests: Vec<RequestId>) {
        self.lock().under_way = requests;
    }

    /// Takes all commands out, when there is nobody to carry them out.
    pub(crate) fn take_all(&self) -> VecDeque<Order> {
        let mut wanted = self.lock();
        wanted.under_way.clear();
        std::mem::take(&mut wanted.orders)
    }

    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wanted {
    fn knows(&self, request: RequestId) -> bool {
        self.under_way.contains(&request)
            || self
                .orders
                .iter()
                .any(|order| matches!(order.asker, Asker::Store(id) if id == request))
    }

    fn forget_answered(&mut self, listed: &[ManagementRequest]) {
        self.under_way
            .retain(|id| listed.iter().any(|request| request.id == *id));
    }
}
