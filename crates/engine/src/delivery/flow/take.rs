//! What becomes of the items that a source delivers to a flow.

use futures::Stream;
use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Defect, Malformed, SourceItem};

use super::run::{FlowRun, Output};
use crate::delivery::incarnation::{RunResult, unplaced};
use crate::delivery::letters::{not_vouched_for, skipped_by_command};
use crate::delivery::observe;
use crate::management::order::SkipOrder;
use crate::progress::Admission;
use crate::signals::Interruption;

impl<P, S, O> FlowRun<'_, '_, P, S, O>
where
    P: SourceProvider,
    S: OffsetStore,
    O: Stream<Item = Output> + Send,
{
    /// Takes items from the buffer for which there is room.
    pub(super) async fn take_items(&mut self) -> RunResult<P, Option<Interruption>> {
        while self.has_room()
            && let Some(item) = self.buffer.pop_front()
        {
            let interruption = match item {
                SourceItem::Envelope(envelope) => self.take_envelope(envelope).await?,
                SourceItem::Malformed(malformed) => self.take_malformed(malformed)?,
            };
            let interruption = interruption.or_else(|| self.run.signals.current());
            if interruption.is_some() {
                return Ok(interruption);
            }
        }
        Ok(None)
    }

    /// Feeds an envelope, unless it is passed over.
    async fn take_envelope(&mut self, envelope: P::Envelope) -> RunResult<P, Option<Interruption>> {
        let position = self.run.provider.position(&envelope);
        if self.is_settled(&position)? {
            return Ok(None);
        }
        if let Some(skip) = self.run.takes_skip(&position) {
            return self.skip(&envelope, skip).await;
        }
        if self.run.verifies {
            match self.run.vouches(&position).await.map_err(unplaced)? {
                Ok(true) => {}
                Ok(false) => {
                    self.pass_over(&envelope, position, not_vouched_for());
                    return Ok(None);
                }
                Err(interruption) => return Ok(Some(interruption)),
            }
        }
        let Self {
            run,
            feed,
            in_flight,
            ..
        } = self;
        observe(|| run.observer().before_process(run.lane(), &position, 1));
        let is_replay = run.progress.is_replay(&position);
        let bytes = run.provider.size_bytes(&envelope);
        let ticket = run.progress.deliver(position.clone(), bytes);
        feed.feed(envelope, in_flight.put(ticket, position), is_replay);
        Ok(None)
    }

    /// Keeps a record that is no envelope as a letter of its source.
    fn take_malformed(
        &mut self,
        malformed: Malformed<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        let position = malformed.position.clone();
        if self.is_settled(&position)? {
            return Ok(None);
        }
        let run = &mut self.run;
        let letter = run.malformed_letter(malformed);
        run.progress.keep(letter);
        let ticket = run.progress.deliver(position, 0);
        run.progress
            .settle_delivered(&ticket, |counters| counters.malformed += 1);
        Ok(None)
    }

    /// Whether an earlier run has settled the record at `position`. It is passed then.
    fn is_settled(&mut self, position: &P::Position) -> RunResult<P, bool> {
        let progress = &mut self.run.progress;
        if progress.follows(position).map_err(unplaced)? == Admission::Boundary {
            return Ok(true);
        }
        let is_settled = progress.settled_ahead(position);
        if is_settled {
            progress.deliver_settled(position.clone());
        }
        Ok(is_settled)
    }

    /// Passes over an envelope because someone asked for it, and stores that before anything else.
    async fn skip(
        &mut self,
        envelope: &P::Envelope,
        skip: SkipOrder<P::Position>,
    ) -> RunResult<P, Option<Interruption>> {
        self.pass_over(envelope, skip.position.clone(), skipped_by_command());
        let Self { run, saver, .. } = self;
        run.goes_on();
        let timeout = run.settings.stop_timeout;
        let flushed = saver.flush(&mut run.progress, run.signals, timeout).await;
        if let Err(error) = flushed {
            run.keep_skip(skip);
            return Err(unplaced(error));
        }
        skip.order.asker.tell(Ok(()));
        Ok(None)
    }

    /// Settles an envelope that never reaches the flow.
    fn pass_over(&mut self, envelope: &P::Envelope, position: P::Position, defect: Defect) {
        let run = &mut self.run;
        let keep = run.settings.dead_letters;
        let (passed, letter) = run.passed_over(envelope, defect, 0, keep);
        if let Some(letter) = letter {
            run.progress.keep(letter);
        }
        let ticket = run.progress.deliver(position, 0);
        run.progress
            .settle_delivered(&ticket, |counters| counters.add(&passed));
    }
}
