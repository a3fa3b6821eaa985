//! The mailbox of an actor that handles envelopes.

use std::future::Future;

use futures::channel::oneshot;

use super::HandlerResult;
use crate::{BoxError, Offset, ProjectionId};

/// One envelope for an actor, which answers it.
///
/// Dropping it without an answer, as an actor does that dies, is a failed attempt.
#[derive(Debug)]
pub struct Ask<E> {
    /// The envelope.
    pub envelope: E,
    /// The lane.
    pub lane: ProjectionId,
    /// Where the envelope stands; together with the lane an idempotency token.
    pub offset: Offset,
    /// 1 for the first attempt at this envelope in this run.
    pub attempt: u32,
    /// Whether the lane had come this far before; see
    /// [`Context::replay`](super::Context::replay).
    pub replay: bool,
    reply: oneshot::Sender<HandlerResult>,
}

impl<E> Ask<E> {
    /// An ask, and what waits for its answer.
    pub fn new(
        envelope: E,
        context: &super::Context<'_>,
    ) -> (Self, oneshot::Receiver<HandlerResult>) {
        let (reply, answer) = oneshot::channel();
        let ask = Self {
            envelope,
            lane: context.lane.clone(),
            offset: context.position.offset(),
            attempt: context.attempt,
            replay: context.replay,
            reply,
        };
        (ask, answer)
    }

    /// The envelope was handled.
    pub fn done(self) {
        self.answer(Ok(()));
    }

    /// The envelope could not be handled.
    pub fn failed(self, error: impl Into<BoxError>) {
        self.answer(Err(error.into()));
    }

    fn answer(self, result: HandlerResult) {
        // Nobody waits any more when the ask was given up: a time-out, or a stop.
        let _given_up = self.reply.send(result);
    }
}

/// Why an actor could not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailboxError {
    /// The mailbox has no room.
    #[error("the actor's mailbox is full")]
    Full,
    /// The actor is gone.
    #[error("the actor has stopped")]
    Closed,
}

/// The mailbox of an actor that handles envelopes.
///
/// # Contract
/// One ask is outstanding at a time. That the actor has died, that its mailbox is full and that it
/// does not answer in time are failed attempts like any other. [`start`](Self::start) is called
/// before the first envelope of a run and before the attempt after one that found the actor dead;
/// it makes an actor, or finds the one that is there.
///
/// # Ordering
/// Asks come in the order of the source.
///
/// # Durability
/// What the actor did must be durable when it answers.
///
/// # Cancellation
/// An ask that is given up may still be handled by the actor, and is asked again: make the actor
/// idempotent.
///
/// # Errors
/// [`MailboxError`] when the ask could not be put into the mailbox.
///
/// # Example
/// ```
/// use futures::channel::mpsc;
/// use projectionist_core::contract::{Ask, HandlerResult, Mailbox, MailboxError};
///
/// struct Channel(mpsc::Sender<Ask<String>>);
///
/// impl Mailbox<String> for Channel {
///     fn tell(&mut self, ask: Ask<String>) -> Result<(), MailboxError> {
///         self.0.try_send(ask).map_err(|error| {
///             if error.is_full() { MailboxError::Full } else { MailboxError::Closed }
///         })
///     }
/// }
/// ```
pub trait Mailbox<E>: Send + 'static {
    /// Puts an ask into the mailbox, without waiting for room.
    ///
    /// # Errors
    /// Why it could not be put there.
    fn tell(&mut self, ask: Ask<E>) -> Result<(), MailboxError>;

    /// Makes the actor, or finds it.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Stops the actor, where it belongs to the projection.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
