//! Applies dead letters again, through the handler that a run has.

use projectionist_core::contract::{
    EventCodec, GroupContext, GroupReport, GroupedTransactionalHandler, GuardScope, ReadModel,
    SequenceGuard, StoredDeadLetter, TransactionalDeadLetterStore,
};
use projectionist_core::{
    BoxError, Counters, Defect, Error, ErrorClass, Offset, ProjectionId, Result,
};

use crate::decode::{DeclaredCodec, DecodeScratch};
use crate::event::DeclaredEvent;
use crate::handler::DeclaredHandler;
use crate::projection::DeclaredProjection;

/// What became of the event of a dead letter that was tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It is settled: one of these counts is one, as if it had never been a dead letter.
    Settled(Counters),
    /// A later event of its entity was applied before: nothing was written.
    Superseded {
        /// The number of the event.
        sequence: i64,
        /// The last applied number of its entity.
        last: i64,
    },
    /// It failed again: nothing of it was written.
    FailedAgain(Defect),
}

/// Applies dead letters of one declared projection again: the same guard, derivation, fold and
/// write as in a run, a letter at a time.
#[derive(Debug)]
pub struct LetterReplay<S> {
    store: S,
    name: Box<str>,
    codec: DeclaredCodec,
    scratch: DecodeScratch,
    handler: DeclaredHandler<S>,
    report: GroupReport,
}

impl<S> LetterReplay<S>
where
    S: ReadModel + SequenceGuard + TransactionalDeadLetterStore,
{
    /// Replays into `store` what `projection` could not apply; `codec` was made for the same
    /// program.
    #[must_use]
    pub fn new(projection: &DeclaredProjection, codec: DeclaredCodec, store: S) -> Self {
        Self {
            name: projection.name().into(),
            handler: projection.handler(store.clone()),
            store,
            codec,
            scratch: DecodeScratch::default(),
            report: GroupReport::default(),
        }
    }

    /// Applies the event of `stored` within `tx`, which stays open. The letter itself is not
    /// touched: whoever commits `tx` settles it there first.
    ///
    /// Its handler is told one attempt more than the letter has, and that it is no replay: what the
    /// event does besides was never done.
    ///
    /// # Errors
    /// What is not the event's fault: [`Error::Store`] for failures of the store,
    /// [`Error::Schema`] for a table of another shape or owner. Then `tx` can only be rolled back.
    pub async fn apply(&mut self, tx: &mut S::Tx, stored: &StoredDeadLetter) -> Result<Replayed> {
        let letter = &stored.letter;
        let event = match self.codec.decode(&mut self.scratch, letter.event.clone()) {
            Ok(event) => event,
            Err(reason) => {
                let error = format!("the kept record is no event of this file: {reason}");
                return Ok(Replayed::FailedAgain(Defect::new(
                    ErrorClass::Envelope,
                    error,
                )));
            }
        };
        let lane = ProjectionId::new(&stored.projection, &stored.key)?;
        self.store.set_savepoint(tx).await?;
        let attempt = letter.attempts.saturating_add(1);
        let handled = self.handle(tx, &event, &lane, &letter.offset, attempt);
        let failed = match handled.await {
            Ok(()) => self
                .report
                .defects()
                .first()
                .map(|(_, defect)| defect.clone()),
            Err(error) => Some(defect_of(error)?),
        };
        if let Some(defect) = failed {
            self.store.undo_savepoint(tx).await?;
            return Ok(Replayed::FailedAgain(defect));
        }
        self.store.keep_savepoint(tx).await?;
        let counters = self.counters();
        match event.sequence_number() {
            Some(sequence) if counters.stale > 0 => self.stale(tx, &event, sequence).await,
            _ => Ok(Replayed::Settled(counters)),
        }
    }

    async fn handle(
        &mut self,
        tx: &mut S::Tx,
        event: &DeclaredEvent,
        lane: &ProjectionId,
        offset: &Offset,
        attempt: u32,
    ) -> Result<(), BoxError> {
        self.report.clear();
        let context = GroupContext {
            lane,
            position: offset,
            attempt,
            replay: false,
            report: &mut self.report,
        };
        let group = std::slice::from_ref(event);
        self.handler.process(tx, group, context).await
    }

    /// What the event counts as, which was counted as read before.
    fn counters(&self) -> Counters {
        let mut counters = *self.report.counters();
        counters.applied = 1_u64.saturating_sub(counters.not_applied());
        counters
    }

    /// Tells an event that was overtaken from one that was applied from another place.
    async fn stale(
        &self,
        tx: &mut S::Tx,
        event: &DeclaredEvent,
        sequence: i64,
    ) -> Result<Replayed> {
        let scope = GuardScope {
            projection: &self.name,
            tenant: event.tenant_schema(),
            fork: event.fork_id(),
        };
        let mut last = Vec::with_capacity(1);
        let entity = [event.entity_id()];
        self.store
            .last_applied(tx, scope, &entity, &mut last)
            .await?;
        Ok(match last.first().copied().flatten() {
            Some(last) if last > sequence => Replayed::Superseded { sequence, last },
            _ => Replayed::Settled(self.counters()),
        })
    }
}

/// What is wrong with the event whose handler failed; the error itself when it is not the event's
/// fault.
fn defect_of(error: BoxError) -> Result<Defect> {
    let error = match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(foreign) => {
            return Ok(Defect::new(ErrorClass::Handler, foreign.to_string()));
        }
    };
    match error.class() {
        class @ ErrorClass::Data => Ok(Defect::new(class, error.to_string())),
        _ => Err(error),
    }
}
