//! Handles envelopes as a transformation of a stream.

use std::future::Future;

use futures::Stream;

use super::HandlerResult;
use crate::{BoxError, FlowContexts, FlowInput};

/// Handles envelopes as a transformation of a stream.
///
/// # Contract
/// [`flow`](Self::flow) is called once a run, with the envelopes of the run. Each comes with a
/// [`FlowContext`](crate::FlowContext), of which one of two things must become:
/// * it **comes out** when the envelope was handled, alone or merged with others into one
///   [`FlowContexts`];
/// * it is given up with [`filtered`](crate::FlowContext::filtered), when nothing is to be done.
///
/// The lane moves past an envelope then and not before. A context that is dropped otherwise is
/// *lost*, and one that comes out of another run than its own is *foreign*: either fails the run,
/// which begins again with what was not handled. None can come out twice, as none can be cloned.
///
/// When the input ends, what is in flight is to come out, and the output to end.
///
/// At-least-once: what was handled and not saved before a crash comes again, so the flow must be
/// idempotent.
///
/// # Ordering
/// Envelopes go in in the order of the source. Contexts may come out in any order.
///
/// # Durability
/// What was done about an envelope must be durable when its context comes out: its position is
/// saved afterwards.
///
/// # Cancellation
/// A stop, a pause or another command ends the input and waits for its `stop_timeout`; then the
/// flow is dropped where it stands. What was in flight comes again.
///
/// # Errors
/// An error that comes out, a panic, and an output that ends before its input fail the run, which
/// is restarted with backoff. A flow that can try again what failed does so itself.
///
/// # Example
/// ```
/// use futures::{Stream, StreamExt};
/// use projectionist_core::contract::FlowHandler;
/// use projectionist_core::{BoxError, FlowContexts, FlowInput};
///
/// async fn insert_all(words: Vec<String>) -> Result<(), BoxError> {
///     println!("{words:?}"); // One statement for all of them.
///     Ok(())
/// }
///
/// /// Inserts words in batches of twenty, four batches at a time; passes over empty ones.
/// struct Words;
///
/// impl FlowHandler<String> for Words {
///     fn flow(
///         &mut self,
///         words: FlowInput<String>,
///     ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static {
///         words
///             .filter_map(async |(word, context)| {
///                 if word.is_empty() {
///                     context.filtered();
///                     return None;
///                 }
///                 Some((word, context))
///             })
///             .ready_chunks(20)
///             .map(|batch| async move {
///                 let (words, contexts): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
///                 insert_all(words).await?;
///                 Ok(contexts.into_iter().collect())
///             })
///             .buffer_unordered(4)
///     }
/// }
/// ```
pub trait FlowHandler<E>: Send + 'static {
    /// Makes the flow of a run.
    fn flow(
        &mut self,
        envelopes: FlowInput<E>,
    ) -> impl Stream<Item = Result<FlowContexts, BoxError>> + Send + 'static;

    /// Runs before the flow is made.
    fn start(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }

    /// Runs after the flow has ended or was dropped.
    fn stop(&mut self) -> impl Future<Output = HandlerResult> + Send {
        std::future::ready(Ok(()))
    }
}
