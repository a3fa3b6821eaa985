//! Takes items from the source and puts them where handlers find them.

use std::hash::{BuildHasher, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use foldhash::quality::FixedState;
use projectionist_core::contract::{Mode, OffsetStore, SourceProvider};
use projectionist_core::{BoxError, Counters, Error, SourceItem};

use super::desk::{Desk, Job};
use crate::delivery::feed::{Fill, live_source_ended};
use crate::delivery::incarnation::{Failed, RunResult, unplaced};
use crate::delivery::letters::skipped_by_command;
use crate::progress::window_limits::Limit;
use crate::progress::{Admission, WindowLimits};
use crate::recovery::drive::panic_message;

/// How many items are taken before the handlers have a turn.
const AT_ONCE: usize = 128;

/// What a look at the source gave.
pub(super) enum Intake<P: SourceProvider> {
    /// Items were taken, and there may be more.
    Taken,
    /// There is nothing more at hand.
    Nothing,
    /// There is no room for more.
    Full,
    /// The source has ended.
    Ended,
    /// The source failed, or an item that it delivered cannot be taken.
    Failed(Failed<P>),
}

/// Tells the key of an envelope.
pub(super) struct Keys<'k, K> {
    pub(super) key: &'k K,
    pub(super) limits: WindowLimits,
    /// Used again for each envelope.
    text: String,
}

impl<'k, K> Keys<'k, K> {
    pub(super) fn new(key: &'k K, limits: WindowLimits) -> Self {
        Self {
            key,
            limits,
            text: String::new(),
        }
    }

    /// Has the key of an envelope told; a panic of who tells it is an error.
    fn tell<E>(&mut self, envelope: &E) -> Result<(), BoxError>
    where
        K: Fn(&E, &mut String),
    {
        let Self { key, text, .. } = self;
        text.clear();
        catch_unwind(AssertUnwindSafe(|| key(envelope, text)))
            .map_err(|payload| panic_message("the key of an envelope", payload.as_ref()))?;
        Ok(())
    }

    /// The hash of the key that was told last.
    fn hash(&self) -> u64 {
        let mut hasher = FixedState::default().build_hasher();
        hasher.write(self.text.as_bytes());
        hasher.finish()
    }
}

impl<P: SourceProvider, S: OffsetStore> Desk<'_, '_, P, S> {
    /// Takes what the source has at hand and there is room for; an error is one of the store.
    pub(super) fn take_in<K>(
        &mut self,
        cx: &mut Context<'_>,
        keys: &mut Keys<'_, K>,
    ) -> Result<Intake<P>, Error>
    where
        K: Fn(&P::Envelope, &mut String),
    {
        for taken in 0..AT_ONCE {
            if let Some(limit) = self.limit(cx, &keys.limits)? {
                self.blocked_by(limit);
                return Ok(Intake::Full);
            }
            self.has_room();
            if self.buffer.is_empty() {
                match self.run.feed.poll_fill(cx, &mut self.buffer) {
                    Poll::Pending if taken > 0 => return Ok(Intake::Taken),
                    Poll::Pending => return Ok(Intake::Nothing),
                    Poll::Ready(Err(error)) => return Ok(Intake::Failed(unplaced(error))),
                    Poll::Ready(Ok(Fill::Ended)) if self.run.settings.mode == Mode::Live => {
                        return Ok(Intake::Failed(unplaced(live_source_ended())));
                    }
                    Poll::Ready(Ok(Fill::Ended)) => return Ok(Intake::Ended),
                    Poll::Ready(Ok(Fill::Items)) => self.run.saw(&self.buffer),
                }
            }
            if let Some(item) = self.buffer.pop_front()
                && let Err(failed) = self.take(item, keys)
            {
                return Ok(Intake::Failed(failed));
            }
        }
        Ok(Intake::Taken)
    }

    /// Why nothing more is to be taken now.
    fn limit(
        &mut self,
        cx: &mut Context<'_>,
        limits: &WindowLimits,
    ) -> Result<Option<Limit>, Error> {
        let Self { run, saver, .. } = self;
        let progress = &mut run.progress;
        let limit = progress.window().reached(limits);
        if limit.is_some() {
            return Ok(limit);
        }
        let taken = progress.window().unsettled() as u64;
        if saver.has_room(progress, taken) {
            return Ok(None);
        }
        // What is taken may not be settled for long: the save does not wait for its count.
        saver.urge(progress);
        saver.tend(cx, progress);
        saver.take_failure()?;
        let unsaved = progress.unsaved_records();
        Ok((!saver.has_room(progress, taken)).then_some(Limit::Unsaved(unsaved)))
    }

    fn take<K>(
        &mut self,
        item: SourceItem<P::Envelope, P::Position>,
        keys: &mut Keys<'_, K>,
    ) -> RunResult<P, ()>
    where
        K: Fn(&P::Envelope, &mut String),
    {
        let position = match &item {
            SourceItem::Envelope(envelope) => self.run.provider.position(envelope),
            SourceItem::Malformed(malformed) => malformed.position.clone(),
        };
        let progress = &mut self.run.progress;
        if progress.follows(&position).map_err(unplaced)? == Admission::Boundary {
            return Ok(());
        }
        if progress.settled_ahead(&position) {
            progress.deliver_settled(position);
            return Ok(());
        }
        match item {
            SourceItem::Envelope(envelope) => self.queue(envelope, position, keys),
            SourceItem::Malformed(malformed) => {
                let letter = self.run.malformed_letter(malformed);
                let ticket = self.run.progress.deliver(position, 0);
                let counters = Counters {
                    malformed: 1,
                    ..Counters::ZERO
                };
                self.settle(&ticket, &counters, Some(letter), false);
                Ok(())
            }
        }
    }

    fn queue<K>(
        &mut self,
        envelope: P::Envelope,
        position: P::Position,
        keys: &mut Keys<'_, K>,
    ) -> RunResult<P, ()>
    where
        K: Fn(&P::Envelope, &mut String),
    {
        if let Some(skip) = self.run.takes_skip(&position) {
            let keep = self.run.settings.dead_letters;
            let (counters, letter) = self
                .run
                .passed_over(&envelope, skipped_by_command(), 0, keep);
            let ticket = self.run.progress.deliver(position, 0);
            self.settle(&ticket, &counters, letter, true);
            self.saver.urge(&self.run.progress);
            self.skipped.push(skip);
            return Ok(());
        }
        // Its hash is asked for later: what was written just now is read at a price.
        if let Err(error) = keys.tell(&envelope) {
            return Err(self.run.exhausted(position, 1, error));
        }
        let bytes = self.run.provider.size_bytes(&envelope);
        let ticket = self.run.progress.deliver(position.clone(), bytes);
        let job = Job {
            envelope,
            position,
            ticket,
        };
        self.queues.push(keys.hash(), job);
        Ok(())
    }
}
