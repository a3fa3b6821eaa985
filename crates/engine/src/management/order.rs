//! A command on its way to the owner of a lane, and how it is answered.

use std::sync::Arc;

use projectionist_core::{Error, ManagementCommand, RequestAnswer, RequestId};
use tokio::sync::oneshot;

/// What a command ends with.
pub(crate) type Outcome = Result<(), Arc<Error>>;

/// Who has given a command.
#[derive(Debug)]
pub(crate) enum Asker {
    /// A handle in this process.
    Handle(oneshot::Sender<Outcome>),
    /// Another process, through the store.
    Store(RequestId),
}

/// A command that waits for the owner of its lane.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) command: ManagementCommand,
    pub(crate) asker: Asker,
}

impl Asker {
    /// What the commit that carries the command out, or refuses it, must hold.
    pub(crate) fn answer(&self, refusal: Option<String>) -> Option<RequestAnswer> {
        match self {
            Self::Handle(_) => None,
            Self::Store(id) => Some(RequestAnswer { id: *id, refusal }),
        }
    }

    /// The request of the store, where it is one.
    pub(crate) fn request(&self) -> Option<RequestId> {
        match self {
            Self::Handle(_) => None,
            Self::Store(id) => Some(*id),
        }
    }

    /// Tells the end of it to who waits in this process.
    pub(crate) fn tell(self, outcome: Outcome) {
        if let Self::Handle(reply) = self {
            // Whoever asked may have given up waiting.
            let _given_up = reply.send(outcome);
        }
    }
}

/// The order to pass over an envelope, or a group.
#[derive(Debug)]
pub(crate) struct SkipOrder<Position> {
    pub(crate) position: Position,
    pub(crate) order: Order,
}

impl<Position: Ord> SkipOrder<Position> {
    /// Puts it among `orders`, which stand in the order of the lane.
    pub(crate) fn put_among(self, orders: &mut Vec<Self>) {
        let at = orders.partition_point(|other| other.position < self.position);
        orders.insert(at, self);
    }
}
