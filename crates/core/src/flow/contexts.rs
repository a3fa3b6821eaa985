//! The contexts of envelopes that were handled together.

use std::fmt;

use super::context::{FlowContext, Span};
use super::ledger::Outcome;

/// The contexts of envelopes that were handled: what comes out of a flow.
///
/// Those of a batch are merged into one; contexts of envelopes that follow each other take the room
/// of one. Like a [`FlowContext`] it cannot be cloned, and is lost when it is dropped.
///
/// ```
/// use projectionist_core::{FlowContext, FlowContexts};
///
/// fn merged(batch: Vec<(String, FlowContext)>) -> FlowContexts {
///     batch.into_iter().map(|(_, context)| context).collect()
/// }
/// # drop(merged(Vec::new()));
/// ```
#[derive(Default)]
#[must_use = "contexts that are dropped are lost: let them come out of the flow, or call `filtered`"]
pub struct FlowContexts {
    first: Option<Span>,
    /// Behind a first one only; so contexts of one range need no list.
    more: Vec<Span>,
}

impl FlowContexts {
    /// Adds the contexts of others.
    pub fn merge(&mut self, others: impl Into<Self>) {
        let Self { first, more } = others.into();
        for span in first.into_iter().chain(more) {
            self.add(span);
        }
    }

    /// Of how many envelopes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.iter().chain(&self.more).map(Span::len).sum()
    }

    /// Whether there are none. What comes out empty changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// As [`FlowContext::filtered`].
    pub fn filtered(self) {
        for mut span in self.into_spans() {
            span.give_back(Outcome::Filtered);
        }
    }

    fn add(&mut self, span: Span) {
        let Some(first) = &mut self.first else {
            self.first = Some(span);
            return;
        };
        if let Some(apart) = self.more.last_mut().unwrap_or(first).join(span) {
            self.more.push(apart);
        }
    }

    pub(super) fn into_spans(self) -> impl Iterator<Item = Span> {
        self.first.into_iter().chain(self.more)
    }
}

impl From<FlowContext> for FlowContexts {
    fn from(context: FlowContext) -> Self {
        Self {
            first: Some(context.into_span()),
            more: Vec::new(),
        }
    }
}

impl<C: Into<Self>> FromIterator<C> for FlowContexts {
    fn from_iter<I: IntoIterator<Item = C>>(contexts: I) -> Self {
        let mut merged = Self::default();
        merged.extend(contexts);
        merged
    }
}

impl<C: Into<Self>> Extend<C> for FlowContexts {
    fn extend<I: IntoIterator<Item = C>>(&mut self, contexts: I) {
        for context in contexts {
            self.merge(context);
        }
    }
}

impl fmt::Debug for FlowContexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowContexts")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
