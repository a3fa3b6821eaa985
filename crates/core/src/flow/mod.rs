//! What passes between the engine and a flow: envelopes with their contexts, and the contexts back.
//!
//! A flow takes envelopes from its [`FlowInput`], each with a [`FlowContext`]; what it gives out are
//! [`FlowContexts`], one or several merged into one. The engine holds the other end, [`FlowFeed`].
//!
//! A context is a promise that something becomes of its envelope. So it cannot be copied, and none
//! vanishes unseen: dropping one tells the engine that it is lost.

mod context;
mod contexts;
mod feed;
mod input;
mod ledger;

pub use context::FlowContext;
pub use contexts::FlowContexts;
pub use feed::{FlowFeed, ForeignContexts};
pub use input::FlowInput;
pub use ledger::{GivenBack, Outcome};
