//! The promise that something becomes of an envelope.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::ledger::{GivenBack, Ledger, Outcome};
use crate::ProjectionId;

/// The promise that something becomes of an envelope. Every envelope of a flow comes with one.
///
/// It comes out of the flow when the envelope was handled, alone or
/// [merged with others](super::FlowContexts); or the flow gives it up with
/// [`filtered`](Self::filtered). The position of the lane passes the envelope then. A context that
/// is dropped otherwise is lost: the run fails, and begins again with what was not handled.
///
/// It cannot be cloned, so none can come out twice:
///
/// ```compile_fail,E0599
/// fn twice(context: projectionist_core::FlowContext) -> [projectionist_core::FlowContext; 2] {
///     [context.clone(), context]
/// }
/// ```
#[must_use = "a context that is dropped is lost: let it come out of the flow, or call `filtered`"]
pub struct FlowContext {
    span: Span,
    replay: bool,
}

impl FlowContext {
    pub(super) fn new(span: Span, replay: bool) -> Self {
        Self { span, replay }
    }

    /// The projection, and the lane it reads.
    #[must_use]
    pub fn lane(&self) -> &ProjectionId {
        &self.span.ledger.lane
    }

    /// Whether the lane had come this far before: management moved it back, as a rebuild does.
    /// What must not happen again, such as a mail, is to be left out then.
    #[must_use]
    pub fn is_replay(&self) -> bool {
        self.replay
    }

    /// Nothing is to be done about the envelope: its context does not come out of the flow.
    /// Counted as filtered.
    pub fn filtered(mut self) {
        self.span.give_back(Outcome::Filtered);
    }

    pub(super) fn into_span(self) -> Span {
        self.span
    }
}

impl fmt::Debug for FlowContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FlowContext")
            .field("lane", self.lane())
            .field("is_replay", &self.replay)
            .finish_non_exhaustive()
    }
}

/// Envelopes of one run whose numbers follow each other. Lost when it is dropped with any in it.
pub(super) struct Span {
    pub(super) ledger: Arc<Ledger>,
    numbers: Range<u64>,
}

impl Span {
    pub(super) fn of_one(ledger: &Arc<Ledger>, number: u64) -> Self {
        Self {
            ledger: Arc::clone(ledger),
            numbers: number..number.saturating_add(1),
        }
    }

    pub(super) fn len(&self) -> usize {
        let envelopes = self.numbers.end - self.numbers.start;
        usize::try_from(envelopes).unwrap_or(usize::MAX)
    }

    /// Takes the envelopes of `other` where the two are one range then; gives it back otherwise.
    pub(super) fn join(&mut self, mut other: Self) -> Option<Self> {
        if !Arc::ptr_eq(&self.ledger, &other.ledger) {
            return Some(other);
        }
        if self.numbers.end == other.numbers.start {
            self.numbers.end = other.numbers.end;
        } else if other.numbers.end == self.numbers.start {
            self.numbers.start = other.numbers.start;
        } else {
            return Some(other);
        }
        let _joined = other.take();
        None
    }

    /// Empties it; gives the numbers that were in it.
    pub(super) fn take(&mut self) -> Range<u64> {
        std::mem::take(&mut self.numbers)
    }

    /// Tells the engine that the flow is done with the envelopes.
    pub(super) fn give_back(&mut self, outcome: Outcome) {
        let numbers = self.take();
        if !numbers.is_empty() {
            self.ledger.tell(GivenBack { outcome, numbers });
        }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.give_back(Outcome::Lost);
    }
}
