//! A handler whose state goes from one envelope to the next.

use std::fmt;

use projectionist_core::contract::{Context, Handler, HandlerResult, StatefulHandler};

/// A [`StatefulHandler`] as a handler. See [`stateful`].
pub struct Stateful<E: Sync, H: StatefulHandler<E>> {
    handler: H,
    /// What the last attempt gave; `None` when it did not end well, and before the first one.
    state: Option<H::State>,
}

/// Makes a handler of a [`StatefulHandler`], for at-least-once and at-most-once.
///
/// The state is loaded at the start of a run. An attempt that fails, panics or is given up takes
/// its state with it: the next attempt, also one at another envelope, loads it afresh.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use projectionist_core::contract::{Context, StatefulHandler};
/// use projectionist_core::{BoxError, ProjectionId};
/// use projectionist_engine::Projection;
/// use projectionist_engine::handlers::stateful;
/// use projectionist_store_memory::MemoryStore;
/// use projectionist_testkit::{TestEnvelope, TestSource};
///
/// struct WordCount;
///
/// impl StatefulHandler<TestEnvelope<String>> for WordCount {
///     type State = BTreeMap<String, u64>;
///
///     async fn initial_state(&mut self) -> Result<Self::State, BoxError> {
///         Ok(BTreeMap::new()) // Read back from where `process` stores it.
///     }
///
///     async fn process(
///         &mut self,
///         mut counts: Self::State,
///         envelope: &TestEnvelope<String>,
///         _: &Context<'_>,
///     ) -> Result<Self::State, BoxError> {
///         *counts.entry(envelope.event.clone()).or_default() += 1;
///         Ok(counts)
///     }
/// }
///
/// # fn main() -> projectionist_core::Result<()> {
/// let id = ProjectionId::new("words", "all")?;
/// let source = TestSource::of(["abc".to_owned(), "def".to_owned()]);
/// let projection =
///     Projection::at_least_once(id, source, MemoryStore::new(), || stateful(WordCount));
/// # drop(projection);
/// # Ok(())
/// # }
/// ```
pub fn stateful<E: Sync, H: StatefulHandler<E>>(handler: H) -> Stateful<E, H> {
    Stateful {
        handler,
        state: None,
    }
}

impl<E, H> Handler<E> for Stateful<E, H>
where
    E: Sync + 'static,
    H: StatefulHandler<E>,
{
    async fn process(&mut self, envelope: &E, context: &Context<'_>) -> HandlerResult {
        // Taken out: what becomes of an attempt that does not end well is never seen.
        let state = match self.state.take() {
            Some(state) => state,
            None => self.handler.initial_state().await?,
        };
        let state = self.handler.process(state, envelope, context).await?;
        self.state = Some(state);
        Ok(())
    }

    async fn start(&mut self) -> HandlerResult {
        self.state = Some(self.handler.initial_state().await?);
        Ok(())
    }

    async fn stop(&mut self) -> HandlerResult {
        self.handler.stop().await
    }
}

impl<E, H> fmt::Debug for Stateful<E, H>
where
    E: Sync,
    H: StatefulHandler<E> + fmt::Debug,
{
    /// Whether there is a state, and nothing of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stateful")
            .field("handler", &self.handler)
            .field("is_loaded", &self.state.is_some())
            .finish()
    }
}
