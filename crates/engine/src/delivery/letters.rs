//! What is kept and counted of what is passed over.

use std::sync::Arc;

use bytes::Bytes;
use projectionist_core::contract::SourceProvider;
use projectionist_core::{
    BoxError, Counters, DeadLetter, DeadLetterOrigin, Defect, Error, ErrorClass, Malformed, Offset,
    ParkedEnvelope,
};

use projectionist_telemetry::{EnvelopeSkipped, EventsDeadLettered, VerificationRefused};

use super::incarnation::Incarnation;
use crate::management::order::SkipOrder;

impl<P: SourceProvider, S> Incarnation<'_, P, S> {
    /// The letter of a record that is no envelope.
    pub(crate) fn malformed_letter(&self, malformed: Malformed<P::Position>) -> DeadLetter {
        let Malformed {
            position,
            place,
            reason,
            raw,
        } = malformed;
        let now = self.clock.now();
        DeadLetter {
            origin: DeadLetterOrigin::Source,
            offset: Offset::of(&position),
            defect: Defect::new(ErrorClass::Envelope, format!("{place}: {reason}")),
            event: raw,
            attempts: 1,
            first_failed_at: now,
            failed_at: now,
        }
    }

    /// The letter of an envelope that could not be applied.
    pub(crate) fn letter(
        &self,
        envelope: &P::Envelope,
        defect: Defect,
        attempts: u32,
    ) -> DeadLetter {
        let now = self.clock.now();
        DeadLetter {
            origin: DeadLetterOrigin::Projection,
            offset: Offset::of(&self.provider.position(envelope)),
            defect,
            event: self.encoded(envelope),
            attempts,
            first_failed_at: now,
            failed_at: now,
        }
    }

    /// The envelope as it is parked under `key`. `failure` is the attempt after which it is parked;
    /// `None` for one that only waits behind another one.
    pub(crate) fn parked_envelope(
        &self,
        key: &str,
        envelope: &P::Envelope,
        failure: Option<(u32, &BoxError)>,
    ) -> ParkedEnvelope {
        let now = self.clock.now();
        let position = self.provider.position(envelope);
        ParkedEnvelope {
            key: key.to_owned(),
            offset: Offset::of(&position),
            event: self.encoded(envelope),
            attempts: failure.map_or(0, |(attempts, _)| attempts),
            error: failure.map(|(_, error)| error.to_string()),
            parked_at: now,
            tried_at: failure.map(|_| now),
            replay: self.progress.is_replay(&position),
        }
    }

    /// What passing over an envelope counts, and the letter where one is to `keep` it. It is told as
    /// well.
    pub(crate) fn passed_over(
        &self,
        envelope: &P::Envelope,
        defect: Defect,
        attempts: u32,
        keep: bool,
    ) -> (Counters, Option<DeadLetter>) {
        let offset = Offset::of(&self.provider.position(envelope)).text;
        let (class, lane) = (defect.class, self.lane());
        let mut counters = Counters {
            read: 1,
            ..Counters::ZERO
        };
        if class == ErrorClass::Unverified {
            VerificationRefused {
                lane,
                offset: &offset,
                handled: attempts > 0,
            }
            .emit();
        } else if keep {
            EventsDeadLettered {
                lane,
                events: 1,
                first: &offset,
                class: class.name(),
                field: defect.field.as_deref().unwrap_or_default(),
            }
            .emit();
        } else {
            EnvelopeSkipped {
                lane,
                offset: &offset,
                attempts,
                class,
            }
            .emit();
        }
        if !keep {
            counters.skipped = 1;
            return (counters, None);
        }
        counters.dead_lettered = 1;
        (counters, Some(self.letter(envelope, defect, attempts)))
    }

    /// Settles an envelope that is passed over.
    pub(crate) fn settle_passed_over(
        &mut self,
        envelope: &P::Envelope,
        position: P::Position,
        defect: Defect,
        attempts: u32,
    ) {
        let keep = self.settings.dead_letters;
        let (passed, letter) = self.passed_over(envelope, defect, attempts, keep);
        if let Some(letter) = letter {
            self.progress.keep(letter);
        }
        self.progress
            .settle(position, |counters| counters.add(&passed));
    }

    /// The order to pass over the envelope at `position`, where there is one. The next commit
    /// answers it; whoever takes it here tells its end after that.
    #[inline]
    pub(crate) fn takes_skip(&mut self, position: &P::Position) -> Option<SkipOrder<P::Position>> {
        // Asked for every envelope, and nearly always there is none.
        if self.skip.is_empty() {
            return None;
        }
        self.takes_skip_of_some(position)
    }

    fn takes_skip_of_some(&mut self, position: &P::Position) -> Option<SkipOrder<P::Position>> {
        while *position >= self.skip.first()?.position {
            let skip = self.skip.remove(0);
            let found = *position == skip.position;
            let order = &skip.order;
            let refusal =
                (!found).then(|| "the source has no envelope at that position".to_owned());
            if let Some(answer) = order.asker.answer(refusal.clone()) {
                self.progress.answer(answer);
            }
            let Some(reason) = refusal else {
                return Some(skip);
            };
            let lane = self.lane().clone();
            skip.order
                .asker
                .tell(Err(Arc::new(Error::Refused { lane, reason })));
        }
        None
    }

    /// Keeps an order for the next run that [`takes_skip`](Self::takes_skip) gave, when this run
    /// ends before it is known that the envelope is passed.
    pub(crate) fn keep_skip(&mut self, skip: SkipOrder<P::Position>) {
        skip.put_among(self.skip);
    }

    fn encoded(&self, envelope: &P::Envelope) -> Bytes {
        let mut event = Vec::new();
        self.provider.encode(envelope, &mut event);
        Bytes::from(event)
    }
}

/// What is wrong with an envelope whose handler returned `error`.
pub(crate) fn defect_of(error: &BoxError) -> Defect {
    Defect::new(class_of(error), error.to_string())
}

/// The class of what a handler returned.
pub(crate) fn class_of(error: &BoxError) -> ErrorClass {
    error
        .downcast_ref::<Error>()
        .map_or(ErrorClass::Handler, Error::class)
}

/// What a failure is to be blamed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blame {
    /// Perhaps the envelope.
    Envelope,
    /// Something that is away or busy.
    Outage,
    /// The store or a setting: every envelope would fail.
    Run,
}

/// What the failure of a handler that returned `error` is to be blamed on. A handler's own errors
/// are taken for the envelope's.
pub(crate) fn blame_of(error: &BoxError) -> Blame {
    match error.downcast_ref::<Error>().map(Error::class) {
        Some(ErrorClass::Outage) => Blame::Outage,
        Some(ErrorClass::Handler | ErrorClass::Schema) => Blame::Run,
        _ => Blame::Envelope,
    }
}

/// What is wrong with an envelope that its source does not vouch for any more.
pub(crate) fn not_vouched_for() -> Defect {
    let error = "the source does not vouch for this position any more";
    Defect::new(ErrorClass::Unverified, error)
}

/// What is wrong with an envelope that someone asked to pass over.
pub(crate) fn skipped_by_command() -> Defect {
    Defect::new(ErrorClass::Handler, "skipped by command")
}
