//! One pass over a source for several projections.
//!
//! Every [`HubSource`] is a source like any other, and delivers what the source behind its [`Hub`]
//! delivers. Those that stand near each other share one [`pass`]: it is [`reading`] the source
//! once, into a window of bounded size in which every [`reader`] has a place of its own. A reader
//! that does not keep up, or begins too far behind, reads alone and joins when it comes near.

mod config;
mod pass;
mod reader;
mod reading;
mod shared_error;
mod source;
mod window;

pub use config::HubConfig;
pub use source::{Hub, HubSource};
