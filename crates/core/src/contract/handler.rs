//! What is done with an event: handlers, and what the engine tells them.

use std::future::Future;

use crate::{BoxError, Counters, Defect, OffsetText, ProjectionId};

/// What a handler gives back. An error is met by the projection's recovery strategy.
pub type HandlerResult = Result<(), BoxError>;

/// What a handler is told besides the envelope.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The projection, and the lane it reads.
    pub lane: &'a ProjectionId,
    /// Where the envelope stands; together with the lane an idempotency token.
    pub position: &'a dyn OffsetText,
    /// 1 for the first attempt at this envelope in this run.
    pub attempt: u32,
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
/// A future is dropped only when a stop has waited for its `stop_timeout`.
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

/// What a handler of groups is told besides the group, and where it reports.
pub struct GroupContext<'a> {
    /// The projection, and the lane it reads.
    pub lane: &'a ProjectionId,
    /// 1 for the first attempt at this group in this run. Counts every attempt at the group or at a
    /// part of it; above 1 what the attempt before wrote may have been rolled back.
    pub attempt: u32,
    /// What became of the envelopes.
    pub report: &'a mut GroupReport,
}

/// What became of the envelopes of a group, as its handler says.
///
/// Envelopes that are not reported were applied. The report is part of the group's commit: when
/// the transaction rolls back, so does what was reported.
#[derive(Debug, Default)]
pub struct GroupReport {
    /// What is to be counted beside `read` and `applied`, which follow from the group.
    counters: Counters,
    /// The envelopes that could not be applied, by their index in the group.
    defects: Vec<(usize, Defect)>,
}

impl GroupReport {
    /// Envelopes of a type that the handler does not name.
    pub fn unmatched(&mut self, envelopes: u64) {
        self.counters.unmatched += envelopes;
    }

    /// Envelopes whose condition was false.
    pub fn filtered(&mut self, envelopes: u64) {
        self.counters.filtered += envelopes;
    }

    /// Envelopes that by declaration change nothing.
    pub fn ignored(&mut self, envelopes: u64) {
        self.counters.ignored += envelopes;
    }

    /// Envelopes at or below the last applied sequence number of their entity.
    pub fn stale(&mut self, envelopes: u64) {
        self.counters.stale += envelopes;
    }

    /// Applied envelopes that were folded into a later write.
    pub fn folded(&mut self, envelopes: u64) {
        self.counters.folded += envelopes;
    }

    /// The envelope at `index` could not be applied; nothing of it was. It becomes a dead letter
    /// in the group's commit.
    pub fn dead_letter(&mut self, index: usize, defect: Defect) {
        self.counters.dead_lettered += 1;
        self.defects.push((index, defect));
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The envelopes that could not be applied, by their index in the group.
    #[must_use]
    pub fn defects(&self) -> &[(usize, Defect)] {
        &self.defects
    }

    /// Forgets everything, for the next attempt or group.
    pub fn clear(&mut self) {
        self.counters = Counters::default();
        self.defects.clear();
    }
}

/// Handles a group of envelopes in the transaction that also moves the lane.
///
/// # Contract
/// As [`Handler`], a group at a time. The handler writes through `tx` and never commits or rolls
/// back: the engine does, together with the offset and the [report](GroupReport).
///
/// # Ordering
/// Groups and the envelopes in them come in the order of the source, one group at a time.
///
/// # Durability
/// What was written through `tx` becomes durable with the offset, or not at all.
///
/// # Cancellation
/// A future is dropped only when a stop has waited for its `stop_timeout`; the transaction then
/// rolls back.
///
/// # Errors
/// Any error, and a panic, rolls the transaction back and is met by the recovery strategy for the
/// whole group. An error that downcasts to [`crate::Error`] of class
/// [`Data`](crate::ErrorClass::Data) lets the engine look for the envelope at fault.
///
/// # Example
/// ```
/// use projectionist_core::contract::{GroupContext, GroupedTransactionalHandler, HandlerResult};
///
/// /// Counts what passes; a real one would write through `tx`.
/// struct Count(usize);
///
/// impl<Tx: Send + 'static> GroupedTransactionalHandler<String, Tx> for Count {
///     async fn process(
///         &mut self,
///         _tx: &mut Tx,
///         group: &[String],
///         _context: GroupContext<'_>,
///     ) -> HandlerResult {
///         self.0 += group.len();
///         Ok(())
///     }
/// }
/// ```
pub trait GroupedTransactionalHandler<E: Sync, Tx: Send>: Send + 'static {
    /// Handles one group. Never empty.
    fn process(
        &mut self,
        tx: &mut Tx,
        group: &[E],
        context: GroupContext<'_>,
    ) -> impl Future<Output = HandlerResult> + Send;

    /// Runs before the first group of a run.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the last group of a run, also when it failed.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
