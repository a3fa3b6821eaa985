//! One run of a projection between a start and a restart.

use std::sync::Arc;

use bytes::Bytes;
use projectionist_core::contract::{Mode, Observer, OffsetStore, SourceProvider};
use projectionist_core::{
    Claim, Clock, Commit, DeadLetter, DeadLetterOrigin, Defect, Error, ErrorClass, Malformed,
    Offset, OffsetText, ProjectionId, Result,
};
use projectionist_telemetry::FailureStreak;
use tokio::time::Instant;

use super::Delivery;
use super::feed::{Feed, live_source_ended};
use crate::Settings;
use crate::progress::LaneProgress;
use crate::restart::ladder::Failure;
use crate::signals::{Interruption, Signals};

/// How a run ended that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The source ended.
    Completed,
    /// It was interrupted.
    Interrupted(Interruption),
}

/// How a run ended: an error comes with the position of the envelope that could not be handled.
pub(crate) type RunResult<P> =
    std::result::Result<End, (Error, Option<<P as SourceProvider>::Position>)>;

/// What a run needs besides its delivery.
pub(crate) struct RunContext<'a, P, S> {
    pub(crate) provider: &'a P,
    pub(crate) store: &'a S,
    pub(crate) settings: &'a Settings,
    pub(crate) claim: &'a Arc<Claim>,
    pub(crate) signals: &'a Signals,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) streak: &'a mut FailureStreak,
}

/// One run of a projection, as its delivery sees it.
pub struct Incarnation<'a, P: SourceProvider, S> {
    pub(crate) provider: &'a P,
    pub(crate) store: &'a S,
    pub(crate) settings: &'a Settings,
    pub(crate) claim: &'a Arc<Claim>,
    pub(crate) signals: &'a Signals,
    pub(crate) clock: &'a Arc<dyn Clock>,
    pub(crate) streak: &'a mut FailureStreak,
    pub(crate) feed: Feed<P>,
    pub(crate) progress: LaneProgress<P::Position>,
}

/// Opens the source where the lane stands and runs the delivery to its end.
pub(crate) async fn run_incarnation<P, S, D>(
    delivery: &D,
    context: RunContext<'_, P, S>,
) -> std::result::Result<End, Failure<P::Position>>
where
    P: SourceProvider,
    S: OffsetStore,
    D: Delivery<P, S>,
{
    let began = Instant::now();
    let failure = |error| Failure {
        error,
        at: None,
        low: None,
        began,
    };
    let RunContext {
        provider,
        store,
        settings,
        claim,
        signals,
        clock,
        streak,
    } = context;
    let open = async {
        let progress = load_progress(provider, store, settings, claim).await?;
        let from = progress.low().cloned();
        let stream = provider.open(from, settings.mode).await?;
        Ok((progress, Feed::new(stream)))
    };
    let (progress, feed) = tokio::select! {
        biased;
        interruption = signals.raised() => return Ok(End::Interrupted(interruption)),
        opened = open => opened.map_err(failure)?,
    };
    let mut incarnation = Incarnation {
        provider,
        store,
        settings,
        claim,
        signals,
        clock,
        streak,
        feed,
        progress,
    };
    let ended = delivery.run(&mut incarnation).await;
    let low = incarnation.progress.low().cloned();
    match ended {
        Ok(end) => Ok(end),
        Err((error, at)) => Err(Failure {
            error,
            at,
            low,
            began,
        }),
    }
}

/// Reads the lane, and gives it a position before the first delivery where it has none.
async fn load_progress<P: SourceProvider, S: OffsetStore>(
    provider: &P,
    store: &S,
    settings: &Settings,
    claim: &Claim,
) -> Result<LaneProgress<P::Position>> {
    let row = store.lane(&claim.lane).await?;
    if let Some(row) = &row
        && row.epoch > claim.epoch
    {
        return Err(Error::Fenced {
            lane: claim.lane.clone(),
            epoch: claim.epoch,
            current: row.epoch,
        });
    }
    let stored = row.and_then(|row| row.offset);
    if stored.is_some() {
        return LaneProgress::load(&claim.lane, stored);
    }
    let Some(start) = provider.resolve_start(&settings.start).await? else {
        return LaneProgress::load(&claim.lane, None);
    };
    let commit = Commit {
        offset: Some(Offset::of(&start)),
        ..Commit::default()
    };
    store.commit(claim, &commit).await?;
    LaneProgress::load(&claim.lane, commit.offset)
}

impl<P: SourceProvider, S> Incarnation<'_, P, S> {
    pub(crate) fn lane(&self) -> &ProjectionId {
        &self.claim.lane
    }

    pub(crate) fn observer(&self) -> &dyn Observer {
        self.settings.observer.as_ref()
    }

    /// What the end of the source means in this mode.
    pub(crate) fn source_ended(&self) -> RunResult<P> {
        match self.settings.mode {
            Mode::Current => Ok(End::Completed),
            Mode::Live => Err((live_source_ended(), None)),
        }
    }

    /// The letter of a record that is no envelope.
    pub(crate) fn malformed_letter(&self, malformed: Malformed<P::Position>) -> DeadLetter {
        let Malformed {
            position,
            place,
            reason,
            raw,
        } = malformed;
        DeadLetter {
            origin: DeadLetterOrigin::Source,
            offset: Offset::of(&position),
            defect: Defect::new(ErrorClass::Envelope, format!("{place}: {reason}")),
            event: raw,
            attempts: 1,
            failed_at: self.clock.now(),
        }
    }

    /// The letter of an envelope that could not be applied.
    pub(crate) fn letter(
        &self,
        envelope: &P::Envelope,
        defect: Defect,
        attempts: u32,
    ) -> DeadLetter {
        let mut event = Vec::new();
        self.provider.encode(envelope, &mut event);
        DeadLetter {
            origin: DeadLetterOrigin::Projection,
            offset: Offset::of(&self.provider.position(envelope)),
            defect,
            event: Bytes::from(event),
            attempts,
            failed_at: self.clock.now(),
        }
    }

    /// The error of a handler that could not handle what ends at `position`.
    pub(crate) fn handler_error(
        &self,
        position: &dyn OffsetText,
        attempts: u32,
        source: projectionist_core::BoxError,
    ) -> Error {
        let offset = position.offset().text;
        Error::Handler {
            lane: self.lane().clone(),
            offset,
            attempts,
            source,
        }
    }
}
