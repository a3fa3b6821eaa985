//! What a flow does that breaks its contract.

/// What a flow did that breaks its contract: the source of the error of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowFault {
    /// It dropped the context of an envelope.
    #[error(
        "the flow dropped the context of this envelope; let it come out when the envelope is handled, or call `filtered` on it"
    )]
    ContextLost,
    /// Contexts of another run came out.
    #[error(
        "the contexts of {envelopes} envelope(s) of another run came out of the flow; keep no context longer than its flow"
    )]
    ForeignContexts {
        /// Of how many envelopes.
        envelopes: usize,
    },
    /// The output ended before the input did.
    #[error(
        "the flow ended although its input had not; it must go on until its input ends, and then give back what is in flight"
    )]
    EndedEarly,
    /// The output ended when the input had, and did not give back everything.
    #[error(
        "the flow ended with the contexts of {envelopes} envelope(s) in flight, this one the first; it must give back what is in flight when its input ends"
    )]
    LeftBehind {
        /// Of how many envelopes.
        envelopes: usize,
    },
}
