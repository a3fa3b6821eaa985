//! An actor on a task of its own, which belongs to one handler.

use std::fmt;

use projectionist_core::BoxError;
use projectionist_core::contract::{Ask, HandlerResult, Mailbox, MailboxError};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_util::task::AbortOnDropHandle;

/// The mailbox of an actor on a task of its own, which belongs to one handler.
///
/// The actor is made when the handler starts, and made anew when it is found dead. When the handler
/// stops, the asks end and the actor's future is awaited; a handler that is dropped without its
/// stop, as one is whose call was given up, aborts it.
pub struct SpawnedActor<E, F> {
    room: usize,
    behaviour: F,
    actor: Option<Actor<E>>,
}

/// An actor that was spawned; it may have ended since.
struct Actor<E> {
    asks: mpsc::Sender<Ask<E>>,
    task: AbortOnDropHandle<()>,
}

impl<E, F, Fut> SpawnedActor<E, F>
where
    F: FnMut(mpsc::Receiver<Ask<E>>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    /// An actor that does what `behaviour` says: handle the asks that it receives until there are
    /// no more. Its mailbox has `room` for so many asks; the engine makes one at a time, so more
    /// than 1 gains only that an ask which was given up does not fill it; 0 is 1.
    ///
    /// ```
    /// use projectionist_engine::handlers::SpawnedActor;
    ///
    /// let actor = SpawnedActor::new(1, |mut asks| async move {
    ///     while let Some(ask) = asks.recv().await {
    ///         println!("{}: {}", ask.lane, ask.envelope);
    ///         ask.done();
    ///     }
    /// });
    /// # fn is_mailbox<M: projectionist_core::contract::Mailbox<String>>(_: M) {}
    /// # is_mailbox(actor);
    /// ```
    pub fn new(room: usize, behaviour: F) -> Self {
        Self {
            room: room.max(1),
            behaviour,
            actor: None,
        }
    }
}

impl<E, F, Fut> Mailbox<E> for SpawnedActor<E, F>
where
    E: Send + 'static,
    F: FnMut(mpsc::Receiver<Ask<E>>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    fn tell(&mut self, ask: Ask<E>) -> Result<(), MailboxError> {
        let actor = self.actor.as_ref().ok_or(MailboxError::Closed)?;
        actor.asks.try_send(ask).map_err(|error| match error {
            TrySendError::Full(_) => MailboxError::Full,
            TrySendError::Closed(_) => MailboxError::Closed,
        })
    }

    async fn start(&mut self) -> HandlerResult {
        if self.actor.as_ref().is_none_or(Actor::is_dead) {
            let (asks, receiver) = mpsc::channel(self.room);
            let task = AbortOnDropHandle::new(tokio::spawn((self.behaviour)(receiver)));
            self.actor = Some(Actor { asks, task });
        }
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        let Some(Actor { asks, task }) = self.actor.take() else {
            return Ok(());
        };
        drop(asks);
        task.await.map_err(BoxError::from)
    }
}

impl<E> Actor<E> {
    /// Whether it takes no more asks. Its receiver is gone a moment before its task has ended.
    fn is_dead(&self) -> bool {
        self.asks.is_closed() || self.task.is_finished()
    }
}

impl<E, F> fmt::Debug for SpawnedActor<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnedActor")
            .field("room", &self.room)
            .field("is_spawned", &self.actor.is_some())
            .finish_non_exhaustive()
    }
}
