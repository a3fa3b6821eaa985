//! What is done with an event: handlers, and what the engine tells them.

use std::future::Future;

use crate::{BoxError, OffsetText, ProjectionId};

/// What a handler gives back. An error is met by the projection's recovery strategy.
pub type HandlerResult = Result<(), BoxError>;

/// What a handler is told besides the envelope.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The projection, and the lane it reads.
    pub lane: &'a ProjectionId,
    /// Where the envelope stands; together with the lane an idempotency token.
    pub position: &'a dyn OffsetText,
    /// 1 for the first attempt at this envelope in this run; counted on for one that was parked.
    pub attempt: u32,
    /// Whether the lane had come this far before: management moved it back, as a rebuild does.
    /// What must not happen again, such as a mail, is to be left out then.
    pub replay: bool,
}

/// Handles one envelope after the other.
///
/// # Contract
/// A fresh handler is built for every run between a start and a restart, and after a panic.
/// [`start`](Self::start) runs before its first envelope and [`stop`](Self::stop) after its last
/// one, each once, and `stop` is awaited before the next handler starts.
///
/// At-least-once may call `process` again for an envelope that was handled before a crash: make
/// the handler idempotent.
///
/// # Ordering
/// In the order of the source, one at a time.
///
/// # Durability
/// What `process` did must be durable when it returns: the position is saved afterwards.
///
/// # Cancellation
/// A future is dropped when a stop, a pause or another command has waited for its `stop_timeout`,
/// and when the handler time-out is over, where one is set. A handler whose future was dropped is
/// not called again: a fresh one takes its place.
///
/// # Errors
/// Any error, and a panic, is met by the recovery strategy.
///
/// # Example
/// ```
/// use projectionist_core::contract::{Context, Handler, HandlerResult};
///
/// struct Printer;
///
/// impl Handler<String> for Printer {
///     async fn process(&mut self, envelope: &String, context: &Context<'_>) -> HandlerResult {
///         println!("{}: {envelope}", context.lane);
///         Ok(())
///     }
/// }
/// ```
pub trait Handler<E: Sync>: Send + 'static {
    /// Handles one envelope.
    fn process(
        &mut self,
        envelope: &E,
        context: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;

    /// Runs before the first envelope of a run.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last envelope of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}

/// A closure as a handler. See [`handler_fn`].
#[derive(Clone, Debug)]
pub struct HandlerFn<F>(F);

/// Makes a handler of a closure. What it returns must not borrow the envelope: clone what is
/// needed before the `async` block.
///
/// ```
/// use projectionist_core::contract::handler_fn;
///
/// let handler = handler_fn(|envelope: &String| {
///     let length = envelope.len();
///     async move {
///         println!("{length}");
///         Ok(())
///     }
/// });
/// # fn is_handler<H: projectionist_core::contract::Handler<String>>(_: H) {}
/// # is_handler(handler);
/// ```
pub fn handler_fn<E, F, Fut>(closure: F) -> HandlerFn<F>
where
    F: FnMut(&E) -> Fut + Send + 'static,
    Fut: Future<Output = HandlerResult> + Send,
{
    HandlerFn(closure)
}

impl<E, F, Fut> Handler<E> for HandlerFn<F>
where
    E: Sync,
    F: FnMut(&E) -> Fut + Send + 'static,
    Fut: Future<Output = HandlerResult> + Send,
{
    fn process(
        &mut self,
        envelope: &E,
        _: &Context<'_>,
    ) -> impl Future<Output = HandlerResult> + Send {
        (self.0)(envelope)
    }
}
