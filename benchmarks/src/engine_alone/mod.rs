//! What the engine costs an envelope when nothing else costs anything: a source in memory, the store
//! in memory, a handler that does nothing.
//!
//! Beside it stand a bare loop over the same stream, which is the machine's limit, and the peer.

pub mod bare;
pub mod case;
pub mod handler;
pub mod instructions;
pub mod observer;
pub mod peer;
pub mod report;
pub mod run;
pub mod waiting;
