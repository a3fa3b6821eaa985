//! A handler that asks an actor.

use std::time::Duration;

use projectionist_core::contract::{Ask, Context, Handler, HandlerResult, Mailbox, MailboxError};

/// Why an actor did not handle an envelope: the error of a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ActorError {
    /// The mailbox has no room: the actor is behind with what others send it, or with an ask that
    /// was given up.
    #[error("the actor's mailbox is full; give it more room, or retry after a delay")]
    MailboxFull,
    /// The actor was gone before it was asked. The mailbox is started before the next attempt.
    #[error("the actor has stopped before it was asked; see why it stopped")]
    Stopped,
    /// The actor dropped the ask, as one does that dies while it handles it. The mailbox is
    /// started before the next attempt.
    #[error("the actor dropped the ask without an answer; see whether it died")]
    NoAnswer,
    /// The actor did not answer in time, and may still handle the envelope.
    #[error("the actor did not answer within {0:?}; give it more time, or see what it waits for")]
    TimedOut(Duration),
}

impl ActorError {
    /// Whether the actor is gone, as far as can be told.
    fn is_death(self) -> bool {
        matches!(self, Self::Stopped | Self::NoAnswer)
    }
}

/// A handler that asks an actor. See [`actor_backed`].
#[derive(Debug)]
pub struct ActorBacked<M> {
    mailbox: M,
    ask_timeout: Duration,
    /// The last attempt found the actor dead.
    found_dead: bool,
}

/// Makes a handler that puts each envelope into `mailbox` and waits for the answer, for
/// at-least-once and at-most-once.
///
/// One ask is outstanding at a time. That the actor is dead, that its mailbox is full and that it
/// does not answer within `ask_timeout` are failed attempts with an [`ActorError`], as is an answer
/// that [says so](Ask::failed). The mailbox is started before the first envelope of a run, and
/// again before the attempt after one that found the actor dead; it is stopped after the last one.
///
/// A mailbox whose `start` finds an actor that is there keeps one actor over restarts. See
/// [`SpawnedActor`](super::SpawnedActor) for an actor that belongs to the projection.
///
/// ```
/// use std::time::Duration;
///
/// use projectionist_core::ProjectionId;
/// use projectionist_engine::Projection;
/// use projectionist_engine::handlers::{SpawnedActor, actor_backed};
/// use projectionist_store_memory::MemoryStore;
/// use projectionist_testkit::{TestEnvelope, TestSource};
///
/// # fn main() -> projectionist_core::Result<()> {
/// let id = ProjectionId::new("totals", "all")?;
/// let source = TestSource::of([3_u64, 4, 5]);
/// let projection = Projection::at_least_once(id, source, MemoryStore::new(), || {
///     let totals = SpawnedActor::<TestEnvelope<u64>, _>::new(1, |mut asks| async move {
///         let mut total = 0;
///         while let Some(ask) = asks.recv().await {
///             total += ask.envelope.event;
///             ask.done();
///         }
///     });
///     actor_backed(totals, Duration::from_secs(5))
/// });
/// # drop(projection);
/// # Ok(())
/// # }
/// ```
pub fn actor_backed<M>(mailbox: M, ask_timeout: Duration) -> ActorBacked<M> {
    ActorBacked {
        mailbox,
        ask_timeout,
        found_dead: false,
    }
}

impl<M> ActorBacked<M> {
    async fn ask<E>(&mut self, envelope: E, context: &Context<'_>) -> HandlerResult
    where
        M: Mailbox<E>,
    {
        let (ask, answer) = Ask::new(envelope, context);
        self.mailbox.tell(ask).map_err(|error| match error {
            MailboxError::Full => ActorError::MailboxFull,
            MailboxError::Closed => ActorError::Stopped,
        })?;
        match tokio::time::timeout(self.ask_timeout, answer).await {
            Ok(Ok(result)) => result,
            Ok(Err(_dropped)) => Err(ActorError::NoAnswer.into()),
            Err(_elapsed) => Err(ActorError::TimedOut(self.ask_timeout).into()),
        }
    }
}

impl<E, M> Handler<E> for ActorBacked<M>
where
    E: Clone + Send + Sync + 'static,
    M: Mailbox<E>,
{
    async fn process(&mut self, envelope: &E, context: &Context<'_>) -> HandlerResult {
        if self.found_dead {
            self.mailbox.start().await?;
            self.found_dead = false;
        }
        let asked = self.ask(envelope.clone(), context).await;
        if let Err(error) = &asked {
            let actor = error.downcast_ref::<ActorError>();
            self.found_dead = actor.is_some_and(|error| error.is_death());
        }
        asked
    }

    async fn start(&mut self) -> HandlerResult {
        self.mailbox.start().await
    }

    async fn stop(&mut self) -> HandlerResult {
        self.mailbox.stop().await
    }
}
