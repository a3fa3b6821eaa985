//! What the handlers of a keyed run have in common.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Counters, DeadLetter, SourceItem};

use super::key_queues::{KeyQueues, TakenKey};
use super::wakes::Wakes;
use crate::delivery::incarnation::{Failed, Incarnation};
use crate::delivery::save::{SaveConfig, Saver};
use crate::management::order::SkipOrder;
use crate::progress::window::Ticket;

/// An envelope that waits to be handled.
pub(super) struct Job<P: SourceProvider> {
    pub(super) envelope: P::Envelope,
    pub(super) position: P::Position,
    pub(super) ticket: Ticket,
}

/// A handler is done with an envelope of this key.
pub(super) struct Done {
    pub(super) key: TakenKey,
    /// The envelope is applied and to be settled, and whether an attempt at it had failed. `None`
    /// when it is settled in another way.
    pub(super) applied: Option<(Ticket, bool)>,
}

const APPLIED: Counters = Counters {
    read: 1,
    applied: 1,
    ..Counters::ZERO
};

/// What a run that comes to its end still does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// It handles what it has taken from the source; nothing is tried again.
    FinishesTaken,
    /// It ends the calls that are running.
    FinishesCalls,
}

/// What the handlers of a keyed run have in common. They run in one task, so the lock around it is
/// never waited for.
pub(super) struct Desk<'r, 'a, P: SourceProvider, S> {
    pub(super) run: &'r mut Incarnation<'a, P, S>,
    pub(super) saver: Saver<'a, S>,
    pub(super) queues: KeyQueues<Job<P>>,
    /// What came from the source and is not taken yet.
    pub(super) buffer: VecDeque<SourceItem<P::Envelope, P::Position>>,
    /// Handlers that had nothing to do when they looked last.
    idle: Vec<usize>,
    /// Which handlers stand in that list: one that is woken for nothing looks again.
    listed: Vec<bool>,
    pub(super) wakes: Arc<Wakes>,
    /// So much was settled that the saver is to be looked after.
    pub(super) look_due: bool,
    pub(super) ending: Option<Ending>,
    /// Why the run fails.
    pub(super) failure: Option<Failed<P>>,
    /// The orders to pass over an envelope whose envelopes are passed over and not stored yet.
    pub(super) skipped: Vec<SkipOrder<P::Position>>,
    /// The low-water mark when the run began.
    pub(super) began_at: Option<P::Position>,
    /// Whether its status says that it is blocked.
    pub(super) is_blocked: bool,
}

/// Locks the desk. A panic of a handler does not happen under the lock; one of the source or the
/// store ends the run, which still saves what is settled.
pub(super) fn lock<T>(desk: &Mutex<T>) -> MutexGuard<'_, T> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a handler does next.
pub(super) enum Next {
    /// It handles the envelope that it was given, of this key; `replay` when the lane had come this
    /// far before.
    Job { key: TakenKey, replay: bool },
    /// It waits.
    Nothing,
    /// It ends.
    End,
}

impl<'r, 'a, P: SourceProvider, S: OffsetStore> Desk<'r, 'a, P, S> {
    pub(super) fn new(
        run: &'r mut Incarnation<'a, P, S>,
        save: SaveConfig,
        wakes: Arc<Wakes>,
    ) -> Self {
        Self {
            saver: Saver::new(run, save),
            queues: KeyQueues::default(),
            buffer: VecDeque::new(),
            idle: Vec::new(),
            listed: vec![false; wakes.len()],
            wakes,
            look_due: false,
            ending: None,
            failure: None,
            skipped: Vec::new(),
            began_at: run.progress.low().cloned(),
            is_blocked: false,
            run,
        }
    }

    /// What the handler `at` does next, when it is `done` with the envelope that it had. An envelope
    /// to handle is put into `job`.
    pub(super) fn next(&mut self, at: usize, done: Option<Done>, job: &mut Option<Job<P>>) -> Next {
        if let Some(Done { key, applied }) = done {
            if let Some((ticket, failed)) = applied {
                self.settle(&ticket, &APPLIED, None, failed);
            }
            self.queues.done(key);
        }
        if self.ending == Some(Ending::FinishesCalls) {
            return Next::End;
        }
        if self.look_due {
            self.wakes.mark(at);
            return Next::Nothing;
        }
        match self.queues.take(job) {
            Some(key) => {
                let progress = &self.run.progress;
                let replay = job
                    .as_ref()
                    .is_some_and(|job| progress.is_replay(&job.position));
                Next::Job { key, replay }
            }
            None if self.ending.is_some() => Next::End,
            None => {
                if let Some(listed @ false) = self.listed.get_mut(at) {
                    *listed = true;
                    self.idle.push(at);
                }
                Next::Nothing
            }
        }
    }

    /// A handler to give the next envelope to, when there are both.
    pub(super) fn take_idle(&mut self) -> Option<usize> {
        if !self.queues.is_ready() || self.look_due {
            return None;
        }
        let at = self.idle.pop()?;
        if let Some(listed) = self.listed.get_mut(at) {
            *listed = false;
        }
        Some(at)
    }

    /// The record of `ticket` is settled. `failed` when an attempt at it had failed.
    pub(super) fn settle(
        &mut self,
        ticket: &Ticket,
        counters: &Counters,
        letter: Option<DeadLetter>,
        failed: bool,
    ) {
        if let Some(letter) = letter {
            self.run.progress.keep(letter);
        }
        self.run
            .progress
            .settle_delivered(ticket, |present| present.add(counters));
        self.look_due |= self.saver.wants_a_look(&self.run.progress);
        if self.run.streak.is_open() {
            self.goes_on(failed);
        }
    }

    /// The run fails. What failed first is told.
    pub(super) fn fail(&mut self, failed: Failed<P>) {
        self.failure.get_or_insert(failed);
    }
}
