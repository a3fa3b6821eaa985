//! What the next commit parks and lets go, written down and told.

use std::sync::Arc;

use projectionist_core::contract::{FailureAction, SourceProvider};
use projectionist_core::{BoxError, Counters, Defect, Error, ManagementCommand, ParkedEnvelope};
use projectionist_telemetry::{EnvelopeParked, EnvelopeUnparked};

use super::Lot;
use crate::ProjectionStatus;
use crate::delivery::Incarnation;

/// The error of a parked envelope that the source cannot read any more.
#[derive(Debug, thiserror::Error)]
#[error(
    "the source cannot read what is parked: {0}; it stays parked until a version that can is started"
)]
pub(crate) struct Unreadable(pub(crate) String);

impl<P: SourceProvider, S> Incarnation<'_, P, S> {
    /// Takes up the orders to try parked envelopes now. Those of the store are answered by the next
    /// commit; the attempts follow.
    pub(crate) fn take_up_orders<R>(&mut self, lot: &mut Lot<'_, P, R>) {
        for order in std::mem::take(self.retry_parked) {
            let ManagementCommand::RetryParked { key } = &order.command else {
                continue;
            };
            let refusal = match key {
                Some(key) if !lot.make_due(Some(key)) => {
                    Some(format!("no envelope of key `{key}` is parked"))
                }
                Some(_) => None,
                None => {
                    lot.make_due(None);
                    None
                }
            };
            if let Some(answer) = order.asker.answer(refusal.clone()) {
                self.progress.answer(answer);
            }
            let lane = self.claim.lane.clone();
            order.asker.tell(match refusal {
                None => Ok(()),
                Some(reason) => Err(Arc::new(Error::Refused { lane, reason })),
            });
        }
    }

    /// Parks an envelope of the key that was looked at last with the next commit: after an attempt
    /// that failed, or behind another one.
    pub(crate) fn park<R>(
        &mut self,
        lot: &mut Lot<'_, P, R>,
        envelope: &P::Envelope,
        failure: Option<(u32, &BoxError)>,
    ) {
        let parked = self.parked_envelope(lot.key(), envelope, failure);
        EnvelopeParked {
            lane: self.lane(),
            key: &parked.key,
            offset: &parked.offset.text,
            attempts: parked.attempts,
        }
        .emit();
        lot.take_in(failure.map(|(attempts, _)| attempts));
        self.progress.park(parked);
    }

    /// A parked envelope failed again: it keeps its place, and its key waits. `envelopes` is the
    /// envelope, where it could be read.
    pub(crate) fn park_again<R>(
        &mut self,
        lot: &mut Lot<'_, P, R>,
        parked: &ParkedEnvelope,
        envelopes: &[P::Envelope],
        position: &P::Position,
        error: &BoxError,
    ) {
        let attempts = parked.attempts.saturating_add(1);
        self.attempt_failed(envelopes, position, attempts, error, FailureAction::Park);
        EnvelopeParked {
            lane: self.lane(),
            key: &parked.key,
            offset: &parked.offset.text,
            attempts,
        }
        .emit();
        lot.is_due_after(&parked.key, lot.config().backoff(attempts));
        self.progress.park(ParkedEnvelope {
            attempts,
            error: Some(error.to_string()),
            tried_at: Some(self.clock.now()),
            ..parked.clone()
        });
    }

    /// Lets a parked envelope go with the next commit, which counts what became of it.
    pub(crate) fn unpark(&mut self, parked: &ParkedEnvelope, count: impl FnOnce(&mut Counters)) {
        self.progress.unpark(parked.offset.clone());
        self.progress.count(|counters| {
            counters.unparked_total += 1;
            count(counters);
        });
    }

    /// Gives a parked envelope up: it is passed over with the next commit.
    pub(crate) fn unpark_passed_over(
        &mut self,
        parked: &ParkedEnvelope,
        envelope: &P::Envelope,
        defect: Defect,
        attempts: u32,
    ) {
        let keep = self.settings.dead_letters;
        let (passed, letter) = self.passed_over(envelope, defect, attempts, keep);
        if let Some(letter) = letter {
            self.progress.keep(letter);
        }
        // It was read when it was parked.
        let passed = Counters { read: 0, ..passed };
        self.unpark(parked, |counters| counters.add(&passed));
    }

    /// A parked envelope was let go.
    pub(crate) fn unparked<R>(&mut self, lot: &mut Lot<'_, P, R>, parked: &ParkedEnvelope) {
        let left = lot.let_go(&parked.key);
        EnvelopeUnparked {
            lane: self.lane(),
            key: &parked.key,
            offset: &parked.offset.text,
            left,
        }
        .emit();
    }

    /// Publishes that the envelope at `position` cannot be parked now.
    pub(crate) fn blocked(&self, position: &P::Position, reason: String) {
        use projectionist_core::OffsetText;
        let offset = position.offset();
        self.shared
            .publish(ProjectionStatus::Blocked { reason, offset });
    }

    /// Publishes that it goes on, where it was blocked.
    pub(crate) fn blocked_no_more(&self) {
        if matches!(
            self.shared.published().status,
            ProjectionStatus::Blocked { .. }
        ) {
            let epoch = self.claim.epoch;
            self.shared.publish(ProjectionStatus::Running { epoch });
        }
    }
}
