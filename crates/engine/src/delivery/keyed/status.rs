//! What a keyed run tells of envelopes that hold it up.

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{BoxError, Offset};

use super::desk::{Desk, Job};
use crate::ProjectionStatus;
use crate::progress::held::Held;
use crate::progress::window_limits::Limit;

impl<P: SourceProvider, S: OffsetStore> Desk<'_, '_, P, S> {
    /// An envelope failed and is to be tried again.
    pub(super) fn hold(
        &mut self,
        job: &Job<P>,
        key: String,
        attempt: u32,
        delay: std::time::Duration,
        error: &BoxError,
    ) {
        let held = Held {
            position: job.position.clone(),
            key: Some(key),
            attempts: attempt,
            first_error: error.to_string(),
            since: self.run.clock.now(),
            error: error.to_string(),
            delay,
        };
        if !self.is_blocked {
            self.publish_retrying(&held);
        }
        self.run.progress.hold(&job.ticket, held);
    }

    /// Something was settled while a streak of failures is open.
    pub(super) fn goes_on(&mut self, failed: bool) {
        if let Some(held) = self.run.progress.window().first_held() {
            if failed && !self.is_blocked {
                self.publish_retrying(held);
            }
            return;
        }
        // The streak may be one of an earlier run: then what failed stands at the low-water mark,
        // and what other keys do says nothing about it.
        if failed || self.run.progress.low() != self.began_at.as_ref() {
            self.run.goes_on();
        }
    }

    /// Nothing more is taken from the source because of `limit`; told when an envelope that is to be
    /// tried again is to blame.
    pub(super) fn blocked_by(&mut self, limit: Limit) {
        let Some(held) = self.run.progress.window().first_held() else {
            return;
        };
        if self.is_blocked {
            return;
        }
        let key = held.key.as_deref().unwrap_or_default();
        let age = self.run.clock.now().since(held.since);
        let reason = format!(
            "{limit} behind key `{key}`, which has failed {} times within {age:?}, first with: {}",
            held.attempts, held.first_error
        );
        let offset = Offset::of(&held.position);
        self.run
            .shared
            .publish(ProjectionStatus::Blocked { reason, offset });
        self.is_blocked = true;
    }

    /// There is room for what the source delivers.
    pub(super) fn has_room(&mut self) {
        if !std::mem::take(&mut self.is_blocked) {
            return;
        }
        match self.run.progress.window().first_held() {
            Some(held) => self.publish_retrying(held),
            None => {
                let epoch = self.run.claim.epoch;
                self.run.shared.publish(ProjectionStatus::Running { epoch });
            }
        }
    }

    /// The run is interrupted. What was published last says which envelopes may be skipped by
    /// command: everything up to the last one that fails.
    pub(super) fn interrupted(&mut self) {
        if let Some(held) = self.run.progress.window().last_held() {
            self.publish_retrying(held);
        }
    }

    fn publish_retrying(&self, held: &Held<P::Position>) {
        self.run.shared.publish(ProjectionStatus::Retrying {
            offset: Offset::of(&held.position),
            attempt: held.attempts,
            delay: held.delay,
            error: held.error.clone(),
        });
    }
}
