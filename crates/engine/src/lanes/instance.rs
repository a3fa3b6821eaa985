//! The projection of one lane, from its assignment to when it is given up.

use std::sync::Arc;

use futures::future::BoxFuture;
use projectionist_core::contract::Released;
use projectionist_core::{Error, ProjectionId};
use tokio::sync::watch;

use super::status::{LanePhase, LaneView, Published};
use crate::{ProjectionHandle, ProjectionStatus};

/// What runs for a lane.
#[derive(Clone, Debug)]
pub(super) enum Life {
    /// Its projection, also when that has ended.
    Projection(Arc<ProjectionHandle>),
    /// The projection could not be made or started.
    Stillborn(Arc<Error>),
}

impl Life {
    pub(super) fn status(&self) -> ProjectionStatus {
        match self {
            Self::Projection(handle) => handle.status(),
            Self::Stillborn(error) => ProjectionStatus::Failed {
                error: Arc::clone(error),
            },
        }
    }

    pub(super) fn handle(&self) -> Option<&Arc<ProjectionHandle>> {
        match self {
            Self::Projection(handle) => Some(handle),
            Self::Stillborn(_) => None,
        }
    }

    /// Why it failed for good.
    pub(super) fn failure(&self) -> Option<Arc<Error>> {
        match self.status() {
            ProjectionStatus::Failed { error } => Some(error),
            _ => None,
        }
    }
}

/// An instance that has ended: the key of its lane and its number.
pub(super) type Ended = (String, u64);

/// The projection of one assignment.
#[derive(Debug)]
pub(super) struct Instance {
    /// Tells it from earlier and later ones of the same lane.
    pub(super) number: u64,
    pub(super) phase: LanePhase,
    pub(super) life: Life,
    /// What the source waits for. Dropped with the instance.
    pub(super) released: Vec<Released>,
}

impl Instance {
    pub(super) fn new(number: u64, life: Life) -> Self {
        Self {
            number,
            phase: LanePhase::Assigned,
            life,
            released: Vec::new(),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.life.status().is_terminal()
    }

    /// It is read to the end of its stream.
    pub(super) fn end(&mut self) {
        self.phase = LanePhase::Ending;
        if let Some(handle) = self.life.handle() {
            handle.complete_at_end();
        }
    }

    /// It ends in order: what is in flight ends, what is settled is committed.
    pub(super) fn drain(&mut self) {
        if self.phase != LanePhase::Lost {
            self.phase = LanePhase::Draining;
        }
        if let Some(handle) = self.life.handle() {
            handle.stop();
        }
    }

    /// It ends at once, and commits nothing more.
    pub(super) fn abandon(&self) {
        if let Some(handle) = self.life.handle() {
            handle.abandon();
        }
    }

    pub(super) fn view(&self, id: ProjectionId, assigned_again: bool) -> LaneView {
        LaneView {
            id,
            phase: self.phase,
            assigned_again,
            life: self.life.clone(),
        }
    }
}

/// Waits for the end of an instance, and passes on every change of its status.
pub(super) fn follow(
    ended: Ended,
    handle: &ProjectionHandle,
    published: watch::Sender<Published>,
) -> BoxFuture<'static, Ended> {
    let mut status = handle.status_receiver();
    Box::pin(async move {
        while let Some(status) = status.changed().await {
            if status.is_terminal() {
                break;
            }
            published.send_modify(|_| ());
        }
        ended
    })
}
